//! Reading rows, and putting rows together: coarser, or from several recordings.

use super::{GaugeRow, GaugeRows, LatencyRow, Rows};
use coldfront_scenarios::Series;
use std::time::Duration;

// === impl Rows ===

impl Rows {
    /// How long a row is.
    pub const fn width(&self) -> Duration {
        Duration::from_nanos(self.width_ns)
    }

    /// How long a row is, in nanoseconds. Row k covers (k × width, (k + 1) × width].
    pub const fn width_ns(&self) -> u64 {
        self.width_ns
    }

    /// How many rows there are.
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no row.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// A counter's events in a row; 0 beyond the last one.
    pub fn counter(&self, series: Series, row: usize) -> u64 {
        self.counters[series.index()].get(row).copied().unwrap_or(0)
    }

    /// Whether a counter had any event.
    pub fn has_counter(&self, series: Series) -> bool {
        !self.counters[series.index()].is_empty()
    }

    /// A gauge in a row; `None` before its first report.
    pub fn gauge(&self, series: Series, row: usize) -> Option<GaugeRow> {
        self.gauges[series.index()].get(row)
    }

    /// Whether a gauge was ever reported.
    pub fn has_gauge(&self, series: Series) -> bool {
        !self.gauges[series.index()].rows.is_empty()
    }

    /// The latencies of the requests intended in a row; all zero beyond the last one.
    pub fn latency(&self, row: usize) -> LatencyRow {
        self.latency.get(row).copied().unwrap_or_default()
    }

    /// Puts every `factor` (at least 1) rows into one. Counts add; smallest, largest and last levels stay; latency quantiles
    /// become the largest of the parts', an upper bound.
    #[must_use]
    pub fn coarsened(&self, factor: usize) -> Self {
        let factor = factor.max(1);
        let sum = |column: &Vec<u64>| column.chunks(factor).map(|rows| rows.iter().sum()).collect();
        let joined = |rows: &[LatencyRow]| rows.iter().copied().reduce(LatencyRow::with).unwrap_or_default();
        Self {
            width_ns: self.width_ns.saturating_mul(factor as u64),
            count: self.count.div_ceil(factor),
            counters: self.counters.iter().map(sum).collect(),
            gauges: self.gauges.iter().map(|column| column.coarsened(factor)).collect(),
            latency: self.latency.chunks(factor).map(joined).collect(),
        }
    }

    /// Adds the rows of another recording; the coarser width wins, which must be a multiple of the finer.
    pub(crate) fn merge(&mut self, other: &Self) {
        let coarsen = |rows: &Self, width: u64| rows.coarsened((width / rows.width_ns.max(1)).max(1) as usize);
        let width = self.width_ns.max(other.width_ns);
        if self.width_ns != width {
            *self = coarsen(self, width);
        }
        let coarser;
        let other = if other.width_ns == width {
            other
        } else {
            coarser = coarsen(other, width);
            &coarser
        };
        self.count = self.count.max(other.count);
        for (mine, theirs) in self.counters.iter_mut().zip(&other.counters) {
            if !mine.is_empty() || !theirs.is_empty() {
                mine.resize(self.count, 0);
                mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
            }
        }
        for (mine, theirs) in self.gauges.iter_mut().zip(&other.gauges) {
            mine.merge(theirs, self.count);
        }
        self.latency.resize(self.count, LatencyRow::default());
        self.latency.iter_mut().zip(&other.latency).for_each(|(mine, theirs)| *mine = mine.with(*theirs));
    }
}

// === impl GaugeRows ===

impl GaugeRows {
    fn coarsened(&self, factor: usize) -> Self {
        let first = self.first / factor;
        let join = |one: GaugeRow, next: GaugeRow| GaugeRow {
            min: one.min.min(next.min),
            max: one.max.max(next.max),
            last: next.last,
        };
        let joined = |row: usize| (row * factor..(row + 1) * factor).filter_map(|row| self.get(row)).reduce(join);
        Self { first, rows: (first..self.end().div_ceil(factor)).filter_map(joined).collect() }
    }

    /// Adds another recording's levels of the same thing. The sum of smallest (largest) levels is a bound.
    fn merge(&mut self, other: &Self, count: usize) {
        let held = |of: &Self, row: usize| {
            let last = of.rows.last().map(|last| GaugeRow { min: last.last, max: last.last, last: last.last });
            of.get(row).or(if row >= of.end() { last } else { None })
        };
        let sum = |row: usize| match (held(self, row), held(other, row)) {
            (Some(one), Some(two)) => {
                Some(GaugeRow { min: one.min + two.min, max: one.max + two.max, last: one.last + two.last })
            }
            (one, two) => one.or(two),
        };
        let first = match (self.rows.is_empty(), other.rows.is_empty()) {
            (true, true) => return,
            (true, false) => other.first,
            (false, true) => self.first,
            (false, false) => self.first.min(other.first),
        };
        *self = Self { first, rows: (first..count).filter_map(sum).collect() };
    }
}

// === impl LatencyRow ===

impl LatencyRow {
    fn with(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            p50_ns: self.p50_ns.max(other.p50_ns),
            p95_ns: self.p95_ns.max(other.p95_ns),
            p99_ns: self.p99_ns.max(other.p99_ns),
            max_ns: self.max_ns.max(other.max_ns),
        }
    }
}
