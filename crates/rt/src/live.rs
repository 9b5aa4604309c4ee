//! Real time: one single-threaded tokio runtime per thread, with a timer of our own.
//!
//! tokio's own timer counts whole milliseconds. Here a deadline is a `timerfd` deadline in nanoseconds, so a wait ends some
//! tens of microseconds late: what the kernel needs to wake a thread.

mod alarm;
mod clock;
mod driver;
mod root;

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::io;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context, Waker};

use coldfront_clock::Instant;
use tokio::runtime::{Builder, Handle};

use self::alarm::{Alarm, Listener};
pub use self::clock::Clock;
use self::driver::LiveTimers;
use crate::handle::{Mode, Rt};
use crate::join::{JoinHandle, Joined};

/// How many tasks tokio may poll before it looks for due timers and ready sockets. Its default of 61 lets a burst of requests
/// hold a due timer up for a quarter of a millisecond.
const EVENT_INTERVAL: u32 = 31;

/// The live run behind a handle.
pub(crate) struct Live {
    clock: Clock,
    seed: u64,
    tokio: Handle,
    pub(crate) timers: Arc<LiveTimers>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    has_panicked: AtomicBool,
    /// Wakes the root future; set at its first poll, before any task runs.
    root: OnceLock<Waker>,
}

/// Runs `main` in real time on the calling thread, and returns its output.
///
/// The run ends when the future of `main` does; tasks and daemons that are left are dropped before this function returns.
/// Several threads may each have a run on one clock.
///
/// The main future goes before the tasks: it waits for at most a few dozen of their turns, however many are runnable. What
/// must be on time, such as the pacing of load, belongs there.
///
/// # Panics
///
/// With the panic of `main` or of any task; also if the thread is inside a tokio runtime already, or the system gives no
/// further file descriptors.
pub fn run<F: Future>(clock: &Clock, seed: u64, main: impl FnOnce(Rt) -> F) -> F::Output {
    run_with(Alarm::best, clock, seed, main)
}

/// Runs `main` with the timer on a certain alarm.
fn run_with<F: Future>(
    start_alarm: impl FnOnce(&Clock) -> io::Result<(Alarm, Listener)>,
    clock: &Clock,
    seed: u64,
    main: impl FnOnce(Rt) -> F,
) -> F::Output {
    let runtime = Builder::new_current_thread()
        .enable_io()
        .event_interval(EVENT_INTERVAL)
        .build()
        .expect("the system has file descriptors for one more runtime");
    runtime.block_on(async {
        let (alarm, listener) = start_alarm(clock).expect("the system has a file descriptor or a thread to spare");
        let timers = LiveTimers::new(clock.clone(), alarm);
        let driver = driver::drive(Arc::clone(&timers), listener);
        let live = Arc::new(Live {
            clock: clock.clone(),
            seed,
            tokio: Handle::current(),
            timers,
            panic: Mutex::new(None),
            has_panicked: AtomicBool::new(false),
            root: OnceLock::new(),
        });
        let main = main(Rt { mode: Mode::Live(Arc::clone(&live)) });
        root::drive_both(|cx| live.pass_panic_on(cx), driver, main).await
    })
}

// === impl Live ===

impl Live {
    pub(crate) fn now(&self) -> Instant {
        self.clock.now()
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    pub(crate) fn spawn<F>(self: &Arc<Self>, kind: &'static str, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let (joined, state) = Joined::new(future, Some(Arc::clone(self)));
        let task = self.tokio.spawn(joined);
        JoinHandle::in_live(state, task.abort_handle(), kind)
    }

    /// Ends the run with the panic of a task; the first one counts.
    pub(crate) fn report_panic(&self, payload: Box<dyn Any + Send>) {
        self.panic.lock().expect("nothing under this lock can panic").get_or_insert(payload);
        self.has_panicked.store(true, Ordering::Release);
        if let Some(root) = self.root.get() {
            root.wake_by_ref();
        }
    }

    /// Panics if a task did.
    fn pass_panic_on(&self, cx: &Context<'_>) {
        self.root.get_or_init(|| cx.waker().clone());
        if self.has_panicked.load(Ordering::Acquire) {
            let payload = self.panic.lock().expect("nothing under this lock can panic").take();
            resume_unwind(payload.expect("a panic is stored before it is announced"));
        }
    }
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live").field("clock", &self.clock).field("seed", &self.seed).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
