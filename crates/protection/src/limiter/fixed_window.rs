//! A counter per aligned window.
//!
//! **Problem.** A tier must not be asked for more than it can do per unit of time, and the check must be as cheap as can be.
//!
//! **Rule.** Time is cut into windows of `per` nanoseconds from the target's start: window k is [start + k·per,
//! start + (k + 1)·per). A request is admitted iff fewer than `limit` were admitted in its window.
//!
//! **Law.** At most N per aligned window. In a trailing window it is 2 N: with N = 100, 200 in one millisecond across a
//! boundary. A refusal holds until the window's end.
//!
//! **Source.** The `INCR` and `EXPIRE` limiter of every key-value store; `limit::rate` of tower cuts its windows from the first
//! request after expiry instead, which keeps the law and moves the boundaries.
//!
//! **When it fails.** Clients that retry at the boundary, as `Retry-After` tells them to, arrive together: the boundary burst
//! is not an accident of phase but what the limiter itself produces.

use super::Decision;
use coldfront_clock::{Instant, nanos_of};
use std::time::Duration;

/// A fixed-window counter. Memory: constant.
#[derive(Clone, Debug)]
pub struct FixedWindow {
    limit: u32,
    per: u64,
    /// End of the present window, exclusive.
    end: u64,
    used: u32,
}

impl FixedWindow {
    /// At most `limit` (at least 1) per window of `per` (above zero), windows counted from `start`.
    pub fn new(limit: u32, per: Duration, start: Instant) -> Self {
        let per = nanos_of(per).max(1);
        Self { limit: limit.max(1), per, end: start.as_nanos().saturating_add(per), used: 0 }
    }

    /// Admissions per window.
    pub const fn limit(&self) -> u32 {
        self.limit
    }

    /// Decides about one request at `now`. An instant before the present window counts in the present one.
    pub fn decide(&mut self, now: Instant) -> Decision {
        let now = now.as_nanos();
        if now >= self.end {
            let windows = (now - self.end) / self.per + 1;
            self.end = self.end.saturating_add(windows.saturating_mul(self.per));
            self.used = 0;
        }
        if self.used < self.limit {
            self.used += 1;
            Decision::Admitted
        } else {
            Decision::Refused { until: Instant::from_nanos(self.end) }
        }
    }
}
