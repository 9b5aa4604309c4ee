//! A handle's share of a simulation.

use std::future::Future;
use std::task::{Context, Poll};

use coldfront_clock::Instant;

use super::core::{CORE, Core};
use super::tasks::Key;
use crate::join::{JoinHandle, Joined};
use crate::sleep::Class;

/// The handle's share of a simulation: which run it belongs to, and the seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(super) run: u64,
    pub(super) seed: u64,
}

// === impl Token ===

impl Token {
    /// Runs `work` with the core of the handle's run.
    fn with<R>(self, work: impl FnOnce(&Core) -> R) -> R {
        CORE.with(|core| {
            assert!(
                core.run.get() == self.run,
                "this handle belongs to a simulation that has ended or runs on another thread"
            );
            work(core)
        })
    }

    /// Like [`Token::with`], but does nothing where the run is not: for calls from destructors.
    fn try_with(self, work: impl FnOnce(&Core)) {
        // The core may be gone already while its thread ends; then so is the run.
        let _ = CORE.try_with(|core| {
            if core.run.get() == self.run {
                work(core);
            }
        });
    }

    pub(crate) fn seed(self) -> u64 {
        self.seed
    }

    pub(crate) fn now(self) -> Instant {
        self.with(Core::now)
    }

    pub(crate) fn spawn<F>(self, kind: &'static str, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let (joined, state) = Joined::new(future, None);
        let key = self.with(|core| core.spawn(kind, false, Some(Box::pin(joined))));
        JoinHandle::in_sim(state, self, key, kind)
    }

    pub(crate) fn spawn_detached<F>(self, kind: &'static str, daemon: bool, future: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.with(|core| core.spawn(kind, daemon, Some(Box::pin(future))));
    }

    pub(crate) fn abort(self, key: Key) {
        self.try_with(|core| {
            core.tasks(|tasks| tasks.mark_aborted(key));
            core.wake(key);
        });
    }

    pub(crate) fn poll_sleep(self, at: Instant, class: Class, slot: &mut u32, cx: &Context<'_>) -> Poll<()> {
        self.with(|core| core.poll_sleep(at, class, slot, cx))
    }

    pub(crate) fn cancel_sleep(self, slot: u32) {
        self.try_with(|core| {
            let waker = core.timers.borrow_mut().release(slot);
            drop(waker);
        });
    }
}
