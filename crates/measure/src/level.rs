//! A gauge over a scope: min, max, last and time-weighted mean, with the level carried in from before.
//!
//! A level holds from its report to the next one. The scope (a, b] sees the level that holds just after a (the last report at
//! or before a), every report in (a, b], and nothing later. Before its first report a gauge has no level: that time counts
//! neither in the mean nor as zero. Several reports of one instant all count for min and max; they weigh nothing in the mean.

use crate::bounds::{Bounds, Extremes};
use serde::{Deserialize, Serialize};

/// What a gauge did over a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LevelSummary {
    /// Smallest and largest level; `None`: no level was reported in or before the scope.
    pub extremes: Option<Extremes>,
    /// The level at the scope's end.
    pub last: u64,
    /// ∫ level dt in level × nanoseconds, over the time with a known level.
    #[serde(with = "crate::encoding::text")]
    pub integral: u128,
    /// How long a level was known, in nanoseconds.
    pub known_ns: u64,
}

/// Accumulates a [`LevelSummary`] over (from, to].
#[derive(Clone, Debug)]
pub(crate) struct LevelCell {
    from: u64,
    to: u64,
    /// Smallest and largest so far.
    range: Option<(u64, u64)>,
    integral: u128,
    known_ns: u64,
    last: u64,
}

/// One gauge's level and since when it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Held {
    pub(crate) level: u64,
    pub(crate) since: u64,
}

// === impl ===

impl LevelSummary {
    /// The time-weighted mean level; of a level known for no time, the level itself. `None` if none is known.
    pub fn mean(&self) -> Option<f64> {
        self.extremes?;
        Some(if self.known_ns == 0 { self.last as f64 } else { self.integral as f64 / self.known_ns as f64 })
    }

    /// Adds a gauge that measures another part of the same thing: means and last levels add, extremes become bounds.
    pub(crate) fn merge(&mut self, other: &Self) {
        match (self.extremes, other.extremes) {
            (_, None) => {}
            (None, Some(_)) => *self = *other,
            (Some(mine), Some(theirs)) => {
                self.extremes = Some(mine.plus(theirs));
                self.last += other.last;
                self.integral += other.integral;
                self.known_ns = self.known_ns.max(other.known_ns);
            }
        }
    }
}

impl LevelCell {
    pub(crate) const fn new(from: u64, to: u64) -> Self {
        Self { from, to, range: None, integral: 0, known_ns: 0, last: 0 }
    }

    /// The level `held` ended at `at`.
    pub(crate) fn leave(&mut self, held: Held, at: u64) {
        let start = held.since.max(self.from);
        let end = at.min(self.to);
        if end > start {
            self.integral += u128::from(held.level) * u128::from(end - start);
            self.known_ns += end - start;
            self.see(held.level);
        }
    }

    /// A new level came at `at`.
    pub(crate) fn enter(&mut self, level: u64, at: u64) {
        if at > self.from && at <= self.to {
            self.see(level);
        }
    }

    fn see(&mut self, level: u64) {
        let (min, max) = self.range.unwrap_or((level, level));
        self.range = Some((min.min(level), max.max(level)));
        self.last = level;
    }

    /// Ends at `end`, with the level that holds then.
    pub(crate) fn finish(mut self, held: Option<Held>, end: u64) -> LevelSummary {
        if let Some(held) = held {
            self.leave(held, end);
        }
        let exact = |(min, max)| Extremes { min: Bounds::exact(min), max: Bounds::exact(max) };
        LevelSummary {
            extremes: self.range.map(exact),
            last: self.last,
            integral: self.integral,
            known_ns: self.known_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Feeds reports (time, level) the way the recorder does.
    fn summary(reports: &[(u64, u64)], from: u64, to: u64, end: u64) -> LevelSummary {
        let mut cell = LevelCell::new(from, to);
        let mut held: Option<Held> = None;
        for &(at, level) in reports {
            if let Some(held) = held {
                cell.leave(held, at);
            }
            cell.enter(level, at);
            held = Some(Held { level, since: at });
        }
        cell.finish(held, end)
    }

    fn range(of: LevelSummary) -> Option<(u64, u64)> {
        of.extremes.map(|extremes| (extremes.min.low, extremes.max.high))
    }

    #[test]
    fn the_level_from_before_the_scope_is_carried_in() {
        let summary = summary(&[(0, 5)], 10, 20, 100);
        assert_eq!((range(summary), summary.last, summary.mean()), (Some((5, 5)), 5, Some(5.0)));
    }

    #[test]
    fn a_report_at_the_start_is_carried_in_and_hides_the_one_before() {
        assert_eq!(range(summary(&[(0, 9), (10, 5)], 10, 20, 100)), Some((5, 5)));
    }

    #[test]
    fn a_report_at_the_end_belongs_to_the_scope() {
        let summary = summary(&[(0, 1), (20, 7), (21, 9)], 10, 20, 100);
        assert_eq!((range(summary), summary.last, summary.mean()), (Some((1, 7)), 7, Some(1.0)));
    }

    #[test]
    fn the_mean_weighs_by_time_and_leaves_out_what_is_unknown() {
        assert_eq!(summary(&[(10, 0), (13, 10)], 10, 20, 100).mean(), Some(7.0));
        assert_eq!(summary(&[(15, 4)], 10, 20, 100).mean(), Some(4.0));
    }

    #[test]
    fn every_report_of_an_instant_counts_for_the_extremes() {
        let summary = summary(&[(0, 1), (15, 8), (15, 2)], 10, 20, 100);
        assert_eq!((range(summary), summary.mean()), (Some((1, 8)), Some(1.5)));
    }

    #[test]
    fn no_report_is_no_level() {
        assert_eq!(summary(&[], 10, 20, 100).mean(), None);
        assert_eq!(summary(&[(21, 3)], 10, 20, 100).mean(), None);
    }

    #[test]
    fn an_open_scope_ends_with_the_run() {
        let summary = summary(&[(0, 2), (10, 4)], 0, u64::MAX, 20);
        assert_eq!((summary.mean(), summary.known_ns), (Some(3.0), 20));
    }

    proptest! {
        #[test]
        fn it_equals_looking_at_every_moment(
            mut reports in proptest::collection::vec((0_u64..60, 0_u64..10), 0..20),
            from in 0_u64..40,
            length in 1_u64..30,
        ) {
            reports.sort_by_key(|report| report.0);
            let to = from + length;
            // The level of each unit of time (k, k + 1] is the last report at or before k.
            let level_at = |k: u64| reports.iter().rev().find(|report| report.0 <= k).map(|report| report.1);
            let units: Vec<u64> = (from..to).filter_map(level_at).collect();
            let reported = reports.iter().filter(|report| report.0 > from && report.0 <= to).map(|report| report.1);
            let seen: Vec<u64> = units.iter().copied().chain(reported).collect();
            let summary = summary(&reports, from, to, 1000);
            let expected = seen.iter().min().copied().zip(seen.iter().max().copied());
            prop_assert_eq!(range(summary), expected);
            prop_assert_eq!(summary.integral, u128::from(units.iter().sum::<u64>()));
            prop_assert_eq!(summary.known_ns, units.len() as u64);
            if let Some(last) = level_at(to) {
                prop_assert_eq!(summary.last, last);
            }
        }
    }
}
