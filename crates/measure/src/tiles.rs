//! The windows of a recovery: consecutive, of one length, from the scope's start; only those wholly within the scope count.

use crate::level::{Held, LevelCell, LevelSummary};
use crate::windows::SampleWindows;
use coldfront_scenarios::expectation::Statistic;

/// Windows that one recovery may have.
pub(crate) const MAX_WINDOWS: u64 = 100_000;

/// Where windows lie: window k covers (from + k·per, from + (k + 1)·per].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tiling {
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// Above zero.
    pub(crate) per: u64,
}

/// A counter's windows.
#[derive(Clone, Debug)]
pub(crate) struct CountTiles {
    tiling: Tiling,
    counts: Vec<u64>,
}

/// A histogram's windows.
#[derive(Clone, Debug)]
pub(crate) struct SampleTiles {
    tiling: Tiling,
    statistic: Statistic,
    windows: SampleWindows<1>,
}

/// A gauge's windows.
#[derive(Clone, Debug)]
pub(crate) struct LevelTiles {
    tiling: Tiling,
    statistic: Statistic,
    values: Vec<Option<f64>>,
    current: LevelCell,
}

/// One value per window, `None` where there was nothing; and whether some are missing because of a memory bound.
pub(crate) type TileValues = (Vec<Option<f64>>, bool);

// === impl Tiling ===

impl Tiling {
    /// The window that holds `at`, if it lies in the scope and within the bound.
    fn window(self, at: u64) -> Option<usize> {
        if at <= self.from || at > self.to {
            return None;
        }
        let window = (at - self.from - 1) / self.per;
        (window < MAX_WINDOWS).then_some(window as usize)
    }

    /// Whether a run that ends at `end` has more windows than the bound.
    fn overflows(self, end: u64) -> bool {
        self.to.min(end).saturating_sub(self.from) / self.per > MAX_WINDOWS
    }

    /// The first window that does not end before `time`: all earlier ones are over.
    fn first_not_before(self, time: u64) -> usize {
        (time.saturating_sub(self.from + 1) / self.per).min(MAX_WINDOWS) as usize
    }

    /// How many whole windows there are if the run ends at `end`.
    fn whole(self, end: u64) -> usize {
        (self.to.min(end).saturating_sub(self.from) / self.per).min(MAX_WINDOWS) as usize
    }

    fn end_of(self, window: usize) -> u64 {
        self.from.saturating_add((window as u64 + 1).saturating_mul(self.per))
    }
}

// === impl CountTiles ===

impl CountTiles {
    pub(crate) const fn new(tiling: Tiling) -> Self {
        Self { tiling, counts: Vec::new() }
    }

    pub(crate) fn record(&mut self, at: u64, n: u64) {
        if let Some(window) = self.tiling.window(at) {
            if window >= self.counts.len() {
                self.counts.resize(window + 1, 0);
            }
            self.counts[window] += n;
        }
    }

    pub(crate) fn finish(mut self, end: u64) -> TileValues {
        self.counts.resize(self.tiling.whole(end), 0);
        (self.counts.into_iter().map(|count| Some(count as f64)).collect(), self.tiling.overflows(end))
    }
}

// === impl SampleTiles ===

impl SampleTiles {
    pub(crate) fn new(tiling: Tiling, statistic: Statistic, capacity: usize) -> Self {
        let quantiles = match statistic {
            Statistic::Quantile(q) => Some([q]),
            _ => None,
        };
        Self { tiling, statistic, windows: SampleWindows::new(quantiles, capacity) }
    }

    pub(crate) fn record(&mut self, at: u64, value: u64) {
        if let Some(window) = self.tiling.window(at) {
            self.windows.record(window, value);
        }
    }

    /// Nothing comes any more at a time before `watermark`.
    pub(crate) fn settle(&mut self, watermark: u64) {
        if watermark > self.tiling.end_of(self.windows.first_open()) {
            self.windows.seal_before(self.tiling.first_not_before(watermark).min(self.tiling.whole(u64::MAX)));
        }
    }

    pub(crate) fn finish(self, end: u64) -> TileValues {
        let statistic = self.statistic;
        let windows = self.windows.finish(self.tiling.whole(end));
        let is_given_up = self.tiling.overflows(end) || windows.iter().any(|window| window.late > 0);
        let value = |window: &crate::windows::WindowSummary<1>| match statistic {
            Statistic::Count => Some(window.count as f64),
            _ if window.count == 0 => None,
            Statistic::Quantile(_) => Some(window.quantiles[0] as f64),
            Statistic::Min => Some(window.min as f64),
            Statistic::Max => Some(window.max as f64),
            _ => Some(window.mean as f64),
        };
        (windows.iter().map(value).collect(), is_given_up)
    }
}

// === impl LevelTiles ===

impl LevelTiles {
    pub(crate) fn new(tiling: Tiling, statistic: Statistic) -> Self {
        let current = LevelCell::new(tiling.from, tiling.end_of(0));
        Self { tiling, statistic, values: Vec::new(), current }
    }

    /// The level `held` ended at `at`.
    pub(crate) fn leave(&mut self, held: Option<Held>, at: u64) {
        let end = self.tiling.end_of(self.values.len());
        if at > end {
            self.close_before(held, at);
        }
        if let Some(held) = held {
            self.current.leave(held, at);
        }
    }

    /// Closes every window that ends before `at`.
    fn close_before(&mut self, held: Option<Held>, at: u64) {
        let last = self.tiling.first_not_before(at).min(self.tiling.whole(u64::MAX));
        while self.values.len() < last {
            let window = self.values.len();
            let next = LevelCell::new(self.tiling.end_of(window), self.tiling.end_of(window + 1));
            let done = std::mem::replace(&mut self.current, next).finish(held, at);
            self.values.push(self.value(&done));
        }
    }

    fn value(&self, summary: &LevelSummary) -> Option<f64> {
        let extremes = summary.extremes?;
        match self.statistic {
            Statistic::Min => Some(extremes.min.low as f64),
            Statistic::Max => Some(extremes.max.high as f64),
            Statistic::Mean => summary.mean(),
            _ => Some(summary.last as f64),
        }
    }

    /// A new level came at `at`.
    pub(crate) fn enter(&mut self, level: u64, at: u64) {
        self.current.enter(level, at);
    }

    pub(crate) fn finish(mut self, held: Option<Held>, end: u64) -> TileValues {
        self.close_before(held, end.saturating_add(1));
        self.values.truncate(self.tiling.whole(end));
        (self.values, self.tiling.overflows(end))
    }
}

#[cfg(test)]
mod tests;
