//! The output of a task, on its way from the task to whoever waits for it.

use std::fmt;
use std::future::Future;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use pin_project_lite::pin_project;

use crate::live::Live;
use crate::sim::{Key, Token};

/// Waits for a task's output.
///
/// Dropping it detaches the task, which runs on.
///
/// # Panics
///
/// Polling it panics if the task was aborted, or if its output was already taken: both are mistakes of the caller.
///
/// # Cancel safety
///
/// The output stays until a poll returns it.
pub struct JoinHandle<T> {
    state: Arc<JoinState<T>>,
    task: TaskRef,
    kind: &'static str,
}

/// How to reach the task itself.
enum TaskRef {
    Live(tokio::task::AbortHandle),
    Sim(Token, Key),
}

/// Shared between a task and its handle.
pub(crate) struct JoinState<T>(Mutex<State<T>>);

struct State<T> {
    outcome: Outcome<T>,
    joiner: Option<Waker>,
}

enum Outcome<T> {
    Running,
    Finished(T),
    Taken,
    /// The task was dropped before it finished.
    Dropped,
    /// The task panicked and the run is ending with that panic, so nobody will be told.
    Panicked,
}

pin_project! {
    /// A task's future that hands its output over.
    pub(crate) struct Joined<F: Future> {
        #[pin]
        future: F,
        state: Arc<JoinState<F::Output>>,
        // Spares the lock in the usual end.
        is_settled: bool,
        // Live only: where a panic is reported. In sim a panic unwinds through the executor by itself.
        live: Option<Arc<Live>>,
    }

    impl<F: Future> PinnedDrop for Joined<F> {
        fn drop(this: Pin<&mut Self>) {
            let this = this.project();
            if !*this.is_settled {
                this.state.settle(Outcome::Dropped);
            }
        }
    }
}

// === impl JoinState ===

impl<T> JoinState<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.0.lock().expect("nothing under this lock can panic")
    }

    /// Sets the outcome of a running task, once, and wakes the joiner.
    fn settle(&self, outcome: Outcome<T>) {
        let mut state = self.lock();
        debug_assert!(matches!(state.outcome, Outcome::Running), "a task ends once");
        state.outcome = outcome;
        let joiner = state.joiner.take();
        // Foreign code runs only after the lock is let go.
        drop(state);
        if let Some(joiner) = joiner {
            joiner.wake();
        }
    }
}

// === impl Joined ===

impl<F: Future> Joined<F> {
    pub(crate) fn new(future: F, live: Option<Arc<Live>>) -> (Self, Arc<JoinState<F::Output>>) {
        let state = Arc::new(JoinState(Mutex::new(State { outcome: Outcome::Running, joiner: None })));
        (Self { future, state: Arc::clone(&state), is_settled: false, live }, state)
    }
}

impl<F: Future> Future for Joined<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        let polled = match this.live {
            None => this.future.poll(cx),
            Some(live) => match catch_unwind(AssertUnwindSafe(|| this.future.poll(cx))) {
                Ok(polled) => polled,
                Err(payload) => {
                    *this.is_settled = true;
                    this.state.settle(Outcome::Panicked);
                    live.report_panic(payload);
                    return Poll::Ready(());
                }
            },
        };
        polled.map(|output| {
            *this.is_settled = true;
            this.state.settle(Outcome::Finished(output));
        })
    }
}

// === impl JoinHandle ===

impl<T> JoinHandle<T> {
    pub(crate) fn in_sim(state: Arc<JoinState<T>>, token: Token, key: Key, kind: &'static str) -> Self {
        Self { state, task: TaskRef::Sim(token, key), kind }
    }

    pub(crate) fn in_live(state: Arc<JoinState<T>>, task: tokio::task::AbortHandle, kind: &'static str) -> Self {
        Self { state, task: TaskRef::Live(task), kind }
    }

    /// Ends the task: it is dropped when its turn comes, within this instant; nothing happens if it has finished.
    ///
    /// Waiting for an aborted task is a mistake, and panics.
    pub fn abort(&self) {
        match &self.task {
            TaskRef::Live(task) => task.abort(),
            TaskRef::Sim(token, key) => token.abort(*key),
        }
    }

    /// Whether the task has ended: finished, or dropped after an abort.
    pub fn is_finished(&self) -> bool {
        !matches!(self.state.lock().outcome, Outcome::Running)
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let mut state = self.state.lock();
        match mem::replace(&mut state.outcome, Outcome::Taken) {
            Outcome::Finished(output) => return Poll::Ready(output),
            Outcome::Running => state.outcome = Outcome::Running,
            Outcome::Panicked => {
                state.outcome = Outcome::Panicked;
                return Poll::Pending;
            }
            Outcome::Dropped => {
                drop(state);
                panic!("waited for a task of kind {:?} that was aborted", self.kind);
            }
            Outcome::Taken => {
                drop(state);
                panic!("waited for a task of kind {:?} after its output was taken", self.kind);
            }
        }
        let former = match &state.joiner {
            Some(joiner) if joiner.will_wake(cx.waker()) => None,
            _ => state.joiner.replace(cx.waker().clone()),
        };
        drop(state);
        drop(former);
        Poll::Pending
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").field("kind", &self.kind).finish_non_exhaustive()
    }
}
