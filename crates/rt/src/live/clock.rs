//! The monotonic clock and the origin that several runs share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use coldfront_clock::Instant;

/// The monotonic clock with a common time zero; clones share it, so their moments can be compared.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Time zero in the terms of [`monotonic_ns`].
    origin_ns: Arc<AtomicU64>,
}

// === impl Clock ===

impl Clock {
    /// A clock whose time zero is now.
    pub fn start() -> Self {
        Self { origin_ns: Arc::new(AtomicU64::new(monotonic_ns())) }
    }

    /// Moves time zero to now, for all clones: what was done before was preparation.
    ///
    /// Waits that are pending keep their moment, so they end as much later as the clock ran until now.
    pub fn restart(&self) {
        self.origin_ns.store(monotonic_ns(), Ordering::SeqCst);
    }

    /// The present moment. About 25 ns: no system call on Linux.
    pub fn now(&self) -> Instant {
        Instant::from_nanos(monotonic_ns().saturating_sub(self.origin_ns.load(Ordering::Relaxed)))
    }

    /// The moment in the terms of the system's monotonic clock, in nanoseconds.
    #[cfg(target_os = "linux")]
    pub(super) fn monotonic_ns_of(&self, at: Instant) -> u64 {
        self.origin_ns.load(Ordering::Relaxed).saturating_add(at.as_nanos())
    }
}

/// The system's monotonic clock, in nanoseconds since an origin of its own.
#[cfg(target_os = "linux")]
fn monotonic_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    u64::try_from(now.tv_sec).expect("the monotonic clock starts at boot") * 1_000_000_000 + now.tv_nsec as u64
}

/// The monotonic clock, in nanoseconds since this process first asked.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the real clock")]
fn monotonic_ns() -> u64 {
    static FIRST: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    coldfront_clock::nanos_of(FIRST.get_or_init(std::time::Instant::now).elapsed())
}
