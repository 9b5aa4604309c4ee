//! Exact quantiles of consecutive windows, in memory that follows what is still open.
//!
//! Values of a window are held as they are until the window is complete, then reduced to a few numbers. At most `capacity`
//! values are held at once: beyond that the oldest open window is reduced early, and what still comes for it counts in its
//! count, min, max and `late` only. A window that alone holds half the capacity goes on in an HDR histogram (0.1 %).

use crate::distribution::{HISTOGRAM_MAX_NS, empty_histogram};
use crate::statistics::quantile_rank;
use hdrhistogram::Histogram;
use std::collections::VecDeque;

/// Windows of samples, reduced to `N` quantiles each.
#[derive(Clone, Debug)]
pub(crate) struct SampleWindows<const N: usize> {
    /// `None`: no quantiles are wanted and no values are held.
    quantiles: Option<[f64; N]>,
    capacity: usize,
    /// Values held now; a window that went on in a histogram still weighs what it held then.
    held: usize,
    sealed: Vec<WindowSummary<N>>,
    open: VecDeque<OpenWindow>,
    spare: Vec<u64>,
}

/// What is left of a complete window. Times in nanoseconds; all zero without values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WindowSummary<const N: usize> {
    pub(crate) count: u64,
    pub(crate) mean: u64,
    pub(crate) min: u64,
    pub(crate) max: u64,
    pub(crate) quantiles: [u64; N],
    /// Values that came after an early reduction and are not in mean and quantiles.
    pub(crate) late: u64,
}

#[derive(Clone, Debug, Default)]
struct OpenWindow {
    count: u64,
    sum: u128,
    min: u64,
    max: u64,
    samples: Vec<u64>,
    /// Where values go beyond half the capacity, and how many were held by then.
    spilled: Option<(Box<Histogram<u64>>, usize)>,
}

// === impl SampleWindows ===

impl<const N: usize> SampleWindows<N> {
    /// No windows yet.
    pub(crate) fn new(quantiles: Option<[f64; N]>, capacity: usize) -> Self {
        Self { quantiles, capacity, held: 0, sealed: Vec::new(), open: VecDeque::new(), spare: Vec::new() }
    }

    /// The first window that is not reduced yet.
    pub(crate) fn first_open(&self) -> usize {
        self.sealed.len()
    }

    /// A value in a window.
    pub(crate) fn record(&mut self, window: usize, value: u64) {
        let Some(position) = window.checked_sub(self.sealed.len()) else {
            return self.sealed[window].see_late(value);
        };
        if position >= self.open.len() {
            self.open.resize_with(position + 1, OpenWindow::default);
        }
        let open = &mut self.open[position];
        open.see(value);
        if self.quantiles.is_some() {
            self.held += open.hold(value, self.capacity / 2, &mut self.spare);
            if self.held > self.capacity {
                self.shed_oldest();
            }
        }
    }

    #[cold]
    fn shed_oldest(&mut self) {
        while self.held > self.capacity && self.open.len() > 1 {
            self.seal_one();
        }
    }

    /// Reduces every window before `window`.
    pub(crate) fn seal_before(&mut self, window: usize) {
        while self.sealed.len() < window {
            self.seal_one();
        }
    }

    fn seal_one(&mut self) {
        let mut open = self.open.pop_front().unwrap_or_default();
        self.held -= open.weight();
        self.sealed.push(open.reduce(self.quantiles.as_ref()));
        if open.samples.capacity() > self.spare.capacity() {
            open.samples.clear();
            self.spare = open.samples;
        }
    }

    /// Exactly `windows` windows, all reduced.
    pub(crate) fn finish(mut self, windows: usize) -> Vec<WindowSummary<N>> {
        self.seal_before(windows);
        self.sealed.truncate(windows);
        self.sealed
    }
}

// === impl OpenWindow ===

impl OpenWindow {
    fn see(&mut self, value: u64) {
        self.min = if self.count == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.count += 1;
        self.sum += u128::from(value);
    }

    /// Holds a value and returns by how much the weight grew.
    fn hold(&mut self, value: u64, most: usize, spare: &mut Vec<u64>) -> usize {
        if let Some((histogram, _)) = &mut self.spilled {
            record(histogram, value);
            return 0;
        }
        if self.samples.capacity() == 0 {
            self.samples = std::mem::take(spare);
        }
        self.samples.push(value);
        if self.samples.len() > most {
            self.spill();
        }
        1
    }

    #[cold]
    fn spill(&mut self) {
        let mut histogram = Box::new(empty_histogram());
        let samples = std::mem::take(&mut self.samples);
        for value in &samples {
            record(&mut histogram, *value);
        }
        self.spilled = Some((histogram, samples.len()));
    }

    fn weight(&self) -> usize {
        self.spilled.as_ref().map_or(self.samples.len(), |(_, held)| *held)
    }

    fn reduce<const N: usize>(&mut self, quantiles: Option<&[f64; N]>) -> WindowSummary<N> {
        let count = u128::from(self.count);
        let mean = (self.sum + count / 2).checked_div(count).unwrap_or(0) as u64;
        WindowSummary {
            count: self.count,
            mean,
            min: self.min,
            max: self.max,
            quantiles: quantiles.map_or([0; N], |wanted| wanted.map(|q| self.quantile(q))),
            late: 0,
        }
    }

    fn quantile(&mut self, q: f64) -> u64 {
        let rank = quantile_rank(q, self.count);
        if let Some((histogram, _)) = &self.spilled {
            let mut seen = 0;
            let bucket = histogram.iter_recorded().find(|bucket| {
                seen += bucket.count_since_last_iteration();
                seen >= rank
            });
            let top = bucket.map_or(self.max, |bucket| histogram.highest_equivalent(bucket.value_iterated_to()));
            return top.clamp(self.min, self.max);
        }
        match (rank as usize).checked_sub(1) {
            Some(index) if index < self.samples.len() => *self.samples.select_nth_unstable(index).1,
            _ => 0,
        }
    }
}

fn record(histogram: &mut Histogram<u64>, value: u64) {
    histogram.record(value.min(HISTOGRAM_MAX_NS)).expect("the histogram grows up to its bound");
}

// === impl WindowSummary ===

impl<const N: usize> WindowSummary<N> {
    fn see_late(&mut self, value: u64) {
        self.min = if self.count == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.count += 1;
        self.late += 1;
    }
}

#[cfg(test)]
mod tests;
