//! What an instance reports, and how it falls silent.

use coldfront_clock::Instant;
use coldfront_measure::{HeldRecorder, Recorder};
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

/// Several reports about one moment, under one lock. It must be dropped before anything else is locked or awaited.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    held: HeldRecorder<'a>,
    now: Instant,
    is_retired: bool,
}

impl Meter {
    pub(crate) fn new(recorder: Recorder) -> Self {
        Self { recorder, retired: Arc::new(AtomicBool::new(false)) }
    }

    /// From now on gauges belong to another instance.
    pub(crate) fn retire(&self) {
        self.retired.store(true, Ordering::Relaxed);
    }

    /// Begins to report what happens at `now`.
    pub(crate) fn at(&self, now: Instant) -> Report<'_> {
        Report { held: self.recorder.hold(), now, is_retired: self.retired.load(Ordering::Relaxed) }
    }

    pub(crate) fn event(&self, at: Instant, text: impl Into<String>) {
        self.recorder.event(at, text);
    }
}

impl Report<'_> {
    pub(crate) fn count(&mut self, series: Series) {
        self.held.count(series, self.now);
    }

    pub(crate) fn gauge(&mut self, series: Series, level: u64) {
        if !self.is_retired {
            self.held.gauge(series, self.now, level);
        }
    }

    pub(crate) fn observe(&mut self, series: Series, value: Duration) {
        self.held.observe(series, self.now, value);
    }

    pub(crate) fn raise(&mut self, level: &Level) {
        self.set(level, level.get() + 1);
    }

    pub(crate) fn lower(&mut self, level: &Level) {
        self.set(level, level.get() - 1);
    }

    fn set(&mut self, level: &Level, value: u64) {
        // Whoever changes a level holds the recorder, so nobody comes between this store and the load before it.
        level.level.store(value, Ordering::Relaxed);
        self.gauge(level.series, value);
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
        meter.at(now).gauge(series, 0);
        Self { series, level: AtomicU64::new(0) }
    }

    pub(crate) fn get(&self) -> u64 {
        self.level.load(Ordering::Relaxed)
    }
}
