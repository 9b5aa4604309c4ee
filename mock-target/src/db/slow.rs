//! A database that is slow for a while.

use crate::law::whole_nanos;
use coldfront_clock::{Instant, nanos_of};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Multiplies the time of queries that start within a span; those that run already are left alone.
#[derive(Debug)]
pub(super) struct Slow {
    /// Bits of the factor.
    factor: AtomicU64,
    /// First nanosecond at which it no longer applies.
    until: AtomicU64,
}

impl Slow {
    pub(super) const fn new() -> Self {
        Self { factor: AtomicU64::new(0), until: AtomicU64::new(0) }
    }

    /// `factor` for queries that start in [now, now + lasting); `None`: from now on.
    pub(super) fn set(&self, now: Instant, factor: f64, lasting: Option<Duration>) {
        let until = lasting.map_or(Instant::MAX, |lasting| now + lasting);
        self.factor.store(factor.max(0.0).to_bits(), Ordering::Relaxed);
        self.until.store(until.as_nanos(), Ordering::Relaxed);
    }

    /// What a query of `time` that starts at `now` takes.
    pub(super) fn stretch(&self, now: Instant, time: Duration) -> Duration {
        if now.as_nanos() >= self.until.load(Ordering::Relaxed) {
            return time;
        }
        whole_nanos(nanos_of(time) as f64 * f64::from_bits(self.factor.load(Ordering::Relaxed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_slow_from_its_start_and_no_longer_at_its_end() {
        let at = |millis| Instant::after_start(Duration::from_millis(millis));
        let time = Duration::from_millis(4);
        let slow = Slow::new();
        assert_eq!(slow.stretch(at(0), time), time);
        slow.set(at(1000), 2.5, Some(Duration::from_secs(1)));
        assert_eq!(slow.stretch(at(1000), time), Duration::from_millis(10));
        assert_eq!(slow.stretch(at(1999), time), Duration::from_millis(10));
        assert_eq!(slow.stretch(at(2000), time), time);
        slow.set(at(3000), 3.0, None);
        assert_eq!(slow.stretch(at(1_000_000), time), Duration::from_millis(12));
    }
}
