//! Two counters that stand in for a log.
//!
//! **Problem.** A log costs memory per admission; a fixed window lets 2 N through.
//!
//! **Rule.** Windows of `per` nanoseconds are aligned to the run's clock. With `previous` admissions in the last window,
//! `current` in the present one and f the elapsed fraction of the present one, the trailing window is estimated as
//! previous × (1 − f) + current, and a request is admitted iff the estimate plus itself is at most N.
//!
//! **Formula.** With e elapsed nanoseconds: previous × (per − e) + (current + 1) × per ≤ N × per, in integers, exactly. A
//! refusal holds until e ≥ per − ⌊(N − current − 1) × per / previous⌋.
//!
//! **Law.** 100 at 0.9 s and 100 more at 1.1 s with N = 100 per second: the estimate is 90, 10 are admitted. The worst
//! trailing window holds 2 N − 1: N at the end of one window, the rest as f goes to 1.
//!
//! **Source.** The estimate of pingora's `pingora-limits` rate counter (red and blue slots, proportional rate).
//!
//! **When it fails.** The estimate assumes that the previous window's arrivals were spread evenly; a burst at its end is
//! undercounted, by up to N − 1. With N = 1 two admissions lie at least one whole window apart, up to almost two.

use super::Decision;
use crate::exact::divide_floor;
use coldfront_clock::{Instant, nanos_of};
use std::time::Duration;

/// A sliding-window counter. Memory: constant.
#[derive(Clone, Debug)]
pub struct SlidingWindowCounter {
    limit: u32,
    per: u64,
    /// Start of the present window, a multiple of `per`.
    begin: u64,
    previous: u32,
    current: u32,
    latest: u64,
}

impl SlidingWindowCounter {
    /// Estimates at most `limit` (at least 1) per trailing window of `per` (above zero).
    pub fn new(limit: u32, per: Duration) -> Self {
        let per = nanos_of(per).max(1);
        Self { limit: limit.max(1), per, begin: 0, previous: 0, current: 0, latest: 0 }
    }

    /// The estimate's bound.
    pub const fn limit(&self) -> u32 {
        self.limit
    }

    /// Decides about one request at `now`. An instant before the latest one seen counts as the latest.
    pub fn decide(&mut self, now: Instant) -> Decision {
        self.latest = self.latest.max(now.as_nanos());
        self.roll();
        let per = u128::from(self.per);
        let left = u128::from(self.begin.saturating_add(self.per).saturating_sub(self.latest));
        let wanted = u128::from(self.previous) * left + (u128::from(self.current) + 1) * per;
        if wanted <= u128::from(self.limit) * per {
            self.current += 1;
            return Decision::Admitted;
        }
        Decision::Refused { until: Instant::from_nanos(self.until()) }
    }

    /// Moves on to the window that holds the latest instant.
    fn roll(&mut self) {
        let elapsed = self.latest - self.begin;
        if elapsed < self.per {
            return;
        }
        let windows = elapsed / self.per;
        self.previous = if windows == 1 { self.current } else { 0 };
        self.current = 0;
        self.begin += windows * self.per;
    }

    /// When the next request would be admitted, after one was refused.
    fn until(&self) -> u64 {
        let next = self.begin.saturating_add(self.per);
        if self.current < self.limit {
            self.begin.saturating_add(self.needed_elapsed(self.previous, self.current))
        } else {
            next.saturating_add(self.needed_elapsed(self.current, 0))
        }
    }

    /// Nanoseconds into a window after which a request passes, for these counts; `current` is below the limit.
    fn needed_elapsed(&self, previous: u32, current: u32) -> u64 {
        if previous == 0 {
            return 0;
        }
        let room = u128::from(self.limit - current - 1) * u128::from(self.per);
        self.per.saturating_sub(divide_floor(room, u128::from(previous)))
    }
}
