//! The run as rows of equal length from time zero: what a chart shows.

use crate::level::Held;
use crate::windows::SampleWindows;
use coldfront_scenarios::Series;
use serde::{Deserialize, Serialize};

/// Rows of a run, at most.
pub const MAX_ROWS: usize = 6000;

/// Latencies held for rows that are not complete.
const LATENCY_CAPACITY: usize = 1 << 20;

/// The quantiles of a row's latencies.
const QUANTILES: [f64; 3] = [0.5, 0.95, 0.99];

/// Fixed-width rows of a run: row k covers (k × width, (k + 1) × width] after time zero.
///
/// The width is the smallest of 100 ms, 1 s, 10 s, 60 s, 600 s, … with which the run fits in [`MAX_ROWS`] rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rows {
    /// The width in nanoseconds.
    pub(crate) width_ns: u64,
    /// How many rows.
    pub(crate) count: usize,
    #[serde(with = "crate::encoding::by_series")]
    pub(crate) counters: Vec<Vec<u64>>,
    #[serde(with = "crate::encoding::by_series")]
    pub(crate) gauges: Vec<GaugeRows>,
    pub(crate) latency: Vec<LatencyRow>,
}

/// A gauge's rows, from the first with a known level on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GaugeRows {
    pub(crate) first: usize,
    pub(crate) rows: Vec<GaugeRow>,
}

/// A gauge within a row, the level carried in included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GaugeRow {
    /// The smallest level.
    pub min: u64,
    /// The largest level.
    pub max: u64,
    /// The level at the row's end.
    pub last: u64,
}

/// The latencies of the requests intended in a row, in nanoseconds; all zero without any.
///
/// Quantiles are exact up to half a million values in the row, then within 0.1 %. Of merged or coarsened rows they are the
/// largest of the parts', which is an upper bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencyRow {
    /// How many.
    pub count: u64,
    /// The median.
    pub p50_ns: u64,
    /// The 95 % quantile.
    pub p95_ns: u64,
    /// The 99 % quantile.
    pub p99_ns: u64,
    /// The largest.
    pub max_ns: u64,
}

/// Rows while the run goes on.
#[derive(Clone, Debug)]
pub(crate) struct OpenRows {
    width: u64,
    counters: Vec<Vec<u64>>,
    gauges: Vec<GaugeRows>,
    latency: SampleWindows<3>,
    requests: Cursor,
    events: Cursor,
    /// The end of the first row whose latencies are still open.
    next_seal: u64,
}

/// The row looked up last: a division is dear, and the next event is mostly in the same row.
#[derive(Clone, Copy, Debug)]
struct Cursor {
    start: u64,
    end: u64,
    row: usize,
}

/// The smallest width with which `run_ns` fits in [`MAX_ROWS`] rows.
pub(crate) fn width_for(run_ns: u64) -> u64 {
    const SECOND: u64 = 1_000_000_000;
    let fits = |width: u64| run_ns.div_ceil(width) <= MAX_ROWS as u64;
    let steps = [SECOND / 10, SECOND, 10 * SECOND, 60 * SECOND];
    steps.into_iter().find(|width| fits(*width)).unwrap_or_else(|| {
        let mut width = 600 * SECOND;
        while !fits(width) {
            width = width.saturating_mul(10);
        }
        width
    })
}

// === impl Cursor ===

impl Cursor {
    fn row(&mut self, at: u64, width: u64) -> usize {
        if at > self.start && at <= self.end {
            return self.row;
        }
        // What happens at time zero is in the first row, what happens after the planned end in the last.
        let row = (at.saturating_sub(1) / width).min(MAX_ROWS as u64 - 1);
        *self = Self { start: row * width, end: (row + 1) * width, row: row as usize };
        self.row
    }
}

// === impl OpenRows ===

impl OpenRows {
    pub(crate) fn new(width: u64) -> Self {
        let cursor = Cursor { start: 0, end: width, row: 0 };
        Self {
            width,
            counters: vec![Vec::new(); Series::COUNT],
            gauges: vec![GaugeRows::default(); Series::COUNT],
            latency: SampleWindows::new(Some(QUANTILES), LATENCY_CAPACITY),
            requests: cursor,
            events: cursor,
            next_seal: width,
        }
    }

