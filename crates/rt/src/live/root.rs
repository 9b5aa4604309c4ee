//! The root future of a live run: the timer's driver and the main future, each polled only when it was woken itself.
//!
//! The runtime polls its root future before any task, at least once in an event interval. So timers are served on time
//! however many tasks are runnable, and a main future that paces load by timers continues in the same breath.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// A part of the root future that wakes it as a whole, and remembers that it was woken itself.
struct Part {
    is_woken: AtomicBool,
    root: Waker,
}

/// Polls `driver` and `main` until `main` ends; `check` goes first at each poll of the root.
pub(super) async fn drive_both<F: Future>(
    check: impl Fn(&Context<'_>),
    driver: impl Future<Output = Infallible>,
    main: F,
) -> F::Output {
    let mut driver = pin!(driver);
    let mut main = pin!(main);
    let mut parts: Option<[(Arc<Part>, Waker); 2]> = None;
    poll_fn(|cx| {
        check(cx);
        // The waker of a root future stays the same as long as it runs.
        let [for_driver, for_main] = parts.get_or_insert_with(|| [Part::new(cx.waker()), Part::new(cx.waker())]);
        if for_driver.0.take() {
            match driver.as_mut().poll(&mut Context::from_waker(&for_driver.1)) {
                Poll::Ready(never) => match never {},
                Poll::Pending => {}
            }
        }
        if for_main.0.take() { main.as_mut().poll(&mut Context::from_waker(&for_main.1)) } else { Poll::Pending }
    })
    .await
}

// === impl Part ===

impl Part {
    /// A part that is to be polled, and its waker.
    fn new(root: &Waker) -> (Arc<Self>, Waker) {
        let part = Arc::new(Self { is_woken: AtomicBool::new(true), root: root.clone() });
        let waker = Waker::from(Arc::clone(&part));
        (part, waker)
    }

    /// Whether it was woken since the last call.
    fn take(&self) -> bool {
        self.is_woken.swap(false, Ordering::AcqRel)
    }
}

impl Wake for Part {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_woken.swap(true, Ordering::AcqRel) {
            self.root.wake_by_ref();
        }
    }
}
