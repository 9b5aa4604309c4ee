//! The request to stop a run early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// A switch that asks a run to end early and gracefully; it is never reset.
///
/// All clones are one switch. It works in both modes and across threads: a signal-handling thread may call
/// [`Stop::request`] (a signal handler itself may not: waking takes a lock).
#[derive(Clone, Debug, Default)]
pub struct Stop {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    requested: AtomicBool,
    waiting: Notify,
}

// === impl Stop ===

impl Stop {
    /// A switch that has not been requested.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the run to stop, and wakes everyone in [`Stop::requested`]. Further calls do nothing.
    pub fn request(&self) {
        if !self.shared.requested.swap(true, Ordering::SeqCst) {
            self.shared.waiting.notify_waiters();
        }
    }

    /// Whether the run was asked to stop.
    pub fn is_requested(&self) -> bool {
        self.shared.requested.load(Ordering::Relaxed)
    }

    /// Completes when the run is asked to stop; at once if it was already.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping it.
    pub async fn requested(&self) {
        let mut notified = std::pin::pin!(self.shared.waiting.notified());
        // Listed before the flag is read, so that a request in between is not missed.
        notified.as_mut().enable();
        if !self.shared.requested.load(Ordering::SeqCst) {
            notified.await;
        }
    }
}
