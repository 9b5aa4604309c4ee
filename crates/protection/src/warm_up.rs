//! The extra cost of a newly started tier, and how it decays.
//!
//! **Problem.** A fresh process is slow: classes are loaded, code is interpreted before it is compiled, pages fault.
//!
//! **Rule.** A call pays `extra`, scaled by what is left of the decay, which is linear either in the number of calls or in time
//! since the start.
//!
//! **Formula.** Call n (from 0): extra × (calls − n) / calls nanoseconds, rounded down, nothing from `calls` on. At t after
//! the start: extra × (time − t) / time, nothing from `time` on. Over all calls the first sums to extra × (calls + 1) / 2,
//! less the rounding.
//!
//! **Source.** A deliberate simplification of measured warm-up curves, which are steps (tiered compilation) on top of a decay;
//! linear keeps the total cost in closed form.
//!
//! **When it fails.** It says nothing about a process that becomes cold again by idling.

use coldfront_clock::{Instant, nanos_of};
use coldfront_scenarios::{ColdPenalty, Decay};
use std::time::Duration;

/// A decaying penalty and how far it has decayed.
#[derive(Clone, Debug)]
pub struct Penalty {
    spec: ColdPenalty,
    start: Instant,
    /// Calls that have paid.
    calls: u64,
}

impl Penalty {
    /// The penalty of a tier that started at `start`.
    pub const fn new(spec: ColdPenalty, start: Instant) -> Self {
        Self { spec, start, calls: 0 }
    }

    /// What a call at `now` pays; it counts as a call.
    pub fn pay(&mut self, now: Instant) -> Duration {
        let (whole, gone) = match self.spec.decay {
            Decay::Calls(calls) => (calls, self.calls),
            Decay::Time(time) => (nanos_of(time), nanos_of(now.since(self.start))),
        };
        self.calls = self.calls.saturating_add(1);
        if gone >= whole {
            return Duration::ZERO;
        }
        let extra = u128::from(nanos_of(self.spec.extra)) * u128::from(whole - gone) / u128::from(whole);
        Duration::from_nanos(extra as u64)
    }

    /// Whether no later call will pay anything.
    pub fn is_over(&self, now: Instant) -> bool {
        match self.spec.decay {
            Decay::Calls(calls) => self.calls >= calls,
            Decay::Time(time) => now.since(self.start) >= time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXTRA: Duration = Duration::from_millis(10);

    fn at(millis: u64) -> Instant {
        Instant::after_start(Duration::from_millis(millis))
    }

    #[test]
    fn it_decays_with_calls() {
        let mut penalty = Penalty::new(ColdPenalty { extra: EXTRA, decay: Decay::Calls(4) }, at(0));
        let paid: Vec<u128> = (0..6).map(|_| penalty.pay(at(0)).as_micros()).collect();
        assert_eq!(paid, [10_000, 7_500, 5_000, 2_500, 0, 0]);
        assert!(penalty.is_over(at(0)));
    }

    #[test]
    fn it_decays_with_time_since_the_start() {
        let spec = ColdPenalty { extra: EXTRA, decay: Decay::Time(Duration::from_secs(1)) };
        let mut penalty = Penalty::new(spec, at(500));
        let paid = [0, 500, 750, 1499, 1500, 9000].map(|millis| penalty.pay(at(millis)).as_micros());
        assert_eq!(paid, [10_000, 10_000, 7_500, 10, 0, 0]);
        assert!(!penalty.is_over(at(1499)) && penalty.is_over(at(1500)));
    }

    #[test]
    fn a_decay_of_nothing_costs_nothing() {
        for decay in [Decay::Calls(0), Decay::Time(Duration::ZERO)] {
            assert_eq!(Penalty::new(ColdPenalty { extra: EXTRA, decay }, at(0)).pay(at(0)), Duration::ZERO);
        }
    }

    #[test]
    fn the_longest_penalty_does_not_overflow() {
        let spec = ColdPenalty { extra: Duration::MAX, decay: Decay::Calls(u64::MAX) };
        assert_eq!(Penalty::new(spec, at(0)).pay(at(0)), Duration::from_nanos(u64::MAX));
    }
}
