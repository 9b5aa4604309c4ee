//! The handle through which a run is recorded.

use crate::home::Home;
use crate::plan::Plan;
use crate::recording::Recording;
use crate::sample::{Arrival, Sample};
use crate::snapshot::Snapshot;
use crate::state::State;
use crate::trace::TraceEvent;
use coldfront_clock::{Instant, nanos_of};
use coldfront_scenarios::Series;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Records a run. Clones share one recording.
///
/// Series of requests are placed in time by the request's intended time, all others by the event's own time. An event at
/// time zero itself counts as just after it, so that scopes (0, b] hold it; a gauge's level at time zero is its first level.
///
/// Every call takes one lock, meant to be uncontended: generator and target, on their own threads, have a recorder each over
/// one plan, and their recordings are merged. A simulation has one of [`Recorder::local`], without a lock.
#[derive(Clone, Debug)]
pub struct Recorder {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    plan: Arc<Plan>,
    home: Home,
    /// Every call, if the recorder was made to keep them.
    trace: Option<Mutex<Vec<TraceEvent>>>,
}

/// A recorder whose lock is held for several calls about one moment; see [`Recorder::hold`].
#[derive(Debug)]
pub struct HeldRecorder<'a> {
    recorder: &'a Recorder,
    /// `None`: the state lives with this thread, and there is no lock to hold.
    state: Option<MutexGuard<'a, State>>,
}

impl Recorder {
    /// An empty recording of `plan`.
    pub fn new(plan: Arc<Plan>) -> Self {
        let home = Home::shared(State::new(plan.clone()));
        Self::at(plan, home, None)
    }

    /// An empty recording of `plan` for calls from this thread only, which then cost no lock: for simulations.
    ///
    /// # Panics
    ///
    /// Every call from another thread panics.
    pub fn local(plan: Arc<Plan>) -> Self {
        let home = Home::local(State::new(plan.clone()));
        Self::at(plan, home, None)
    }

    /// An empty recording of `plan` that also keeps every call, for [`Recorder::take_trace`]. Memory grows with the run.
    pub fn traced(plan: Arc<Plan>) -> Self {
        let home = Home::shared(State::new(plan.clone()));
        Self::at(plan, home, Some(Mutex::default()))
    }

    fn at(plan: Arc<Plan>, home: Home, trace: Option<Mutex<Vec<TraceEvent>>>) -> Self {
        Self { shared: Arc::new(Shared { plan, home, trace }) }
    }

