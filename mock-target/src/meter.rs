//! What an instance reports, and how it falls silent.

use coldfront_clock::Instant;
use coldfront_measure::Recorder;
use coldfront_scenarios::Series;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The recorder as one instance sees it.
///
/// Counters and histograms of an instance that was swapped out go on, because its last requests really happen. Its gauges
/// stop: from the swap on they show the instance that takes the traffic.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    recorder: Recorder,
    retired: Arc<AtomicBool>,
}

impl Meter {
    pub(crate) fn new(recorder: Recorder) -> Self {
        Self { recorder, retired: Arc::new(AtomicBool::new(false)) }
    }

    /// From now on gauges belong to another instance.
    pub(crate) fn retire(&self) {
        self.retired.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_retired(&self) -> bool {
        self.retired.load(Ordering::Relaxed)
    }

    pub(crate) fn count(&self, series: Series, at: Instant) {
        self.recorder.count(series, at);
    }

    pub(crate) fn gauge(&self, series: Series, at: Instant, level: u64) {
        if !self.is_retired() {
            self.recorder.gauge(series, at, level);
        }
    }

    pub(crate) fn observe(&self, series: Series, at: Instant, value: Duration) {
        self.recorder.observe(series, at, value);
    }

    pub(crate) fn event(&self, at: Instant, text: impl Into<String>) {
        self.recorder.event(at, text);
    }
}

/// A level that one tier raises and lowers.
#[derive(Debug)]
pub(crate) struct Level {
    series: Series,
    level: AtomicU64,
}

impl Level {
    /// At 0, and reported as such.
    pub(crate) fn new(series: Series, meter: &Meter, now: Instant) -> Self {
        meter.gauge(series, now, 0);
        Self { series, level: AtomicU64::new(0) }
    }

    pub(crate) fn raise(&self, meter: &Meter, now: Instant) {
        let level = self.level.fetch_add(1, Ordering::Relaxed) + 1;
        meter.gauge(self.series, now, level);
    }

    pub(crate) fn lower(&self, meter: &Meter, now: Instant) {
        let level = self.level.fetch_sub(1, Ordering::Relaxed) - 1;
        meter.gauge(self.series, now, level);
    }

    pub(crate) fn get(&self) -> u64 {
        self.level.load(Ordering::Relaxed)
    }
}
