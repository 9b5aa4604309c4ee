//! Goal: nothing is lost, whatever the scenario: every arrival has exactly one outcome, and both sides of the wire agree.
//!
//! Method: property test over arbitrary small scenarios in sim. The identity, the limiter's and the queue's law and the
//! conservation of admitted requests must hold in each.

use crate::support::{measured, simulate};
use proptest::prelude::*;

#[derive(Clone, Debug)]
struct Case {
    seed: u32,
    arrivals: &'static str,
    rates: [u32; 3],
    stage_ms: u32,
    timeout_ms: Option<u32>,
    connections: u32,
    open: &'static str,
    in_flight: &'static str,
    limiter: (String, u32),
    workers: u32,
    queue: (u32, Option<u32>),
    query: &'static str,
    pool: (u32, u32, &'static str),
    single_flight: bool,
    abandoned: &'static str,
    event: &'static str,
}

fn limiters() -> impl Strategy<Value = (String, u32)> {
    (1_u32..80, 0_usize..4).prop_map(|(limit, kind)| match kind {
        0 => (format!(r#"{{ kind = "fixed-window", limit = {limit}, per = "100ms" }}"#), 2 * limit),
        1 => (format!(r#"{{ kind = "sliding-window", limit = {limit}, per = "100ms" }}"#), limit),
        2 => (format!(r#"{{ kind = "sliding-window-counter", limit = {limit}, per = "100ms" }}"#), 2 * limit - 1),
        _ => (format!(r#"{{ kind = "token-bucket", rate = "{}/s", burst = {limit} }}"#, limit * 10), 2 * limit),
    })
}

fn cases() -> impl Strategy<Value = Case> {
    let load = (
        0_u32..1000,
        prop::sample::select(vec!["uniform", "poisson"]),
        [0_u32..400, 0..3000, 0..400],
        40_u32..300,
        prop::option::of(1_u32..200),
        1_u32..100,
        prop::sample::select(vec!["before", "lazy"]),
        prop::sample::select(vec![
            r#"{ max = 100_000, policy = "drop" }"#,
            r#"{ max = 20, policy = "drop" }"#,
            r#"{ max = 20, policy = "queue", capacity = 10 }"#,
        ]),
    );
    let target = (
        limiters(),
        1_u32..30,
        (1_u32..100, prop::option::of(1_u32..100)),
        prop::sample::select(vec![r#""0s""#, r#""3ms""#, r#"{ mean = "5ms" }"#, r#"{ median = "4ms", p99 = "40ms" }"#]),
        (1_u32..20, 0_u32..60, prop::sample::select(vec!["lazy", "min-idle", "prewarm"])),
        any::<bool>(),
        prop::sample::select(vec!["stops", "continues"]),
        prop::sample::select(vec!["flush-cache", "kill-connections", "cold", "warm-pool", "slow-db"]),
    );
    (load, target).prop_map(|(load, target)| Case {
        seed: load.0,
        arrivals: load.1,
        rates: load.2,
        stage_ms: load.3,
        timeout_ms: load.4,
        connections: load.5,
        open: load.6,
        in_flight: load.7,
        limiter: target.0,
        workers: target.1,
        queue: target.2,
        query: target.3,
        pool: target.4,
        single_flight: target.5,
        abandoned: target.6,
        event: target.7,
    })
}

fn scenario(case: &Case) -> String {
    let timeout = case.timeout_ms.map(|ms| format!("timeout = \"{ms}ms\"")).unwrap_or_default();
    let queue_timeout = case.queue.1.map(|ms| format!(", timeout = \"{ms}ms\"")).unwrap_or_default();
    let (max, connect, kind) = case.pool;
    let warm_up = match kind {
        "min-idle" => format!(r#", warm_up = {{ kind = "min-idle", min = {max} }}"#),
        "prewarm" => format!(r#", warm_up = {{ kind = "prewarm", to = {max}, parallel = 2 }}"#),
        _ => String::new(),
    };
    let slow = if case.event == "slow-db" { "factor = 3\nfor = \"50ms\"" } else { "" };
    let [first, second, third] = case.rates;
    let ms = case.stage_ms;
    format!(
        r#"
name = "arbitrary"
seed = {seed}

[[traffic]]
name = "load"
arrivals = "{arrivals}"
{timeout}
connections = {{ max = {connections}, open = "{open}" }}
in_flight = {in_flight}
mix = [
  {{ get = "/items/{{key}}", weight = 3, keys = {{ count = 50, zipf = 1 }} }},
  {{ post = "/import", weight = 1 }},
]
stage = [
  {{ name = "one", for = "{ms}ms", rate = "{first}/s" }},
  {{ name = "two", for = "{ms}ms", rate = {{ from = "{first}/s", to = "{second}/s" }} }},
  {{ name = "three", for = "{ms}ms", rate = "{third}/s" }},
]

[target]
abandoned = "{abandoned}"

[target.gateway]
workers = {workers}
limiter = {limiter}
queue = {{ kind = "fifo", capacity = {capacity}{queue_timeout} }}
upstream_timeout = "60ms"

[target.cache]
capacity = 20
ttl = "100ms"
single_flight = {single_flight}

[target.db]
query = {query}
pool = {{ kind = "deadpool", max = {max}, connect = "{connect}ms", acquire_timeout = "40ms"{warm_up} }}

[[event]]
at = "two"
do = "{event}"
{slow}

[expect]
received = "count(gateway.received) >= 0"
admitted = "count(gateway.admitted) >= 0"
refused = "count(gateway.rejected) >= 0"
worst = "max(gateway.admitted per 100ms) <= {law}"
depth = "max(gateway.queue.depth) <= {capacity}"
size = "max(db.pool.size) <= {pool_bound}"
in-flight-ends = "last(in_flight) == 0"
gateway-ends = "last(gateway.in_flight) == 0"
waiters-end = "last(db.pool.waiters) == 0"
queue-ends = "last(gateway.queue.depth) == 0"
"#,
        seed = case.seed,
        arrivals = case.arrivals,
        connections = case.connections,
        open = case.open,
        in_flight = case.in_flight,
        abandoned = case.abandoned,
        workers = case.workers,
        limiter = case.limiter.0,
        // A cold swap starts a new limiter and a new pool beside the old ones that finish their work.
        law = if case.event == "cold" { 2 * case.limiter.1 } else { case.limiter.1 },
        pool_bound = if case.event == "cold" { 2 * max } else { max },
        capacity = case.queue.0,
        single_flight = case.single_flight,
        query = case.query,
        event = case.event,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_arrival_has_one_outcome_and_no_admitted_request_is_lost(case in cases()) {
        let text = scenario(&case);
        let run = simulate(&text);
        let totals = run.totals();
        prop_assert_eq!(
            totals.offered,
            totals.ok + totals.rejected + totals.shed + totals.timed_out + totals.failed + totals.dropped + totals.unfinished,
            "{:?}\n{}", totals, text
        );
        prop_assert_eq!(totals.unfinished, 0, "the drain is long enough for everybody\n{}", text);
        prop_assert!(totals.sent <= totals.offered - totals.dropped, "{:?}\n{}", totals, text);
        // What is received is refused by the limiter, or by the gate, or admitted.
        prop_assert!(measured(&run, "received") >= measured(&run, "admitted") + measured(&run, "refused"), "{}", text);
        prop_assert_eq!(measured(&run, "in-flight-ends"), 0.0, "{}", text);
        for failed in run.failed_expectations() {
            prop_assert!(false, "{failed}\n{text}");
        }
    }
}

#[test]
fn a_run_says_which_status_failed_on_which_route() {
    let run = simulate(
        r#"
name = "sold out"
seed = 3

[[traffic]]
name = "buyers"
arrivals = "uniform"
connections = { max = 64, open = "before" }
mix = [{ post = "/api/v1/seckill/order", json = { sku_id = 1, quantity = 1 } }]
stage = [{ name = "rush", for = "1s", rate = "10/s" }]

[target.catalog]
service = "1ms"
stock = 4

[expect]
sold = "count(catalog.orders) == 4"
"#,
    );
    run.assert_passed();
    assert!(run.notes().iter().any(|note| note == "6 × status 409 to POST /api/v1/seckill/order"), "{:?}", run.notes());
}
