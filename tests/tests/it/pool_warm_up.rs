//! Goal: a pool pays for its connections exactly when its kind of warm-up says so.
//!
//! Method: N = 10 connections that cost c = 50 ms each, under 0 → 500 → 0 and under bursts at one instant. In sim the herd,
//! the fill time and the first answers are closed formulas (herd = min(N, burst); fill = ⌈N / k⌉ × c for k connects at
//! once), so the tests ask for equality. Live, the same scenarios are asked for order and wide bounds.

use crate::support::{live, measured, simulate};

/// 0 → 500 → 0 on a database without a cache in front of it, with this pool and these expectations.
fn spike(pool: &str, expectations: &str) -> String {
    format!(
        r#"
name = "0 → 500 → 0 on a pool of ten"
seed = 3

[[traffic]]
name = "shoppers"
arrivals = "uniform"
timeout = "2s"
connections = {{ max = 256, open = "before" }}
mix = [{{ get = "/items/{{key}}", keys = {{ count = 1000, zipf = 1.1 }} }}]
stage = [
  {{ name = "idle", for = "1s", rate = "0/s" }},
  {{ name = "spike", for = "1s", rate = "500/s" }},
  {{ name = "after", for = "500ms", rate = "0/s" }},
]

[target.network]
connect = "0s"
round_trip = "0s"

[target.db]
query = "5ms"
pool = {{ kind = "deadpool", max = 10, connect = "50ms"{pool} }}

[expect]
{expectations}
"#
    )
}

#[test]
fn a_lazy_pool_sends_a_herd_of_connects_into_the_first_wave() {
    let run = simulate(&spike(
        "",
        r#"
before = "count(db.connects) == 0 during idle"
herd = "count(db.connects) == 10 during spike"
at-once = "max(db.pool.connecting) == 10"
fastest = "min(latency) >= 5ms during first 10 of spike"
slowest = "max(latency) <= 1s during spike"
waiters = "max(db.pool.waiters) <= 1000"
later = "count(db.connects) == 0 during spike[100ms..]"
"#,
    ));
    run.assert_passed();
    // Each of the first ten opens a connection for 50 ms and queries for 5 ms. The eleventh came at 22 ms and gets the first
    // connection when it is free, at 57 ms; nobody is slower than the first ten.
    assert_eq!(measured(&run, "fastest"), 0.055);
    assert_eq!(measured(&run, "slowest"), 0.055);
    // Until the first query ends, at 57 ms, 28 requests have arrived and ten of them hold a connection: eighteen wait.
    assert_eq!(measured(&run, "waiters"), 18.0);
}

#[test]
fn a_prewarmed_pool_behind_its_gate_has_no_connect_in_the_spike() {
    let run = simulate(&spike(
        r#", warm_up = { kind = "prewarm", to = 10 }"#,
        r#"
before = "count(db.connects) == 10 during idle"
none = "count(db.connects) == 0 during spike"
fast = "max(latency) <= 5ms during spike"
no-wait = "max(db.pool.wait) <= 0s during spike"
"#,
    ));
    run.assert_passed();
}

#[test]
fn a_pool_with_a_minimum_is_full_before_the_burst_that_needs_it() {
    let run = simulate(&spike(
        r#", warm_up = { kind = "min-idle", min = 10 }"#,
        r#"
before = "count(db.connects) == 10 during idle"
none = "count(db.connects) == 0 during spike"
fast = "max(latency) <= 5ms during spike"
"#,
    ));
    run.assert_passed();
}

