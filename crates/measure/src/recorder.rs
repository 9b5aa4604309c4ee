//! The handle through which a run is recorded.

use crate::plan::Plan;
use crate::recording::{Counts, Recording};
use crate::sample::{Arrival, Sample};
use crate::snapshot::Snapshot;
use coldfront_clock::{Instant, nanos_of};
use coldfront_scenarios::{Outcome, Series};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Records a run. Clones share one recording; every method takes one uncontended lock.
///
/// Client series are placed in time by the request's intended time, target series by the event's own time. An event at
/// time zero itself counts as just after it, so that scopes (0, b] hold it.
#[derive(Clone, Debug)]
pub struct Recorder {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    plan: Arc<Plan>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    counts: Vec<u64>,
    sums: Vec<u128>,
    levels: Vec<Option<u64>>,
    stages: Vec<Vec<Counts>>,
}

impl State {
    fn new(plan: &Plan) -> Self {
        Self {
            counts: vec![0; Series::COUNT],
            sums: vec![0; Series::COUNT],
            levels: vec![None; Series::COUNT],
            stages: plan.traffic.iter().map(|traffic| vec![Counts::default(); traffic.stages]).collect(),
        }
    }
}

impl Recorder {
    /// An empty recording of `plan`.
    pub fn new(plan: Arc<Plan>) -> Self {
        let state = State::new(&plan);
        Self { shared: Arc::new(Shared { plan, state: Mutex::new(state) }) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // --- client side ---

    /// How many arrivals the drawn schedule holds for a stage. Optional; without it `planned` is what was offered.
    pub fn planned(&self, _traffic: u16, _stage: u16, _count: u64) {}

    /// An arrival is due: counts `offered` and `sessions`, and raises `in_flight`.
    ///
    /// Called once for each arrival, in intended order within its stream, before [`Recorder::sent`] and
    /// [`Recorder::outcome`]; also for one that the in-flight policy then drops.
    pub fn offered(&self, request: &Arrival) {
        let mut state = self.lock();
        state.counts[Series::Offered.index()] += 1;
        state.counts[Series::Sessions.index()] += 1;
        let level = &mut state.levels[Series::InFlight.index()];
        *level = Some(level.unwrap_or(0) + 1);
        state.stages[usize::from(request.traffic)][usize::from(request.stage)].offered += 1;
    }

    /// An attempt is on the wire: counts `attempts`, and `sent` for the request's first one.
    pub fn sent(&self, request: &Arrival, _at: Instant) {
        let mut state = self.lock();
        state.counts[Series::Sent.index()] += 1;
        state.counts[Series::Attempts.index()] += 1;
        let stage = &mut state.stages[usize::from(request.traffic)][usize::from(request.stage)];
        stage.sent += 1;
        stage.attempts += 1;
    }

    /// A request ended. Called exactly once for each arrival offered; decides `good` and `cold`, lowers `in_flight`.
    pub fn outcome(&self, sample: &Sample) {
        let arrival = &sample.arrival;
        let mut state = self.lock();
        let level = &mut state.levels[Series::InFlight.index()];
        *level = Some(level.unwrap_or(0).saturating_sub(1));
        state.counts[sample.outcome.series().index()] += 1;
        let latency = nanos_of(sample.ended_at.since(arrival.intended_at));
        let is_good =
            sample.outcome == Outcome::Ok && latency <= self.shared.plan.traffic[usize::from(arrival.traffic)].deadline;
        if is_good {
            state.counts[Series::Good.index()] += 1;
        }
        let stage = &mut state.stages[usize::from(arrival.traffic)][usize::from(arrival.stage)];
        stage.good += u64::from(is_good);
        match sample.outcome {
            Outcome::Ok => stage.ok += 1,
            Outcome::Rejected => stage.rejected += 1,
            Outcome::Shed => stage.shed += 1,
            Outcome::TimedOut => stage.timed_out += 1,
            Outcome::Failed => stage.failed += 1,
            Outcome::Dropped => stage.dropped += 1,
            Outcome::Unfinished => stage.unfinished += 1,
        }
    }

    // --- either side ---

    /// One event of a counter. Within a series, times must not go back.
    pub fn count(&self, series: Series, at: Instant) {
        self.count_many(series, at, 1);
    }

    /// `n` events of a counter at one instant.
    pub fn count_many(&self, series: Series, _at: Instant, n: u64) {
        self.lock().counts[series.index()] += n;
    }

    /// The level of a gauge from now on. Report the first level of every gauge when it comes into being, even if it is 0.
    pub fn gauge(&self, series: Series, _at: Instant, value: u64) {
        let mut state = self.lock();
        state.counts[series.index()] += 1;
        state.levels[series.index()] = Some(value);
    }

    /// One value of a histogram.
    pub fn observe(&self, series: Series, _at: Instant, value: Duration) {
        let mut state = self.lock();
        state.counts[series.index()] += 1;
        state.sums[series.index()] += value.as_nanos();
    }

    /// Something that happened, in words, for the log of the run; the log is bounded.
    pub fn event(&self, _at: Instant, _text: impl Into<String>) {}

    /// The run was interrupted at `at`: expectations whose scope was not reached become invalid.
    pub fn interrupted(&self, _at: Instant) {}

    /// Totals and levels so far.
    pub fn snapshot(&self) -> Snapshot {
        let state = self.lock();
        let mut snapshot =
            Snapshot { counts: [0; Series::COUNT], sums: [0; Series::COUNT], levels: [None; Series::COUNT] };
        snapshot.counts.copy_from_slice(&state.counts);
        snapshot.sums.copy_from_slice(&state.sums);
        snapshot.levels.copy_from_slice(&state.levels);
        snapshot
    }

    /// Ends the recording; `end` is the end of the run. What clones report afterwards is ignored.
    pub fn finish(self, end: Instant) -> Recording {
        let state = std::mem::replace(&mut *self.lock(), State::new(&self.shared.plan));
        Recording { end_ns: end.as_nanos(), counts: state.counts, stages: state.stages }
    }
}
