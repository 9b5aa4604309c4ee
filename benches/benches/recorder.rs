//! What does recording cost? One request with its three calls, one event of the target with and without expectations on it.
//!
//! The plan is that of a typical scenario. Goal: a request at most 150 ns, a target's count or gauge at most 15 ns, so that
//! recording does not decide how fast a simulation is.

use coldfront_clock::Instant;
use coldfront_measure::{Arrival, ColdCosts, Parts, Plan, Recorder, Sample};
use coldfront_scenarios::{Outcome, Scenario, Series};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::collections::VecDeque;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

const SCENARIO: &str = r#"
name = "recorder"
[[traffic]]
name = "load"
arrivals = "poisson"
timeout = "1s"
deadline = "400ms"
mix = [{ get = "/items/{key}", keys = { count = 1000 } }]
stage = [
  { name = "quiet", for = "2s", rate = "1000/s" },
  { name = "spike", for = "100s", rate = "50000/s" },
  { name = "after", for = "3s", rate = "1000/s" },
]
[target.gateway]
workers = 400
limiter = { kind = "sliding-window", limit = 40000, per = "1s" }
queue = { kind = "fifo", capacity = 200 }
[target.db]
query = "4ms"
pool = { kind = "deadpool", max = 100, connect = "30ms" }
[expect]
first-wave = "p95(latency) <= 250ms during spike[0s..500ms]"
no-connects = "count(db.connects) == 0 during spike[1s..]"
smooth = "max(db.queries per 100ms) <= 4500"
depth = "max(gateway.queue.depth) <= 200 during spike"
good = "ratio(good / offered) >= 95% during spike"
tail = "p99(latency) <= 400ms during spike"
recovers = "recovery(p95(latency per 500ms), 10% of quiet) <= 1s after spike"
"#;

/// Requests in flight at once.
const IN_FLIGHT: usize = 500;
/// Nanoseconds between arrivals.
const GAP: u64 = 20_000;

fn recorder() -> Recorder {
    let scenario = Scenario::parse(SCENARIO, "recorder.toml").expect("the scenario is sound");
    Recorder::local(Arc::new(Plan::compile(&scenario)))
}

/// An endless stream of requests of which `IN_FLIGHT` are open at a time and end slightly out of order.
struct Load {
    recorder: Recorder,
    sequence: u64,
    open: VecDeque<Arrival>,
}

impl Load {
    fn new() -> Self {
        Self { recorder: recorder(), sequence: 0, open: VecDeque::new() }
    }

    fn request(&mut self) {
        let at = 2_000_000_000 + (self.sequence * GAP) % 100_000_000_000 + 1;
        let arrival =
            Arrival { traffic: 0, stage: 1, route: 0, sequence: self.sequence, intended_at: Instant::from_nanos(at) };
        self.sequence += 1;
        self.recorder.offered(&arrival);
        self.recorder.sent(&arrival, arrival.intended_at);
        self.open.push_back(arrival);
        if self.open.len() > IN_FLIGHT {
            let place = (self.sequence % 7) as usize;
            let arrival = self.open.swap_remove_front(place).expect("some are open");
            let first_byte = Duration::from_nanos(9_000_000 + self.sequence % 1_000_003);
            self.recorder.outcome(&Sample {
                arrival,
                outcome: Outcome::Ok,
                status: Some(200),
                ended_at: Instant::from_nanos(at),
                parts: Parts {
                    lateness: Duration::ZERO,
                    connect: Some(Duration::ZERO),
                    first_byte: Some(first_byte),
                    transfer: Some(Duration::ZERO),
                },
                cold: ColdCosts::default(),
                new_connection: false,
            });
        }
    }
}

fn cost(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("recorder");
    group.throughput(Throughput::Elements(1));

    let mut load = Load::new();
    group.bench_function("request", |bench| bench.iter(|| load.request()));

    let recorder = recorder();
    let mut now = 0;
    let mut at = || {
        now += GAP;
        Instant::from_nanos(now % 100_000_000_000)
    };
    group.bench_function("count", |bench| bench.iter(|| recorder.count(Series::CatalogCalls, at())));
    group.bench_function("gauge", |bench| bench.iter(|| recorder.gauge(Series::DbInFlight, black_box(at()), 7)));
    let value = Duration::from_micros(4321);
    group.bench_function("observe", |bench| bench.iter(|| recorder.observe(Series::DbQuery, at(), value)));
    group.finish();

    let mut group = criterion.benchmark_group("recorder with an expectation on it");
    let recorder = self::recorder();
    let mut now = 0;
    let mut at = || {
        now += GAP;
        Instant::from_nanos(now)
    };
    group.bench_function("trailing windows", |bench| bench.iter(|| recorder.count(Series::DbQueries, at())));
    group.bench_function("level", |bench| bench.iter(|| recorder.gauge(Series::GatewayQueueDepth, at(), 7)));
    group.finish();
}

criterion_group!(benches, cost);
criterion_main!(benches);
