//! The monotonic clock and the origin that several runs share.

use coldfront_clock::Instant;

/// The monotonic clock with a common time zero; clones share it, so their moments can be compared.
#[derive(Clone, Debug)]
pub struct Clock {
    #[cfg(target_os = "linux")]
    origin_ns: u64,
    #[cfg(not(target_os = "linux"))]
    origin: std::time::Instant,
}

// === impl Clock ===

#[cfg(target_os = "linux")]
impl Clock {
    /// A clock whose time zero is now.
    pub fn start() -> Self {
        Self { origin_ns: monotonic_ns() }
    }

    /// The present moment. About 25 ns: no system call.
    pub fn now(&self) -> Instant {
        Instant::from_nanos(monotonic_ns().saturating_sub(self.origin_ns))
    }

    /// The moment in the terms of the system's monotonic clock, in nanoseconds.
    pub(super) fn monotonic_ns_of(&self, at: Instant) -> u64 {
        self.origin_ns.saturating_add(at.as_nanos())
    }
}

#[cfg(target_os = "linux")]
fn monotonic_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    u64::try_from(now.tv_sec).expect("the monotonic clock starts at boot") * 1_000_000_000 + now.tv_nsec as u64
}

#[cfg(not(target_os = "linux"))]
impl Clock {
    /// A clock whose time zero is now.
    pub fn start() -> Self {
        Self { origin: std::time::Instant::now() }
    }

    /// The present moment.
    pub fn now(&self) -> Instant {
        Instant::after_start(self.origin.elapsed())
    }
}
