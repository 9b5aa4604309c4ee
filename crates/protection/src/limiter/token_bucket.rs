//! A bucket that refills continuously.
//!
//! **Problem.** A tier can take a short burst, and a steady rate after it.
//!
//! **Rule.** The bucket holds at most `burst` tokens and starts full; `rate` tokens per second flow in; a request takes one,
//! or is refused if less than one whole token is there.
//!
//! **Formula.** tokens(t) = min(burst, tokens(s) + rate × (t − s)). The rate is taken to the nearest 10⁻⁹ per second once, at
//! construction; from then on everything is an integer: with R = rate × 10⁹ and g = gcd(R, 10¹⁸), a token is 10¹⁸ / g units and
//! R / g units flow in per nanosecond. Nothing is ever rounded, so nothing drifts. A refusal holds until
//! t + ⌈missing units / units per nanosecond⌉.
//!
//! **Law.** In any window W: at most burst + rate × W. After idling for burst / rate: exactly `burst` at once.
//!
//! **Source.** The classical token bucket, as in Go's `x/time/rate`; that package's issue 56287 shows how a clock that goes
//! back can mint tokens, which this one does not.
//!
//! **When it fails.** It admits a full burst into a tier that has just started: a bucket that starts full protects against
//! floods, not against cold.

use super::Decision;
use crate::exact::{divide_ceil, greatest_common_divisor};
use coldfront_clock::Instant;
use std::time::Duration;

/// Units of a token before the fraction is reduced: 10⁹ (rate grid) × 10⁹ (nanoseconds).
const UNITS: u128 = 1_000_000_000_000_000_000;

/// A token bucket in exact integers. Memory: constant.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    burst: u32,
    units_per_token: u128,
    units_per_nanosecond: u128,
    /// Units in a full bucket.
    full: u128,
    /// Nanoseconds after which an empty bucket is full.
    full_after: u64,
    units: u128,
    latest: u64,
}

impl TokenBucket {
    /// A full bucket of `burst` tokens (at least 1) at `start`, refilled at `rate` tokens per second (above zero; below 10⁻⁹
    /// it is taken as 10⁻⁹, above 10¹² as 10¹²).
    pub fn new(rate: f64, burst: u32, start: Instant) -> Self {
        let rate = (rate.clamp(1e-9, 1e12) * 1e9).round() as u128;
        let divisor = greatest_common_divisor(rate, UNITS);
        let (units_per_token, units_per_nanosecond) = (UNITS / divisor, rate / divisor);
        let burst = burst.max(1);
        let full = units_per_token * u128::from(burst);
        let full_after = divide_ceil(full, units_per_nanosecond);
        let latest = start.as_nanos();
        Self { burst, units_per_token, units_per_nanosecond, full, full_after, units: full, latest }
    }

    /// The bucket's capacity in tokens.
    pub const fn burst(&self) -> u32 {
        self.burst
    }

    /// How long an empty bucket takes to fill, rounded up to a nanosecond.
    pub const fn fill_time(&self) -> Duration {
        Duration::from_nanos(self.full_after)
    }

    /// Decides about one request at `now`. An instant before the latest one seen counts as the latest.
    pub fn decide(&mut self, now: Instant) -> Decision {
        self.refill(now.as_nanos());
        if self.units >= self.units_per_token {
            self.units -= self.units_per_token;
            return Decision::Admitted;
        }
        let wait = divide_ceil(self.units_per_token - self.units, self.units_per_nanosecond);
        Decision::Refused { until: Instant::from_nanos(self.latest) + Duration::from_nanos(wait) }
    }

    fn refill(&mut self, now: u64) {
        let elapsed = now.saturating_sub(self.latest);
        if elapsed == 0 {
            return;
        }
        self.latest = now;
        if elapsed >= self.full_after {
            self.units = self.full;
        } else {
            self.units = self.full.min(self.units + self.units_per_nanosecond * u128::from(elapsed));
        }
    }
}
