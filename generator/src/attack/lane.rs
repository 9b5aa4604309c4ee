//! One stream under way: its book, its workers, and what of them is recorded.

use super::CONNECT_LIMIT;
use super::pool::{Job, Next, Offer, Pool};
use super::worker::Worker;
use crate::mix::Mix;
use crate::schedule::Due;
use crate::transport::{Transport, TransportError};
use coldfront_clock::Instant;
use coldfront_measure::{Arrival, ColdCosts, Parts, Recorder, Sample};
use coldfront_rt::{JoinHandle, Rt};
use coldfront_scenarios::{Outcome, Scenario, Series, Traffic};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Waker};
use tokio::sync::Notify;

/// What all streams of an attack share.
pub(super) struct Shared {
    pub(super) rt: Rt,
    pub(super) recorder: Recorder,
    pub(super) scenario: Arc<Scenario>,
    /// Connections held open, over all streams.
    connections: AtomicU64,
    /// Set when no further arrival will be offered: from then on whoever settles a stream says so.
    pub(super) is_draining: AtomicBool,
    pub(super) settled: Notify,
    errors: Mutex<BTreeMap<TransportError, u64>>,
}

/// One stream under way.
pub(super) struct Lane<T: Transport> {
    pub(super) shared: Arc<Shared>,
    pub(super) transport: T,
    pub(super) mix: Mix,
    traffic: u16,
    state: Mutex<State>,
}

struct State {
    pool: Pool,
    workers: Vec<WorkerSeat>,
}

/// What is known of the worker at a place.
#[derive(Default)]
struct WorkerSeat {
    /// Wakes it when a request is handed to it.
    waker: Option<Waker>,
    task: Option<JoinHandle<()>>,
}

// === impl Shared ===

impl Shared {
    pub(super) fn new(rt: Rt, recorder: Recorder, scenario: Arc<Scenario>) -> Self {
        Self {
            rt,
            recorder,
            scenario,
            connections: AtomicU64::new(0),
            is_draining: AtomicBool::new(false),
            settled: Notify::new(),
            errors: Mutex::new(BTreeMap::new()),
        }
    }

    pub(super) fn connection_opened(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
        self.report_connections();
    }

    pub(super) fn connection_closed(&self) {
        self.connections.fetch_sub(1, Ordering::Relaxed);
        self.report_connections();
    }

    pub(super) fn report_connections(&self) {
        self.recorder.gauge(Series::ClientConnections, self.rt.now(), self.connections.load(Ordering::Relaxed));
    }

    pub(super) fn count_error(&self, error: TransportError) {
        *self.errors.lock().expect("counting cannot panic").entry(error).or_insert(0) += 1;
    }

    pub(super) fn errors(&self) -> Vec<(TransportError, u64)> {
        let errors = self.errors.lock().expect("counting cannot panic");
        errors.iter().map(|(error, count)| (*error, *count)).collect()
    }
}

/// Opens a connection within the limit.
pub(super) async fn connect<T: Transport>(rt: &Rt, transport: &T) -> Result<T::Connection, TransportError> {
    match rt.timeout_at(rt.now() + CONNECT_LIMIT, transport.connect()).await {
        Ok(connected) => connected,
        Err(_elapsed) => Err(TransportError::ConnectTimedOut),
    }
}

// === impl Lane ===

impl<T: Transport> Lane<T> {
    /// The stream of this index, with these connections open already.
    pub(super) fn open(shared: &Arc<Shared>, traffic: u16, transport: T, connections: Vec<T::Connection>) -> Arc<Self> {
        let spec = &shared.scenario.traffic[usize::from(traffic)];
        let pool = Pool::new(spec.connections, spec.in_flight);
        let workers = (0..pool.places()).map(|_| WorkerSeat::default()).collect();
        let lane = Arc::new(Self {
            shared: Arc::clone(shared),
            transport,
            mix: Mix::new(&spec.mix, shared.rt.seed()),
            traffic,
            state: Mutex::new(State { pool, workers }),
        });
        shared.connections.fetch_add(connections.len() as u64, Ordering::Relaxed);
        for connection in connections {
            let place = lane.lock().pool.join().expect("no more connections are prepared than there are places");
            lane.start_worker(place, Some(connection));
        }
        lane
    }

    pub(super) fn spec(&self) -> &Traffic {
        &self.shared.scenario.traffic[usize::from(self.traffic)]
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("the books are kept without panics")
    }

    // --- the driver's side ---

    /// Offers the arrival that is due, at time zero `start`, and starts it on its way.
    pub(super) fn offer(self: &Arc<Self>, due: Due, start: Instant, now: Instant) {
        let job = self.take_up(due, start, now);
        self.shared.recorder.offered(&job.arrival);
        if job.deadline <= now {
            self.end_unsent(&job, Outcome::TimedOut, now);
            return;
        }
        let mut state = self.lock();
        match state.pool.offer(job) {
            Offer::Handed(place) => {
                if let Some(waker) = &state.workers[place].waker {
                    waker.wake_by_ref();
                }
            }
            Offer::Connect(place) => {
                drop(state);
                self.start_worker(place, None);
            }
            Offer::Waiting => {}
            Offer::Dropped => {
                drop(state);
                self.end_unsent(&job, Outcome::Dropped, now);
            }
        }
    }

