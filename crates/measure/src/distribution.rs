//! A distribution of durations: exact count, sum, min and max beside an HDR histogram.

use crate::statistics::quantile_rank;
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Values at or above this many nanoseconds (one hour) share the histogram's last bucket and count as saturated.
pub const HISTOGRAM_MAX_NS: u64 = 3_600_000_000_000;

/// A distribution of durations in nanoseconds.
///
/// Count, sum, min and max are exact. Quantiles come from an HDR histogram with three significant digits: a value's bucket
/// is at most 0.1 % wide, and what is reported is the bucket's top, clamped to [min, max]. The histogram is allocated with
/// the first value and grows to at most 270 KB; a distribution may also be kept without one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Distribution {
    count: u64,
    #[serde(with = "crate::encoding::text")]
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
    saturated: u64,
    keeps_histogram: bool,
    #[serde(with = "crate::encoding::histogram")]
    histogram: Option<Box<Histogram<u64>>>,
    /// The latest value, and how often in a row it came since the histogram was told: equal values are the rule in a
    /// simulation, and telling the histogram is the dear part. [`Distribution::close`] tells the last ones.
    #[serde(skip)]
    repeated: (u64, u64),
}

/// What of a distribution is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Count, sum, min, max and the histogram.
    Quantiles,
    /// Count, sum, min and max.
    Moments,
}

// === impl Distribution ===

impl Distribution {
    pub(crate) const fn new(detail: Detail) -> Self {
        Self {
            count: 0,
            sum_ns: 0,
            min_ns: u64::MAX,
            max_ns: 0,
            saturated: 0,
            keeps_histogram: matches!(detail, Detail::Quantiles),
            histogram: None,
            repeated: (0, 0),
        }
    }

    pub(crate) fn record(&mut self, ns: u64) {
        self.count += 1;
        self.sum_ns += u128::from(ns);
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
        if ns == self.repeated.0 {
            self.repeated.1 += 1;
        } else {
            self.tell(ns);
        }
    }

    /// Tells the histogram of the values held back, and holds back `ns`.
    fn tell(&mut self, ns: u64) {
        let (value, times) = std::mem::replace(&mut self.repeated, (ns, 1));
        if self.keeps_histogram && times > 0 {
            self.record_bucket(value, times);
        }
    }

    /// Nothing more comes. Quantiles and merging need this first.
    pub(crate) fn close(&mut self) {
        self.tell(0);
        self.repeated = (0, 0);
    }

    pub(crate) fn record_if(&mut self, ns: Option<u64>) {
        if let Some(ns) = ns {
            self.record(ns);
        }
    }

    fn record_bucket(&mut self, ns: u64, times: u64) {
        if ns >= HISTOGRAM_MAX_NS {
            self.saturated += times;
        }
        let histogram = self.histogram.get_or_insert_with(|| Box::new(empty_histogram()));
        histogram.record_n(ns.min(HISTOGRAM_MAX_NS), times).expect("the histogram grows up to its bound");
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        debug_assert_eq!((self.repeated.1, other.repeated.1), (0, 0), "closed before merged");
        self.count += other.count;
        self.sum_ns += other.sum_ns;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.saturated += other.saturated;
        if let Some(theirs) = &other.histogram {
            let mine = self.histogram.get_or_insert_with(|| Box::new(empty_histogram()));
            mine.add(theirs.as_ref()).expect("the histogram grows up to its bound");
        }
    }

    /// How many values.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Their exact sum in nanoseconds.
    pub const fn sum_ns(&self) -> u128 {
        self.sum_ns
    }

    /// The smallest; `None` without values.
    pub fn min(&self) -> Option<Duration> {
        (self.count > 0).then(|| Duration::from_nanos(self.min_ns))
    }

    /// The largest; `None` without values.
    pub fn max(&self) -> Option<Duration> {
        (self.count > 0).then(|| Duration::from_nanos(self.max_ns))
    }

    /// The mean, rounded to the nanosecond; `None` without values.
    pub fn mean(&self) -> Option<Duration> {
        let count = u128::from(self.count);
        (count > 0).then(|| Duration::from_nanos(((self.sum_ns + count / 2) / count) as u64))
    }

    /// How many values were too large for the histogram ([`HISTOGRAM_MAX_NS`] or more). They are exact in count, sum and max.
    pub const fn saturated(&self) -> u64 {
        self.saturated
    }

    /// The q-quantile, 0 < q < 1: the top of the bucket that holds the ⌈qn⌉-th smallest value, clamped to [min, max].
    ///
    /// `None` without values or without a histogram. Among saturated values the largest is reported.
    pub fn quantile(&self, q: f64) -> Option<Duration> {
        debug_assert_eq!(self.repeated.1, 0, "closed before read");
        let histogram = self.histogram.as_ref()?;
        let rank = quantile_rank(q, self.count);
        if self.count - rank < self.saturated {
            return self.max();
        }
        let mut seen = 0;
        let bucket = histogram.iter_recorded().find(|bucket| {
            seen += bucket.count_since_last_iteration();
            seen >= rank
        })?;
        let top = histogram.highest_equivalent(bucket.value_iterated_to());
        Some(Duration::from_nanos(top.clamp(self.min_ns, self.max_ns)))
    }

    /// The histogram as base64 of HDR's V2 encoding with DEFLATE, which the usual HDR tools read; `None` without one.
    pub fn histogram_base64(&self) -> Option<String> {
        self.histogram.as_deref().map(crate::encoding::encode_histogram)
    }

    fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let recorded = self.histogram.iter().flat_map(|histogram| histogram.iter_recorded());
        recorded.map(|bucket| (bucket.value_iterated_to(), bucket.count_at_value()))
    }
}

impl PartialEq for Distribution {
    /// Equal numbers in equal buckets; how far a histogram has grown does not matter.
    fn eq(&self, other: &Self) -> bool {
        let numbers = |of: &Self| {
            (of.count, of.sum_ns, of.min_ns, of.max_ns, of.saturated, of.keeps_histogram, of.histogram.is_some())
        };
        numbers(self) == numbers(other) && self.buckets().eq(other.buckets())
    }
}

pub(crate) fn empty_histogram() -> Histogram<u64> {
    // Three significant digits, from 1 ns; it grows as values come.
    Histogram::new(3).expect("three digits are within HDR's one to five")
}

#[cfg(test)]
mod tests;