    /// The calls so far, in order; empty unless the recorder was made by [`Recorder::traced`].
    pub fn take_trace(&self) -> Vec<TraceEvent> {
        let Some(trace) = &self.shared.trace else { return Vec::new() };
        std::mem::take(&mut *trace.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn trace(&self, event: impl FnOnce() -> TraceEvent) {
        if let Some(trace) = &self.shared.trace {
            trace.lock().unwrap_or_else(PoisonError::into_inner).push(event());
        }
    }

    // --- the generator's calls ---

    /// How many arrivals of a stage the drawn schedule holds; calls add up. Optional: without it as many as were offered.
    ///
    /// # Panics
    ///
    /// The plan has no such stage.
    pub fn planned(&self, traffic: u16, stage: u16, count: u64) {
        self.shared.home.with(|state| state.planned(traffic, stage, count));
    }

    /// An arrival is due: counts `offered` and `sessions`, and raises `in_flight`.
    ///
    /// Called once for each arrival, in intended order within its stream, before [`Recorder::sent`] and
    /// [`Recorder::outcome`]; also for one that the in-flight policy then drops.
    ///
    /// # Panics
    ///
    /// The plan has no such stage; so do the two below.
    pub fn offered(&self, request: &Arrival) {
        self.trace(|| TraceEvent::Offered(*request));
        self.shared.home.with(|state| state.offered(request));
    }

    /// An attempt is on the wire: counts `attempts`, and `sent` for the request's first one.
    pub fn sent(&self, request: &Arrival, at: Instant) {
        self.trace(|| TraceEvent::Sent(*request, at));
        self.shared.home.with(|state| state.sent(request, at));
    }

    /// A request ended. Called exactly once for each arrival offered; decides `good` and `cold`, lowers `in_flight`.
    ///
    /// A second outcome, or one without an arrival, counts as `unaccounted` and nowhere else.
    pub fn outcome(&self, sample: &Sample) {
        self.trace(|| TraceEvent::Outcome(*sample));
        self.shared.home.with(|state| state.outcome(sample));
    }

    // --- either side's calls ---

    /// Holds the lock for several calls about one moment: a tier that reports four things at once pays for it once.
    ///
    /// Every other call waits until the result is dropped, so that must come before anything else is called or awaited.
    pub fn hold(&self) -> HeldRecorder<'_> {
        HeldRecorder { recorder: self, state: self.shared.home.hold() }
    }

    /// One event of a counter that is not about requests: the target's, and `client.connects`.
    ///
    /// Within a series, times must not go back.
    pub fn count(&self, series: Series, at: Instant) {
        self.trace(|| TraceEvent::Count(series, at, 1));
        self.shared.home.with(|state| state.count(series, at.as_nanos(), 1));
    }

    /// `n` events of a counter at one instant.
    pub fn count_many(&self, series: Series, at: Instant, n: u64) {
        self.trace(|| TraceEvent::Count(series, at, n));
        self.shared.home.with(|state| state.count(series, at.as_nanos(), n));
    }

    /// The level of a gauge from now on; `in_flight` is kept by the recorder itself.
    ///
    /// Report the first level of every gauge when it comes into being, even if it is 0: before its first report a gauge has no
    /// level, and an expectation on a gauge that was never reported is invalid. A report from the past counts from the latest
    /// one on.
    pub fn gauge(&self, series: Series, at: Instant, value: u64) {
        self.trace(|| TraceEvent::Gauge(series, at, value));
        self.shared.home.with(|state| state.gauge(series, at.as_nanos(), value));
    }

    /// One value of a histogram of the target.
    pub fn observe(&self, series: Series, at: Instant, value: Duration) {
        self.trace(|| TraceEvent::Observe(series, at, value));
        self.shared.home.with(|state| state.observe(series, at.as_nanos(), nanos_of(value)));
    }

    /// Something that happened, in words, for the log of the run: at most [`crate::MAX_EVENTS`] entries of 512 bytes.
    pub fn event(&self, at: Instant, text: impl Into<String>) {
        let text = text.into();
        self.trace(|| TraceEvent::Event(at, text.clone()));
        self.shared.home.with(|state| state.event(at.as_nanos(), text));
    }

    /// The run was interrupted at `at`: expectations whose scope was not reached become invalid.
    pub fn interrupted(&self, at: Instant) {
        self.shared.home.with(|state| state.interrupted(at.as_nanos()));
    }

    /// Totals and levels so far.
    pub fn snapshot(&self) -> Snapshot {
        self.shared.home.with(|state| state.snapshot())
    }

    /// Ends the recording; `end` is the end of the run. What clones report afterwards is in no recording.
    pub fn finish(self, end: Instant) -> Recording {
        let empty = State::new(self.shared.plan.clone());
        let state = self.shared.home.with(|state| std::mem::replace(state, empty));
        state.finish(end.as_nanos())
    }
}

impl HeldRecorder<'_> {
    /// As [`Recorder::count`].
    pub fn count(&mut self, series: Series, at: Instant) {
        self.recorder.trace(|| TraceEvent::Count(series, at, 1));
        self.with(|state| state.count(series, at.as_nanos(), 1));
    }

    /// As [`Recorder::gauge`].
    pub fn gauge(&mut self, series: Series, at: Instant, value: u64) {
        self.recorder.trace(|| TraceEvent::Gauge(series, at, value));
        self.with(|state| state.gauge(series, at.as_nanos(), value));
    }

    /// As [`Recorder::observe`].
    pub fn observe(&mut self, series: Series, at: Instant, value: Duration) {
        self.recorder.trace(|| TraceEvent::Observe(series, at, value));
        self.with(|state| state.observe(series, at.as_nanos(), nanos_of(value)));
    }

    fn with(&mut self, work: impl FnOnce(&mut State)) {
        match &mut self.state {
            Some(state) => work(state),
            None => self.recorder.shared.home.with(work),
        }
    }
}

#[cfg(test)]
mod tests;