    /// The row of a request's intended time.
    pub(crate) fn of_request(&mut self, intended: u64) -> usize {
        self.requests.row(intended, self.width)
    }

    /// The row of an event's time.
    pub(crate) fn of_event(&mut self, at: u64) -> usize {
        self.events.row(at, self.width)
    }

    pub(crate) fn add(&mut self, series: Series, row: usize, n: u64) {
        let column = &mut self.counters[series.index()];
        if row >= column.len() {
            column.resize(row + 1, 0);
        }
        column[row] += n;
    }

    pub(crate) fn latency(&mut self, row: usize, ns: u64) {
        self.latency.record(row, ns);
    }

    /// No request comes any more with an intended time before `watermark`.
    pub(crate) fn settle(&mut self, watermark: u64) {
        if watermark > self.next_seal {
            let row = (watermark.saturating_sub(1) / self.width).min(MAX_ROWS as u64 - 1);
            self.latency.seal_before(row as usize);
            self.next_seal = (self.latency.first_open() as u64 + 1) * self.width;
        }
    }

    /// A gauge goes from `held` to `level`.
    pub(crate) fn gauge(&mut self, series: Series, held: Option<Held>, at: u64, level: u64) {
        let row = self.events.row(at, self.width);
        let column = &mut self.gauges[series.index()];
        let only = GaugeRow { min: level, max: level, last: level };
        match held {
            None => *column = GaugeRows { first: row, rows: vec![only] },
            Some(held) => {
                column.carry(held.level, row + 1);
                let last = &mut column.rows[row - column.first];
                // Levels reported at time zero replace each other: the first row begins just after it.
                *last = if at == 0 { only } else { last.with(level) };
            }
        }
    }

    /// The rows of a run that ended at `end`, with the levels that hold then.
    pub(crate) fn finish(self, end: u64, held: impl Fn(Series) -> Option<Held>) -> Rows {
        let longest_counter = self.counters.iter().map(Vec::len).max().unwrap_or(0);
        let longest_gauge = self.gauges.iter().map(GaugeRows::end).max().unwrap_or(0);
        let needed = (end.div_ceil(self.width).min(MAX_ROWS as u64) as usize).max(longest_counter).max(longest_gauge);
        let mut counters = self.counters;
        counters.iter_mut().filter(|column| !column.is_empty()).for_each(|column| column.resize(needed, 0));
        let mut gauges = self.gauges;
        for (series, column) in Series::ALL.iter().zip(&mut gauges) {
            if let Some(held) = held(*series) {
                column.carry(held.level, needed);
            }
        }
        let latency = self.latency.finish(needed).into_iter().map(LatencyRow::from).collect();
        Rows { width_ns: self.width, count: needed, counters, gauges, latency }
    }
}

// === impl GaugeRows ===

impl GaugeRows {
    pub(crate) fn end(&self) -> usize {
        self.first + self.rows.len()
    }

    /// The level stays until row `end`.
    fn carry(&mut self, level: u64, end: usize) {
        let rows = end.saturating_sub(self.first).max(self.rows.len());
        self.rows.resize(rows, GaugeRow { min: level, max: level, last: level });
    }

    pub(crate) fn get(&self, row: usize) -> Option<GaugeRow> {
        self.rows.get(row.checked_sub(self.first)?).copied()
    }
}

impl GaugeRow {
    fn with(self, level: u64) -> Self {
        Self { min: self.min.min(level), max: self.max.max(level), last: level }
    }
}

impl From<crate::windows::WindowSummary<3>> for LatencyRow {
    fn from(window: crate::windows::WindowSummary<3>) -> Self {
        let [p50_ns, p95_ns, p99_ns] = window.quantiles;
        Self { count: window.count, p50_ns, p95_ns, p99_ns, max_ns: window.max }
    }
}

mod merge;
#[cfg(test)]
mod tests;
