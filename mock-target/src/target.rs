//! The target: the instance that takes the traffic, and what can be done to it.

use crate::call::{Call, Reply};
use crate::db::Db;
use crate::instance::Instance;
use coldfront_measure::{Recorder, Snapshot};
use coldfront_rt::Rt;
use coldfront_scenarios::{Abandoned, Action, MockSpec};
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};

/// The service under test. Clones are one service.
///
/// Behind it stands one instance at a time, cold because it is newly constructed. [`Action::Cold`] swaps in another: requests
/// under way finish on the one they are on. Counters and histograms live in the recorder and go on; gauges show the instance
/// that takes the traffic.
#[derive(Clone, Debug)]
pub struct Target {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    spec: Arc<MockSpec>,
    rt: Rt,
    recorder: Recorder,
    current: Mutex<Current>,
}

#[derive(Debug)]
struct Current {
    instance: Arc<Instance>,
    /// How many instances there have been, this one included.
    generation: u64,
}

/// What a target looks like at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct State {
    /// How many instances there have been since the start, this one included.
    pub generation: u64,
    /// Whether it takes traffic.
    pub ready: bool,
    /// Requests between admission and answer.
    pub gateway_in_flight: u64,
    /// Requests waiting for a worker.
    pub gateway_queue_depth: u32,
    /// Calls inside the catalog.
    pub catalog_in_flight: u64,
    /// Entries in the cache.
    pub cache_entries: usize,
    /// Queries running.
    pub db_in_flight: u64,
    /// The connection pool; `None` without one.
    pub db_pool: Option<PoolState>,
}

/// What a connection pool looks like at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PoolState {
    /// Connections open or being opened.
    pub size: u32,
    /// Open connections that nobody holds.
    pub idle: u32,
    /// Connections being opened.
    pub connecting: u32,
    /// Acquires waiting for a connection that is not theirs to open.
    pub waiters: u32,
}

impl Target {
    /// A cold target; its warm-up begins now, in tasks of `rt`.
    pub fn cold(spec: Arc<MockSpec>, rt: Rt, recorder: Recorder) -> Self {
        let instance = Arc::new(Instance::cold(&spec, &rt, &recorder));
        let current = Mutex::new(Current { instance, generation: 1 });
        Self { shared: Arc::new(Shared { spec, rt, recorder, current }) }
    }

    /// Serves one request: the whole chain from gateway to database.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future is a client that gives up. Whether the target stops at once, giving back worker, place in the
    /// queue, connection and reserved stock, or goes on to the end is the scenario's `abandoned`.
    pub async fn call(&self, call: Call) -> Reply {
        let instance = self.instance();
        match self.shared.spec.abandoned {
            Abandoned::Stops => instance.serve(call).await,
            Abandoned::Continues => {
                let work = async move { instance.serve(call).await };
                self.shared.rt.spawn("request", work).await
            }
        }
    }

    /// Does what an event of the scenario or an `/admin` request asks for, and logs it. What concerns a tier that is switched
    /// off does nothing.
    pub fn apply(&self, action: &Action) {
        let now = self.shared.rt.now();
        self.shared.recorder.event(now, action.name());
        if let Action::Cold = action {
            self.swap();
            return;
        }
        let instance = self.instance();
        let pool = instance.db.as_ref().and_then(Db::pool);
        match action {
            Action::Cold => {}
            Action::FlushCache => instance.cache.iter().for_each(crate::cache::Cache::flush),
            Action::WarmCache { keys } => instance.cache.iter().for_each(|cache| cache.warm(*keys)),
            Action::WarmPool { to } => pool.into_iter().for_each(|pool| pool.warm(*to)),
            Action::KillConnections => pool.into_iter().for_each(crate::db::Pool::kill),
            Action::SlowDb { factor, lasting } => {
                instance.db.iter().for_each(|db| db.slow_down(*factor, *lasting));
            }
        }
    }

    /// Whether it takes traffic: a warm-up with a gate, if there is one, is done.
    pub fn is_ready(&self) -> bool {
        self.instance().is_ready()
    }

    /// What it looks like now.
    pub fn state(&self) -> State {
        let (instance, generation) = {
            let current = self.shared.current.lock().unwrap_or_else(PoisonError::into_inner);
            (Arc::clone(&current.instance), current.generation)
        };
        let levels = instance.levels();
        State {
            generation,
            ready: levels.is_ready,
            gateway_in_flight: levels.gateway_in_flight,
            gateway_queue_depth: levels.gateway_queue_depth,
            catalog_in_flight: levels.catalog_in_flight,
            cache_entries: levels.cache_entries,
            db_in_flight: levels.db_in_flight,
            db_pool: levels.pool.map(|pool| PoolState {
                size: pool.size,
                idle: pool.idle,
                connecting: pool.connecting,
                waiters: pool.waiters,
            }),
        }
    }

    /// What it has reported so far.
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.shared.recorder.snapshot()
    }

    /// What the scenario says of it.
    pub fn spec(&self) -> &MockSpec {
        &self.shared.spec
    }

    fn instance(&self) -> Arc<Instance> {
        Arc::clone(&self.shared.current.lock().unwrap_or_else(PoisonError::into_inner).instance)
    }

    fn swap(&self) {
        let mut current = self.shared.current.lock().unwrap_or_else(PoisonError::into_inner);
        // Silent before the new one reports its first levels.
        current.instance.retire();
        let fresh = Instance::cold(&self.shared.spec, &self.shared.rt, &self.shared.recorder);
        let old = std::mem::replace(&mut current.instance, Arc::new(fresh));
        current.generation += 1;
        drop(current);
        drop(old);
    }
}
