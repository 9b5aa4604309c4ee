//! The accumulators of a plan while the run goes on.

use crate::distribution::{Detail, Distribution};
use crate::level::{Held, LevelCell};
use crate::plan::{Cell, Shape};
use crate::recording::Measurement;
use crate::tiles::{CountTiles, LevelTiles, SampleTiles, Tiling};
use crate::trailing::Trailing;
use coldfront_scenarios::Kind;
use serde::{Deserialize, Serialize};

/// One accumulator.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    Count(u64),
    Distribution(Box<Split>),
    Level(LevelCell),
    Trailing(Box<Trailing>),
    CountTiles(CountTiles),
    SampleTiles(Box<SampleTiles>),
    LevelTiles(Box<LevelTiles>),
    Unsupported(&'static str),
}

/// A distribution beside the exact numbers of values at and below a bound.
///
/// With them a bound on a quantile is decided exactly: a histogram's bucket cannot fail what is just within it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Split {
    pub(crate) distribution: Distribution,
    pub(crate) bound_ns: Option<u64>,
    pub(crate) at_most: u64,
    pub(crate) below: u64,
}

// === impl Slot ===

impl Slot {
    pub(crate) fn new(cell: &Cell) -> Self {
        let tiling = |per| Tiling { from: cell.from, to: cell.to, per };
        match &cell.shape {
            Shape::Count => Self::Count(0),
            Shape::Distribution { has_quantiles, bound } => {
                Self::Distribution(Box::new(Split::new(*has_quantiles, *bound)))
            }
            Shape::Level => Self::Level(LevelCell::new(cell.from, cell.to)),
            Shape::Trailing { per, capacity } => {
                Self::Trailing(Box::new(Trailing::new(cell.from, cell.to, *per, *capacity)))
            }
            Shape::Tiles { per, statistic, capacity } => match cell.series.kind() {
                Kind::Counter => Self::CountTiles(CountTiles::new(tiling(*per))),
                Kind::Gauge => Self::LevelTiles(Box::new(LevelTiles::new(tiling(*per), *statistic))),
                Kind::Histogram => Self::SampleTiles(Box::new(SampleTiles::new(tiling(*per), *statistic, *capacity))),
            },
            Shape::Unsupported(reason) => Self::Unsupported(reason),
        }
    }

    /// `n` events at a time within the cell's scope.
    pub(crate) fn count(&mut self, at: u64, n: u64) {
        match self {
            Self::Count(count) => *count += n,
            Self::Trailing(trailing) => trailing.record(at, n),
            Self::CountTiles(tiles) => tiles.record(at, n),
            _ => {}
        }
    }

    /// A value at a time within the cell's scope.
    pub(crate) fn value(&mut self, at: u64, value: u64) {
        match self {
            Self::Distribution(split) => split.record(value),
            Self::SampleTiles(tiles) => tiles.record(at, value),
            _ => {}
        }
    }

    /// A gauge goes from `held` to `level`.
    pub(crate) fn level(&mut self, held: Option<Held>, at: u64, level: u64) {
        match self {
            Self::Level(cell) => {
                if let Some(held) = held {
                    cell.leave(held, at);
                }
                cell.enter(level, at);
            }
            Self::LevelTiles(tiles) => {
                tiles.leave(held, at);
                tiles.enter(level, at);
            }
            _ => {}
        }
    }

    /// No value comes any more with a time before `watermark`.
    pub(crate) fn settle(&mut self, watermark: u64) {
        if let Self::SampleTiles(tiles) = self {
            tiles.settle(watermark);
        }
    }

    /// Ends at `end`; `held` is the gauge's level then.
    pub(crate) fn finish(self, cell: &Cell, held: Option<Held>, end: u64) -> Measurement {
        let windows = |(values, is_given_up)| Measurement::windows(cell, values, is_given_up);
        match self {
            Self::Count(count) => Measurement::Count { count },
            Self::Distribution(split) => Measurement::Distribution(split.closed()),
            Self::Level(level) => Measurement::Level(level.finish(held, end)),
            Self::Trailing(trailing) => Measurement::Trailing(trailing.finish(end)),
            Self::CountTiles(tiles) => windows(tiles.finish(end)),
            Self::SampleTiles(tiles) => windows(tiles.finish(end)),
            Self::LevelTiles(tiles) => windows(tiles.finish(held, end)),
            Self::Unsupported(reason) => Measurement::Unsupported { reason: reason.to_owned() },
        }
    }
}

// === impl Split ===

impl Split {
    fn new(has_quantiles: bool, bound_ns: Option<u64>) -> Self {
        let detail = if has_quantiles { Detail::Quantiles } else { Detail::Moments };
        Self { distribution: Distribution::new(detail), bound_ns, at_most: 0, below: 0 }
    }

    fn record(&mut self, value: u64) {
        self.distribution.record(value);
        if let Some(bound) = self.bound_ns {
            self.at_most += u64::from(value <= bound);
            self.below += u64::from(value < bound);
        }
    }

    fn closed(mut self) -> Self {
        self.distribution.close();
        self
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.distribution.merge(&other.distribution);
        self.at_most += other.at_most;
        self.below += other.below;
    }

    /// The distribution.
    pub const fn distribution(&self) -> &Distribution {
        &self.distribution
    }

    /// The bound in nanoseconds, if there is one.
    pub const fn bound_ns(&self) -> Option<u64> {
        self.bound_ns
    }

    /// How many values are equal to or below the bound, exactly; 0 without a bound.
    pub const fn at_most(&self) -> u64 {
        self.at_most
    }

    /// How many values are below the bound, exactly; 0 without a bound.
    pub const fn below(&self) -> u64 {
        self.below
    }
}
