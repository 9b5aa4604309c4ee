//! What one accumulator found.

use crate::bounds::Extremes;
use crate::cells::Split;
use crate::level::LevelSummary;
use crate::plan::{Cell, Shape};
use coldfront_scenarios::Kind;
use serde::{Deserialize, Serialize};

/// A measurement over a scope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Measurement {
    /// Events of a counter.
    Count {
        /// How many.
        count: u64,
    },
    /// Values of a histogram.
    Distribution(Split),
    /// Levels of a gauge.
    Level(LevelSummary),
    /// Trailing windows of a counter.
    Trailing(TrailingSummary),
    /// The windows of a recovery.
    Windows(WindowValues),
    /// It cannot be measured.
    Unsupported {
        /// Why.
        reason: String,
    },
}

/// The smallest and largest number of events in trailing windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrailingSummary {
    /// What was found; `None`: the window is longer than the scope.
    pub extremes: Option<Extremes>,
    /// The memory bound was reached: more distinct instants in a window, or more requests behind an unanswered one, than
    /// there is room for.
    pub is_given_up: bool,
    /// Events that came with a time before an earlier one's; the extremes are not exact then.
    pub disordered: u64,
}

/// One value for each window of a recovery.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowValues {
    /// The scope's start, in nanoseconds after time zero.
    pub from_ns: u64,
    /// A window's length in nanoseconds. Window k covers (from + k·per, from + (k + 1)·per].
    pub per_ns: u64,
    /// The statistic of each whole window: a count, nanoseconds, or a level; `None`: nothing to measure in it.
    pub values: Vec<Option<f64>>,
    /// The memory bound was reached and some values are missing.
    pub is_given_up: bool,
    /// Whether values of two recordings add (counts and levels) or the larger one stands as a bound (durations).
    pub adds: bool,
    /// Some values are upper bounds: both of two merged recordings had values in a window.
    pub is_bound: bool,
}

// === impl ===

impl Measurement {
    pub(crate) fn windows(cell: &Cell, values: Vec<Option<f64>>, is_given_up: bool) -> Self {
        let Shape::Tiles { per, .. } = cell.shape else { unreachable!("windows come from tiles") };
        let adds = cell.series.kind() != Kind::Histogram;
        Self::Windows(WindowValues { from_ns: cell.from, per_ns: per, values, is_given_up, adds, is_bound: false })
    }

    /// Adds another recording's part of the same measurement; `None` if it is of another kind.
    pub(crate) fn merge(&mut self, other: &Self) -> Option<()> {
        match (self, other) {
            (Self::Count { count }, Self::Count { count: other }) => *count += other,
            (Self::Distribution(mine), Self::Distribution(theirs)) => mine.merge(theirs),
            (Self::Level(mine), Self::Level(theirs)) => mine.merge(theirs),
            (Self::Trailing(mine), Self::Trailing(theirs)) => mine.merge(theirs),
            (Self::Windows(mine), Self::Windows(theirs)) => mine.merge(theirs),
            (Self::Unsupported { .. }, Self::Unsupported { .. }) => {}
            _ => return None,
        }
        Some(())
    }
}

impl TrailingSummary {
    pub(crate) fn merge(&mut self, other: &Self) {
        self.extremes = match (self.extremes, other.extremes) {
            (Some(mine), Some(theirs)) => Some(mine.plus(theirs)),
            (mine, theirs) => mine.or(theirs),
        };
        self.is_given_up |= other.is_given_up;
        self.disordered += other.disordered;
    }
}

impl WindowValues {
    fn merge(&mut self, other: &Self) {
        if other.values.len() > self.values.len() {
            self.values.resize(other.values.len(), None);
        }
        for (mine, theirs) in self.values.iter_mut().zip(&other.values) {
            *mine = match (*mine, *theirs) {
                (Some(mine), Some(theirs)) if self.adds => Some(mine + theirs),
                (Some(mine), Some(theirs)) => {
                    self.is_bound = true;
                    Some(mine.max(theirs))
                }
                (mine, theirs) => mine.or(theirs),
            };
        }
        self.is_given_up |= other.is_given_up;
        self.is_bound |= other.is_bound;
    }
}
