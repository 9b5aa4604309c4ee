//! What does one simulated request through the whole chain cost, recording and verdict included?
//!
//! The elements counted are requests offered. A published figure to hold it against is `SimPy`'s 0.2 million requests per
//! second of a far simpler model; it is not run here.

use coldfront_harness::{Options, run};
use coldfront_scenarios::{Mode, Scenario};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const REQUESTS: u64 = 200_000;

/// Every tier on: limiter, queue and workers, catalog, cache with single flight, pool and database.
fn whole_chain() -> Scenario {
    let text = r#"
name = "whole chain"
seed = 7
mode = "sim"

[[traffic]]
name = "shoppers"
arrivals = "poisson"
timeout = "1s"
deadline = "250ms"
connections = { max = 1000, open = "before" }
mix = [{ get = "/items/{key}", keys = { count = 10_000, zipf = 1.1 } }]
stage = [{ name = "steady", for = "20s", rate = "10000/s" }]

[target.gateway]
workers = 200
limiter = { kind = "sliding-window", limit = 11_000, per = "1s" }
queue = { kind = "fifo", capacity = 500, timeout = "250ms" }
upstream_timeout = "800ms"

[target.catalog]
service = "1ms"
cold = { extra = "20ms", calls = 200 }

[target.cache]
capacity = 5000
ttl = "60s"
single_flight = true

[target.db]
query = { median = "4ms", p99 = "20ms" }
pool = { kind = "deadpool", max = 50, connect = "50ms", acquire_timeout = "250ms" }

[expect]
p95 = "p95(latency) <= 250ms during steady"
window = "max(gateway.admitted per 1s) <= 11000"
good = "ratio(good / offered) >= 90%"
"#;
    Scenario::parse(text, "whole-chain.toml").expect("the text above is a scenario")
}

fn requests(criterion: &mut Criterion) {
    let scenario = whole_chain();
    let options = Options { mode: Some(Mode::Sim), ..Options::default() };
    let mut group = criterion.benchmark_group("simulated_request");
    group.throughput(Throughput::Elements(REQUESTS));
    group.sample_size(10);
    group.bench_function("whole chain, recorded and judged", |bencher| {
        bencher.iter(|| run(&scenario, &options).expect("the simulation ends"));
    });
    group.finish();
}

criterion_group!(benches, requests);
criterion_main!(benches);
