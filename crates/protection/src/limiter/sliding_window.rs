//! A log of admissions: the strict limiter.
//!
//! **Problem.** Windows that are aligned to a clock let twice the limit through around a boundary.
//!
//! **Rule.** A request at t is admitted iff fewer than `limit` were admitted in (t − per, t].
//!
//! **Formula.** Only the N-th last admission matters: if it happened at a, a request at t is admitted iff a + per ≤ t, and a
//! refusal holds until a + per. So the log is a ring of N instants and a decision is one comparison.
//!
//! **Law.** Never more than N in any trailing window. It is the oracle for the other limiters.
//!
//! **Source.** The sliding log; asked for in public as tower issue 842.
//!
//! **When it fails.** Memory is 8 bytes × N; and a burst of N is still let in at one instant, after which nothing is until the
//! window has passed: the output is as bursty as the input.

use super::Decision;
use coldfront_clock::{Instant, nanos_of};
use std::time::Duration;

/// Capacity that the ring starts with at most, so that an absurd limit does not allocate before it is used.
const INITIAL_CAPACITY: u32 = 65_536;

/// A sliding-window log. Memory: 8 bytes per admission, at most `limit` of them.
#[derive(Clone, Debug)]
pub struct SlidingWindow {
    limit: u32,
    per: u64,
    /// The last admissions; a ring once there are `limit` of them.
    log: Vec<u64>,
    /// Where the ring's oldest admission is.
    oldest: usize,
    latest: u64,
}

impl SlidingWindow {
    /// At most `limit` (at least 1) in any trailing window of `per` (above zero).
    pub fn new(limit: u32, per: Duration) -> Self {
        let limit = limit.max(1);
        let log = Vec::with_capacity(limit.min(INITIAL_CAPACITY) as usize);
        Self { limit, per: nanos_of(per).max(1), log, oldest: 0, latest: 0 }
    }

    /// Admissions per trailing window.
    pub const fn limit(&self) -> u32 {
        self.limit
    }

    /// Decides about one request at `now`. An instant before the latest one seen counts as the latest.
    pub fn decide(&mut self, now: Instant) -> Decision {
        self.latest = self.latest.max(now.as_nanos());
        if self.log.len() < self.limit as usize {
            self.log.push(self.latest);
            return Decision::Admitted;
        }
        let oldest = &mut self.log[self.oldest];
        let until = oldest.saturating_add(self.per);
        if self.latest < until {
            return Decision::Refused { until: Instant::from_nanos(until) };
        }
        *oldest = self.latest;
        self.oldest = if self.oldest + 1 == self.log.len() { 0 } else { self.oldest + 1 };
        Decision::Admitted
    }
}
