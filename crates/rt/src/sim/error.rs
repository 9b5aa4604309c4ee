//! Why a simulation ended without its main future.

use coldfront_clock::Instant;

/// Why a simulation ended before its main future did.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// Nothing is runnable and no timer is set that could change that (the timers of daemons apart): a hang in real life.
    #[error("stuck at {at}: {} wait for what cannot come", kinds.join(", "))]
    Stuck {
        /// What waits: the kinds of the tasks that are left, each once, in the order of their first spawn; `"main"` is the
        /// main future.
        kinds: Vec<&'static str>,
        /// When.
        at: Instant,
    },
    /// The run was asked to stop, and the main future did not end by itself within a bounded number of steps.
    #[error("interrupted at {at}")]
    Interrupted {
        /// The virtual time reached.
        at: Instant,
    },
    /// Tasks keep each other busy and time does not pass: a live-lock.
    #[error("more than {limit} steps at {at} without time passing, the last by {kind}")]
    TooManyEventsAtOneInstant {
        /// The kind of the task that was polled last.
        kind: &'static str,
        /// The instant that does not end.
        at: Instant,
        /// How many steps one instant may take.
        limit: u64,
    },
    /// The calling thread is inside a tokio runtime, whose budget for cooperation silently defers wake-ups.
    #[error("a simulation cannot run inside a tokio runtime; start it on a plain thread")]
    InsideTokio,
    /// The calling thread already runs a simulation.
    #[error("a simulation cannot run inside another one")]
    Nested,
}
