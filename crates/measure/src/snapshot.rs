//! A look at a run under way, for `/metrics` and live progress.

use coldfront_scenarios::Series;

/// Totals and levels at one moment, by series. Costs one copy of about a kilobyte under the recorder's lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub(crate) counts: [u64; Series::COUNT],
    pub(crate) sums: [u128; Series::COUNT],
    pub(crate) levels: [Option<u64>; Series::COUNT],
}

impl Snapshot {
    /// Of a counter: events so far. Of a histogram: values so far. Of a gauge: reports so far.
    pub fn count(&self, series: Series) -> u64 {
        self.counts[series.index()]
    }

    /// Of a histogram: the sum of its values so far, in nanoseconds; else 0.
    pub fn sum(&self, series: Series) -> u128 {
        self.sums[series.index()]
    }

    /// Of a gauge: its present level; `None` if it was never reported.
    pub fn level(&self, series: Series) -> Option<u64> {
        self.levels[series.index()]
    }
}
