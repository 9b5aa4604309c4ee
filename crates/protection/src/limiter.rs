//! Limiters: who is let in, by rate.
//!
//! "At most N per window" has several meanings that differ by a factor of two and more. Each kind here states its own as a
//! law over *every* trailing window (t − per, t], which is what a downstream tier feels:
//!
//! | kind | most admitted in any trailing window |
//! |---|---|
//! | [`FixedWindow`] | 2 N, in two bursts around a boundary |
//! | [`SlidingWindow`] | N |
//! | [`SlidingWindowCounter`] | 2 N − 1 |
//! | [`TokenBucket`] | burst + rate × window |
//!
//! A decision costs a few nanoseconds and, once the log of a sliding window has grown to its size, allocates nothing. A
//! refusal carries the instant from which on a request would be admitted if nobody else came: that is where `Retry-After`
//! comes from. When the clock goes back, a limiter stays at the latest instant it has seen and mints nothing.

mod fixed_window;
mod sliding_window;
mod sliding_window_counter;
mod token_bucket;

pub use fixed_window::FixedWindow;
pub use sliding_window::SlidingWindow;
pub use sliding_window_counter::SlidingWindowCounter;
pub use token_bucket::TokenBucket;

use coldfront_clock::Instant;
use coldfront_scenarios::Limiter as LimiterSpec;
use std::time::Duration;

/// What a limiter says about one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is let in, and has been counted.
    Admitted,
    /// It is not, and nothing was counted.
    Refused {
        /// The earliest instant at which a request would be admitted if no other came before it.
        until: Instant,
    },
}

/// One of the limiters, dispatched by `match`: a decision needs neither allocation nor a virtual call.
#[derive(Clone, Debug)]
pub enum Limiter {
    /// See [`FixedWindow`].
    FixedWindow(FixedWindow),
    /// See [`SlidingWindow`].
    SlidingWindow(SlidingWindow),
    /// See [`SlidingWindowCounter`].
    SlidingWindowCounter(SlidingWindowCounter),
    /// See [`TokenBucket`].
    TokenBucket(TokenBucket),
}

// === impl Decision ===

impl Decision {
    /// Whether the request is let in.
    pub const fn is_admitted(self) -> bool {
        matches!(self, Self::Admitted)
    }

    /// How long after `now` a refused request could be admitted; `None` if it was admitted.
    pub const fn retry_after(self, now: Instant) -> Option<Duration> {
        match self {
            Self::Admitted => None,
            Self::Refused { until } => Some(until.since(now)),
        }
    }
}

// === impl Limiter ===

impl Limiter {
    /// A fresh limiter of this kind for a target that started at `start`.
    pub fn new(spec: &LimiterSpec, start: Instant) -> Self {
        match *spec {
            LimiterSpec::FixedWindow { limit, per } => Self::FixedWindow(FixedWindow::new(limit, per, start)),
            LimiterSpec::SlidingWindow { limit, per } => Self::SlidingWindow(SlidingWindow::new(limit, per)),
            LimiterSpec::SlidingWindowCounter { limit, per } => {
                Self::SlidingWindowCounter(SlidingWindowCounter::new(limit, per))
            }
            LimiterSpec::TokenBucket { rate, burst } => Self::TokenBucket(TokenBucket::new(rate, burst, start)),
        }
    }

    /// Decides about one request at `now`, and counts it if it is let in.
    pub fn decide(&mut self, now: Instant) -> Decision {
        match self {
            Self::FixedWindow(limiter) => limiter.decide(now),
            Self::SlidingWindow(limiter) => limiter.decide(now),
            Self::SlidingWindowCounter(limiter) => limiter.decide(now),
            Self::TokenBucket(limiter) => limiter.decide(now),
        }
    }

    /// The bound it is configured with: admissions per window, or the burst of a token bucket.
    pub const fn limit(&self) -> u32 {
        match self {
            Self::FixedWindow(limiter) => limiter.limit(),
            Self::SlidingWindow(limiter) => limiter.limit(),
            Self::SlidingWindowCounter(limiter) => limiter.limit(),
            Self::TokenBucket(limiter) => limiter.burst(),
        }
    }
}

#[cfg(test)]
mod tests;