/// One request every millisecond from the start: those refused by the gate count the milliseconds until it opened.
fn gate(parallel: u32) -> f64 {
    let run = simulate(&format!(
        r#"
name = "readiness gate"
seed = 3

[[traffic]]
name = "probes"
arrivals = "uniform"
connections = {{ max = 64, open = "before" }}
mix = [{{ get = "/catalog" }}]
stage = [{{ name = "all", for = "1s", rate = "1000/s" }}]

[target.network]
connect = "0s"
round_trip = "0s"

[target.gateway]

[target.db]
query = "1ms"
pool = {{ kind = "deadpool", max = 10, connect = "50ms", warm_up = {{ kind = "prewarm", to = 10, parallel = {parallel} }} }}

[expect]
shed = "count(gateway.shed) >= 0"
connects = "count(db.connects) == 10"
"#
    ));
    run.assert_passed();
    measured(&run, "shed")
}

#[test]
fn a_prewarm_fills_in_rounds_of_its_parallel_bound() {
    // ⌈10 / k⌉ × 50 ms; the arrival of the opening instant itself comes after the completion that opens the gate.
    assert_eq!(gate(10), 49.0);
    assert_eq!(gate(5), 99.0);
    assert_eq!(gate(3), 199.0);
    assert_eq!(gate(1), 499.0);
}

#[test]
fn the_herd_is_no_larger_than_the_burst() {
    // Four requests at once need four connections, however many the pool may open.
    let run = simulate(
        r#"
name = "a burst of four"
seed = 3

[[traffic]]
name = "burst"
arrivals = "uniform"
connections = { max = 64, open = "before" }
mix = [{ get = "/catalog" }]
stage = [{ name = "burst", for = "1ms", rate = "4000/s" }]

[target.db]
query = "1ms"
pool = { kind = "deadpool", max = 10, connect = "50ms" }

[expect]
herd = "count(db.connects) == 4"
"#,
    );
    run.assert_passed();
}

#[test]
fn an_acquire_gives_up_at_its_one_absolute_deadline() {
    // One connection, held 400 ms per query; the deadline of 500 ms counts from the acquire. The second request gets the
    // connection after 398 ms, the third would at 798 ms and gives up at exactly 500 ms.
    let run = simulate(
        r#"
name = "acquire timeout"
seed = 3

[[traffic]]
name = "burst"
arrivals = "uniform"
connections = { max = 64, open = "before" }
mix = [{ get = "/catalog" }]
stage = [{ name = "burst", for = "4ms", rate = "1000/s" }, { name = "after", for = "2s", rate = "0/s" }]

[target.network]
connect = "0s"
round_trip = "0s"

[target.db]
query = "400ms"
pool = { kind = "deadpool", max = 1, connect = "0s", acquire_timeout = "500ms" }

[expect]
gave-up = "count(db.pool.timeouts) == 2"
shed = "count(shed) == 2"
longest = "max(db.pool.wait) <= 500ms"
"#,
    );
    run.assert_passed();
    assert_eq!(measured(&run, "longest"), 0.5);
}

#[test]
fn killed_connections_are_opened_again_by_those_who_need_them() {
    let text = spike(
        r#", warm_up = { kind = "prewarm", to = 10 }"#,
        r#"
again = "count(db.connects) >= 1 during spike"
no-more-than-a-pool = "count(db.connects) <= 10 during spike"
"#,
    ) + r#"
[[event]]
at = "spike+500ms"
do = "kill-connections"
"#;
    let run = simulate(&text);
    run.assert_passed();
}

#[test]
fn real_a_lazy_pool_pays_in_the_first_wave_and_a_warm_one_does_not() {
    let lazy = live(&spike(
        "",
        r#"
herd = "count(db.connects) == 10 during spike"
paid = "p50(latency) >= 40ms during first 10 of spike"
"#,
    ));
    lazy.assert_passed();
    let warm = live(&spike(
        r#", warm_up = { kind = "prewarm", to = 10 }"#,
        r#"
none = "count(db.connects) == 0 during spike"
first = "p50(latency) <= 40ms during first 10 of spike"
"#,
    ));
    warm.assert_passed();
    assert!(measured(&lazy, "paid") > measured(&warm, "first"), "the cold first wave must be slower than the warm one");
}
