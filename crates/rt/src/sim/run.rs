//! The loop: run what is runnable; when nothing is, jump to the next deadline.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use super::core::{Core, Fired, STEPS_PER_INSTANT_MAX};
use super::error::SimError;
use super::tasks::{Key, Tasks, Turn};
use super::token::Token;
use super::wakers::Remote;
use crate::handle::{Mode, Rt};
use crate::stop::Stop;

/// How many steps the main future gets to end by itself after the run was asked to stop.
const STEPS_AFTER_STOP_MAX: u64 = 1_000_000;
/// After so many steps of daemons alone the executor looks whether anything else can still happen.
const DAEMON_STEPS_MAX: u64 = 10_000_000;

/// Numbers runs, so that a handle of another run is recognised.
static RUNS: AtomicU64 = AtomicU64::new(1);

/// Runs `main` on virtual time on the calling thread, and returns its output.
///
/// The run ends when the future of `main` does. Tasks and daemons that are left are dropped then, in the order of their spawn,
/// before this function returns; a task that is spawned by such a drop is dropped at once.
///
/// If `stop` is requested, `main` is expected to see it and end by itself; it gets a million further steps to do so.
///
/// # Errors
///
/// [`SimError`]: the main future cannot end, did not end after a stop, or the thread is not a plain one.
///
/// # Panics
///
/// With the panic of `main` or of any task, after the rest was dropped.
pub fn run<F>(seed: u64, stop: Stop, main: impl FnOnce(Rt) -> F) -> Result<F::Output, SimError>
where
    F: Future + Send + 'static,
{
    if tokio::runtime::Handle::try_current().is_ok() {
        return Err(SimError::InsideTokio);
    }
    Core::with(|core| {
        if !core.is_idle() {
            return Err(SimError::Nested);
        }
        let remote = Arc::new(Remote::default());
        let run = RUNS.fetch_add(1, Ordering::Relaxed);
        core.begin(run, Arc::clone(&remote));
        // Ends the run also when a panic passes; declared first, so the main future is gone by then.
        let ending = Ending(core);
        let main_key = core.spawn("main", false, None);
        debug_assert_eq!(main_key, Key::MAIN);
        let mut main = pin!(Some(main(Rt { mode: Mode::Sim(Token { run, seed }) })));
        let mut executor = Executor { core, remote: &remote, stop, after_stop: 0, daemon_steps: 0 };
        let result = executor.drive(main.as_mut());
        core.begin_ending();
        main.set(None);
        drop(ending);
        result
    })
}

struct Executor<'a> {
    core: &'a Core,
    remote: &'a Remote,
    stop: Stop,
    /// Steps since the stop was seen.
    after_stop: u64,
    /// Steps since something else than a daemon was polled.
    daemon_steps: u64,
}

/// Drops what is left of a run.
struct Ending<'a>(&'a Core);

// === impl Executor ===

impl Executor<'_> {
    fn drive<F: Future>(&mut self, mut main: Pin<&mut Option<F>>) -> Result<F::Output, SimError> {
        loop {
            if self.remote.is_pending() {
                self.core.accept(self.remote);
            }
            let key = match self.core.next_ready() {
                Some(key) => key,
                None => match self.core.fire_next() {
                    Fired::Task(key) => key,
                    Fired::Waker => continue,
                    Fired::Nothing if self.remote.is_pending() => continue,
                    Fired::Nothing => return Err(self.stuck()),
                },
            };
            if let Some(output) = self.step(key, main.as_mut()) {
                return Ok(output);
            }
            self.check(key)?;
        }
    }

    /// Gives a task its turn; returns the output of the main future when that ends.
    fn step<F: Future>(&mut self, key: Key, main: Pin<&mut Option<F>>) -> Option<F::Output> {
        let core = self.core;
        let turn = core.tasks(|tasks| tasks.take_turn(key));
        match turn {
            Turn::Skip => {}
            Turn::Abort(future) => {
                drop(future);
                core.tasks(|tasks| tasks.remove(key, None));
            }
            Turn::Poll { mut future, waker, is_daemon } => {
                self.daemon_steps = if is_daemon { self.daemon_steps + 1 } else { 0 };
                core.enter(key, &waker);
                if future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
                    core.tasks(|tasks| tasks.put_back(key, Some(future), waker));
                } else {
                    drop(future);
                    core.tasks(|tasks| tasks.remove(key, Some(waker)));
                }
            }
            Turn::Main(waker) => {
                self.daemon_steps = 0;
                core.enter(key, &waker);
                let main = main.as_pin_mut().expect("the main future stays until the run ends");
                if let Poll::Ready(output) = main.poll(&mut Context::from_waker(&waker)) {
                    return Some(output);
                }
                core.tasks(|tasks| tasks.put_back(key, None, waker));
            }
        }
        None
    }

    /// The bounds on a run, checked after every step.
    fn check(&mut self, key: Key) -> Result<(), SimError> {
        let steps = self.core.steps.get() + 1;
        self.core.steps.set(steps);
        if steps > STEPS_PER_INSTANT_MAX {
            let kind = self.core.tasks(|tasks| tasks.kind(key));
            let at = self.core.now();
            return Err(SimError::TooManyEventsAtOneInstant { kind, at, limit: STEPS_PER_INSTANT_MAX });
        }
        if self.daemon_steps > DAEMON_STEPS_MAX {
            self.daemon_steps = 0;
            if !self.core.has_timer_of_a_task() {
                return Err(self.stuck());
            }
        }
        if self.stop.is_requested() {
            self.after_stop += 1;
            if self.after_stop > STEPS_AFTER_STOP_MAX {
                return Err(SimError::Interrupted { at: self.core.now() });
            }
        }
        Ok(())
    }

    fn stuck(&self) -> SimError {
        let at = self.core.now();
        if self.stop.is_requested() {
            return SimError::Interrupted { at };
        }
        SimError::Stuck { kinds: self.core.tasks(|tasks| tasks.waiting_kinds()), at }
    }
}

// === impl Ending ===

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let core = self.0;
        core.begin_ending();
        let mut panic: Option<Box<dyn Any + Send>> = None;
        // A wait that was forgotten rather than dropped may still keep a waker.
        let futures = core.tasks(Tasks::take_futures);
        for future in futures {
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(future))) {
                panic.get_or_insert(payload);
            }
        }
        drop(core.take_wakers());
        core.end();
        // During another panic a second one would abort the process; the first says more anyway.
        if let Some(payload) = panic.filter(|_| !std::thread::panicking()) {
            resume_unwind(payload);
        }
    }
}
