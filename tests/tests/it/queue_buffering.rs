//! Goal: a bounded queue turns the square pulse 0 → 500 → 0 into what the tier behind it can carry, by the fluid law.
//!
//! Method: deterministic arrivals and service (D/D/1), where the queue's maximum (λ − μ)T, the longest wait (λ − μ)T / μ and
//! the drain time are exact. Arrivals come at k/λ, k = 1, 2, …, so the k-th waits (k − 1)(1/μ − 1/λ).

use crate::support::{live, measured, simulate};

/// λ = 500/s for `seconds` into one worker with this query time, with this queue.
fn pulse(seconds: u32, query: &str, queue: &str, more: &str, expectations: &str) -> String {
    format!(
        r#"
name = "square pulse"
seed = 3

[[traffic]]
name = "pulse"
arrivals = "uniform"
{more}
connections = {{ max = 10_000, open = "before" }}
mix = [{{ get = "/catalog" }}]
stage = [
  {{ name = "pulse", for = "{seconds}s", rate = "500/s" }},
  {{ name = "after", for = "30s", rate = "0/s" }},
]

[target]
abandoned = "stops"

[target.network]
connect = "0s"
round_trip = "0s"

[target.gateway]
workers = 1
queue = {{ kind = "fifo", {queue} }}

[target.db]
query = "{query}"

[expect]
{expectations}
"#,
    )
}

#[test]
fn the_pulse_of_500_into_200_queues_3000_and_drains_in_15_seconds() {
    let run = simulate(&pulse(
        10,
        "5ms",
        "capacity = 10_000",
        "",
        r#"
depth = "max(gateway.queue.depth) <= 3001"
longest = "max(gateway.queue.wait) <= 15s"
average = "mean(gateway.queue.wait) <= 8s"
drained = "recovery(last(gateway.queue.depth per 1ms), 0) <= 16s after pulse"
served = "count(ok) == 5000"
"#,
    ));
    run.assert_passed();
    assert_eq!(measured(&run, "longest"), 14.997, "4,999 × 3 ms");
    assert_eq!(measured(&run, "average"), 7.4985, "half of it");
    // At 10 s, 5,000 have arrived and the worker has taken ⌊9.998 / 0.005⌋ + 1 = 2,000: 3,000 wait, ± the one being handed over.
    assert!((measured(&run, "depth") - 3000.0).abs() <= 1.0, "{}", measured(&run, "depth"));
    // The last of them is taken up at 24.997 s.
    assert!((measured(&run, "drained") - 14.997).abs() <= 0.001, "{}", measured(&run, "drained"));
}

#[test]
fn a_bounded_queue_admits_what_it_can_serve_and_hold() {
    let run = simulate(&pulse(
        10,
        "5ms",
        "capacity = 400",
        "",
        r#"
depth = "max(gateway.queue.depth) == 400"
served = "count(ok) >= 0"
lost = "count(shed) >= 0"
longest = "max(gateway.queue.wait) <= 2s"
"#,
    ));
    run.assert_passed();
    // μT + K = 2,400 served and 2,600 lost, to within the request in the worker's hands.
    assert!((measured(&run, "served") - 2400.0).abs() <= 1.0, "{}", measured(&run, "served"));
    assert!((measured(&run, "lost") - 2600.0).abs() <= 1.0, "{}", measured(&run, "lost"));
    assert!((measured(&run, "longest") - 2.0).abs() <= 0.005, "K / μ, {}", measured(&run, "longest"));
}

#[test]
fn a_queue_that_is_too_deep_makes_everybody_time_out() {
    // Work for clients that have gone is still done: only arrivals before Dμ / (λ − μ) = 1.333 s are answered in time.
    let text = pulse(
        10,
        "5ms",
        "capacity = 10_000",
        "timeout = \"2s\"",
        r#"
good = "count(good) <= 700"
"#,
    );
    let run = simulate(&text.replace("abandoned = \"stops\"", "abandoned = \"continues\""));
    run.assert_passed();
    assert!((measured(&run, "good") - 667.0).abs() <= 2.0, "{}", measured(&run, "good"));
}

#[test]
fn a_queue_whose_clients_leave_still_answers_nobody_in_time() {
    // With clients that leave at most μ(T + D) = 2,400 could be served. But first in, first out always hands the worker the
    // one who is about to leave: it is cut off in service, and nothing is gained over working for those who have gone.
    let run = simulate(&pulse(
        10,
        "5ms",
        "capacity = 10_000",
        "timeout = \"2s\"",
        r#"
good = "count(good) <= 2400"
"#,
    ));
    run.assert_passed();
    assert!((measured(&run, "good") - 667.0).abs() <= 2.0, "{}", measured(&run, "good"));
}

#[test]
fn a_cold_phase_is_worst_for_a_request_that_came_early_in_it() {
    // λ = 500/s; μ = 100/s for the first 3 s, then 600/s: 1,200 wait at 3 s, the queue is empty at 15.0 s, and the longest
    // wait is 2.4 s.
    let text = pulse(
        20,
        "1666667ns",
        "capacity = 10_000",
        "",
        r#"
depth = "max(gateway.queue.depth) <= 1300"
longest = "max(gateway.queue.wait) <= 3s"
empty = "max(gateway.queue.depth) <= 2 during pulse[15200ms..]"
not-yet = "min(gateway.queue.depth) >= 1 during pulse[1s..14s]"
"#,
    ) + r#"
[[event]]
at = "0s"
do = "slow-db"
factor = 6
for = "3s"
"#;
    let run = simulate(&text);
    run.assert_passed();
    assert!((measured(&run, "depth") - 1200.0).abs() <= 2.0, "{}", measured(&run, "depth"));
    assert!((measured(&run, "longest") - 2.4).abs() <= 0.015, "{}", measured(&run, "longest"));
}

#[test]
fn a_queue_timeout_bounds_every_wait() {
    let run = simulate(&pulse(
        10,
        "5ms",
        "capacity = 10_000, timeout = \"500ms\"",
        "",
        r#"
longest = "max(gateway.queue.wait) <= 500ms"
some = "count(gateway.queue.timeouts) >= 1"
"#,
    ));
    run.assert_passed();
    assert_eq!(measured(&run, "longest"), 0.5, "those who are turned away waited the whole timeout");
}

#[test]
fn real_the_queue_buffers_the_pulse_and_drains() {
    let run = live(
        r#"
name = "square pulse, live"
seed = 3

[[traffic]]
name = "pulse"
arrivals = "uniform"
timeout = "3s"
connections = { max = 256, open = "before" }
mix = [{ get = "/catalog" }]
stage = [
  { name = "idle", for = "200ms", rate = "0/s" },
  { name = "spike", for = "1s", rate = "500/s" },
  { name = "after", for = "1s", rate = "0/s" },
]

[target.gateway]
workers = 8
queue = { kind = "fifo", capacity = 400 }

[target.db]
query = "20ms"

[expect]
piled-up = "max(gateway.queue.depth) >= 50"
bounded = "max(gateway.queue.depth) <= 200"
all-served = "count(ok) == 500"
smooth = "max(db.queries per 100ms) <= 48"
drained = "recovery(last(gateway.queue.depth per 100ms), 0) <= 900ms after spike"
"#,
    );
    run.assert_passed();
}
