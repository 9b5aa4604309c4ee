//! Time as a number: nanoseconds since the run began.
//!
//! [`Instant`] is the one time type of coldfront. It is a plain count of nanoseconds from the run's time zero, the same in
//! both modes: in `sim` it is the virtual clock, in `live` the monotonic clock minus the moment the run began. That is why
//! `std::time::Instant` will not do: it cannot be made from a number, compared across runs, or serialised.
//!
//! Architecture invariant: this crate has no dependency, reads no clock and knows no run.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::time::Duration;

/// A moment of a run, in nanoseconds since its time zero.
///
/// Range: 0 to about 584 years. Arithmetic saturates at both ends, so a sum of long waits can never wrap into the past.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(u64);

impl Instant {
    /// The run's time zero.
    pub const ZERO: Self = Self(0);
    /// Later than every moment of a run: "never", as a deadline.
    pub const MAX: Self = Self(u64::MAX);

    /// The moment `nanos` nanoseconds after time zero.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// The moment `after` time zero; saturates at [`Instant::MAX`].
    pub const fn after_start(after: Duration) -> Self {
        Self(nanos_of(after))
    }

    /// Nanoseconds since time zero.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since time zero, for statistics and reports; exact to about 100 ns over a day.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// How long after `earlier` this moment is; zero if it is not after it.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// How long after time zero this moment is.
    pub const fn since_start(self) -> Duration {
        Duration::from_nanos(self.0)
    }
}

/// The whole nanoseconds of `duration`; saturates at `u64::MAX`.
pub const fn nanos_of(duration: Duration) -> u64 {
    let nanos = duration.as_nanos();
    if nanos > u64::MAX as u128 { u64::MAX } else { nanos as u64 }
}

// === impl Instant ===

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(nanos_of(duration)))
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl Sub<Duration> for Instant {
    type Output = Self;

    fn sub(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(nanos_of(duration)))
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "T+{:?}", self.since_start())
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.since_start())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_saturates_at_both_ends() {
        let second = Duration::from_secs(1);
        assert_eq!(Instant::ZERO - second, Instant::ZERO);
        assert_eq!(Instant::MAX + second, Instant::MAX);
        assert_eq!(Instant::ZERO.since(Instant::from_nanos(5)), Duration::ZERO);
        assert_eq!(Instant::after_start(Duration::MAX), Instant::MAX);
    }

    #[test]
    fn a_run_of_48_hours_keeps_every_nanosecond() {
        let end = Instant::ZERO + Duration::from_secs(48 * 3600) + Duration::from_nanos(1);
        assert_eq!(end.as_nanos(), 172_800_000_000_001);
        assert_eq!(end.since(Instant::after_start(Duration::from_secs(172_800))), Duration::from_nanos(1));
    }

    #[test]
    fn prints_as_a_time_after_zero() {
        assert_eq!(format!("{:?}", Instant::from_nanos(1_500_000)), "T+1.5ms");
        assert_eq!(Instant::from_nanos(2_000_000_000).to_string(), "2s");
    }
}