    fn take_up(&self, due: Due, start: Instant, now: Instant) -> Job {
        let intended_at = start + due.at.since_start();
        let mut arrival =
            Arrival { traffic: self.traffic, stage: due.stage, route: 0, sequence: due.sequence, intended_at };
        arrival.route = self.mix.route(arrival.id());
        let deadline = self.spec().timeout.map_or(Instant::MAX, |timeout| intended_at + timeout);
        Job::new(arrival, deadline, now)
    }

    fn start_worker(self: &Arc<Self>, place: usize, connection: Option<T::Connection>) {
        let worker = Worker::new(Arc::clone(self), place, connection);
        let task = self.shared.rt.spawn("client connection", worker.run());
        self.lock().workers[place].task = Some(task);
    }

    /// Gives up the requests that have waited for a connection until their time was up.
    pub(super) fn expire(&self, now: Instant) {
        loop {
            let Some(job) = self.lock().pool.take_expired(now) else { return };
            self.end_unsent(&job, Outcome::TimedOut, now);
        }
    }

    pub(super) fn earliest_deadline(&self) -> Option<Instant> {
        self.lock().pool.earliest_deadline()
    }

    pub(super) fn is_settled(&self) -> bool {
        self.lock().pool.is_settled()
    }

    /// Ends the stream: what is left gets its outcome, and the workers are stopped.
    pub(super) fn end(&self, now: Instant) {
        let left = self.lock().pool.end();
        for job in left {
            let outcome = if job.deadline <= now { Outcome::TimedOut } else { Outcome::Unfinished };
            self.end_unsent(&job, outcome, now);
        }
        self.stop_workers();
    }

    /// Stops the workers, which closes their connections.
    pub(super) fn stop_workers(&self) {
        let workers: Vec<_> = self.lock().workers.iter_mut().map(std::mem::take).collect();
        for task in workers.into_iter().filter_map(|worker| worker.task) {
            task.abort();
        }
    }

    /// Records the end of a request that was not sent, or whose answer nobody waits for.
    pub(super) fn end_unsent(&self, job: &Job, outcome: Outcome, now: Instant) {
        let lateness = job.taken_up_at.since(job.arrival.intended_at);
        self.shared.recorder.outcome(&Sample {
            arrival: job.arrival,
            outcome,
            status: None,
            ended_at: now,
            parts: Parts { lateness, connect: job.connect, first_byte: None, transfer: None },
            cold: ColdCosts::default(),
            new_connection: false,
        });
    }

    // --- the workers' side ---

    /// See [`Pool::next`]; a worker that becomes idle is woken through `cx`.
    pub(super) fn next(&self, place: usize, cx: &Context<'_>) -> Next {
        let now = self.shared.rt.now();
        self.lock().next(place, now, cx)
    }

    /// See [`Pool::handed`].
    pub(super) fn handed(&self, place: usize, cx: &Context<'_>) -> Option<Next> {
        let mut state = self.lock();
        let handed = state.pool.handed(place);
        if handed.is_none() {
            state.workers[place].wake_through(cx);
        }
        handed
    }

    /// See [`Pool::lost_idle`].
    pub(super) fn lost_idle(&self, place: usize) -> bool {
        self.lock().pool.lost_idle(place)
    }

    /// See [`Pool::should_connect`].
    pub(super) fn should_connect(&self, place: usize) -> bool {
        self.lock().pool.should_connect(place)
    }

    /// Fails the request that has waited longest, if any waits: no connection could be opened for it.
    pub(super) fn fail_waiting(&self, error: TransportError) {
        let now = self.shared.rt.now();
        let Some(job) = self.lock().pool.take_failed(now) else { return };
        self.shared.count_error(error);
        self.end_unsent(&job, Outcome::Failed, now);
        self.tell_if_settled();
    }

    /// Records the outcome of the request of the worker at `place`, unless it has one, and says what the worker does next if
    /// it still has its connection.
    pub(super) fn finish(&self, place: usize, sample: &Sample, is_connected: bool, cx: &Context<'_>) -> Option<Next> {
        let mut state = self.lock();
        if !state.pool.finish(place, sample.ended_at) {
            return Some(Next::Over);
        }
        let next = is_connected.then(|| state.next(place, sample.ended_at, cx));
        drop(state);
        self.shared.recorder.outcome(sample);
        self.tell_if_settled();
        next
    }

    /// Tells the driver that nothing is left to wait for, if that may be so.
    pub(super) fn tell_if_settled(&self) {
        if self.shared.is_draining.load(Ordering::Relaxed) && self.is_settled() {
            self.shared.settled.notify_one();
        }
    }
}

// === impl State ===

impl State {
    fn next(&mut self, place: usize, now: Instant, cx: &Context<'_>) -> Next {
        let next = self.pool.next(place, now);
        if next == Next::Idle {
            self.workers[place].wake_through(cx);
        }
        next
    }
}

// === impl WorkerSeat ===

impl WorkerSeat {
    fn wake_through(&mut self, cx: &Context<'_>) {
        match &self.waker {
            Some(waker) if waker.will_wake(cx.waker()) => {}
            _ => self.waker = Some(cx.waker().clone()),
        }
    }
}
