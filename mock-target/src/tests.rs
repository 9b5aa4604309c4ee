//! The target in virtual time, by tier; every number is exact.

mod abandoned;
mod cache;
mod gateway;
mod lifecycle;
mod pool;
mod stock;

use crate::{Call, Reply, RouteKind, Target};
use coldfront_clock::Instant;
use coldfront_measure::{Plan, Recorder, Snapshot, TraceEvent};
use coldfront_rt::{JoinHandle, Rt, Stop, sim};
use coldfront_scenarios::{
    Arrivals, Cache, Catalog, Connections, Db, Gateway, InFlight, InFlightPolicy, Law, MockSpec, Open, Pool, PoolKind,
    Rate, Route, Scenario, Series, Stage, Traffic, WarmUp,
};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

const NOTHING: Law = Law::Fixed(Duration::ZERO);

pub(crate) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(crate) const fn at(millis: u64) -> Instant {
    Instant::after_start(ms(millis))
}

pub(crate) const fn fixed(millis: u64) -> Law {
    Law::Fixed(ms(millis))
}

pub(crate) fn gateway() -> Gateway {
    Gateway { service: NOTHING, cold: None, workers: None, limiter: None, queue: None, upstream_timeout: None }
}

pub(crate) fn catalog(service: Law) -> Catalog {
    Catalog { service, cold: None, stock: 1_000_000 }
}

pub(crate) fn cache() -> Cache {
    Cache { capacity: 1_000, ttl: None, hit: NOTHING, miss: NOTHING, warm_keys: 0, single_flight: false }
}

pub(crate) fn pool(max: u32, connect: u64, warm_up: WarmUp) -> Pool {
    Pool { kind: PoolKind::Deadpool, max, connect: fixed(connect), acquire_timeout: None, warm_up }
}

pub(crate) fn db(query: u64, pool: Option<Pool>) -> Db {
    Db { query: fixed(query), max_connections: None, pool }
}

/// A recorder that keeps a trace, for a scenario that nobody drives.
pub(crate) fn recorder() -> Recorder {
    let route = Route {
        method: "GET".to_owned(),
        path: "/catalog".to_owned(),
        weight: 1.0,
        keys: None,
        headers: Vec::new(),
        body: None,
        expect: Vec::new(),
    };
    let stage = Stage {
        name: "all".to_owned(),
        start: Duration::ZERO,
        duration: Duration::from_secs(3600),
        rate: Rate::Constant(1.0),
    };
    let traffic = Traffic {
        name: "load".to_owned(),
        arrivals: Arrivals::Uniform,
        timeout: None,
        deadline: None,
        connections: Connections { max: 1, open: Open::Lazy },
        in_flight: InFlight { max: 1, policy: InFlightPolicy::Drop },
        mix: vec![route],
        stages: vec![stage],
    };
    let scenario = Scenario {
        name: "test".to_owned(),
        about: None,
        file: "test.toml".to_owned(),
        seed: 1,
        mode: None,
        traffic: vec![traffic],
        target: coldfront_scenarios::Target::Embedded(Box::default()),
        events: Vec::new(),
        expectations: Vec::new(),
    };
    Recorder::traced(Arc::new(Plan::compile(&scenario)))
}

/// A target in a simulation.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) rt: Rt,
    pub(crate) target: Target,
    recorder: Recorder,
}

/// An answer and how long it took.
type Answer = (Reply, Duration);

impl World {
    /// Runs `story` against a cold target.
    pub(crate) fn run<F>(spec: MockSpec, story: impl FnOnce(Self) -> F) -> F::Output
    where
        F: Future + Send + 'static,
    {
        let recorder = recorder();
        sim::run(1, Stop::new(), |rt| {
            let target = Target::cold(Arc::new(spec), rt.clone(), recorder.clone());
            story(Self { rt, target, recorder })
        })
        .expect("the story comes to its end")
    }

    /// A request that starts when the future is first polled.
    async fn ask(&self, id: u64, route: RouteKind, key: u64) -> Answer {
        let started = self.rt.now();
        let reply = self.target.call(Call { id, route, key, quantity: 1 }).await;
        (reply, self.rt.now().since(started))
    }

    async fn item(&self, id: u64, key: u64) -> Answer {
        self.ask(id, RouteKind::Item, key).await
    }

    /// A request that starts at `start`, in a task of its own.
    fn item_at(&self, start: Instant, id: u64, key: u64) -> JoinHandle<Answer> {
        let world = self.clone();
        self.rt.spawn("client", async move {
            world.rt.sleep_until(start).await;
            world.item(id, key).await
        })
    }

    /// A request that starts at `start` and is given up `patience` later; `None` if it was.
    fn impatient_at(&self, start: Instant, patience: Duration, id: u64, key: u64) -> JoinHandle<Option<Answer>> {
        let world = self.clone();
        self.rt.spawn("client", async move {
            world.rt.sleep_until(start).await;
            world.rt.timeout_at(start + patience, world.item(id, key)).await.ok()
        })
    }

    /// `count` reads of `key` at `start`, with ids from `first`.
    fn wave_at(&self, start: Instant, first: u64, count: u64, key: u64) -> Vec<JoinHandle<Answer>> {
        (first..first + count).map(|id| self.item_at(start, id, key)).collect()
    }

    /// `count` reads with ids and keys from `first`, at `start`.
    fn distinct_at(&self, start: Instant, first: u64, count: u64) -> Vec<JoinHandle<Answer>> {
        (first..first + count).map(|id| self.item_at(start, id, id)).collect()
    }

    pub(crate) fn count(&self, series: Series) -> u64 {
        self.snapshot().count(series)
    }

    fn level(&self, series: Series) -> Option<u64> {
        self.snapshot().level(series)
    }

    /// The levels that a gauge was reported at, in order.
    fn levels(&self, wanted: Series) -> Vec<(Instant, u64)> {
        let level = |event: &TraceEvent| match event {
            TraceEvent::Gauge(series, at, level) if *series == wanted => Some((*at, *level)),
            _ => None,
        };
        self.recorder.take_trace().iter().filter_map(level).collect()
    }

    fn snapshot(&self) -> Snapshot {
        self.recorder.snapshot()
    }
}

async fn all<T>(handles: Vec<JoinHandle<T>>) -> Vec<T> {
    let mut outputs = Vec::with_capacity(handles.len());
    for handle in handles {
        outputs.push(handle.await);
    }
    outputs
}

fn statuses(answers: &[Answer]) -> Vec<u16> {
    answers.iter().map(|(reply, _)| reply.status).collect()
}

fn times(answers: &[Answer]) -> Vec<u128> {
    answers.iter().map(|(_, time)| time.as_millis()).collect()
}
