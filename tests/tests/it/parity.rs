//! Goal: sim tells the truth about live.
//!
//! Method: the same scenario in both arms, with service times of at least 5 ms so that the machine's own delays are small
//! beside them; the live side is the median of three runs. Bounds: |Δp50| ≤ max(10 %, 1 ms) and
//! |Δcount| ≤ max(2 % of offered, 3√n) for every outcome; p99 is printed, not judged.

use crate::support::{live, simulate};
use coldfront_scenarios::Outcome;

const SPIKE: &str = r#"
[[traffic]]
name = "shoppers"
arrivals = "poisson"
timeout = "1s"
connections = { max = 256, open = "before" }
mix = [{ get = "/items/{key}", keys = { count = 2000, zipf = 1.1 } }]
stage = [
  { name = "idle", for = "300ms", rate = "0/s" },
  { name = "spike", for = "1500ms", rate = "500/s" },
  { name = "after", for = "200ms", rate = "50/s" },
]
"#;

#[expect(clippy::print_stdout, reason = "p99 is reported, not judged")]
fn assert_parity(name: &str, target: &str) {
    let text = format!(
        "name = \"{name}\"\nseed = 11\n{SPIKE}\n{target}\n[expect]\np50 = \"p50(latency) >= 0s\"\np99 = \"p99(latency) >= 0s\"\n"
    );
    let simulated = simulate(&text);
    let mut runs: Vec<_> = (0..3).map(|_| live(&text)).collect();
    runs.sort_by(|a, b| a.measured("p50").total_cmp(&b.measured("p50")));
    let real = &runs[1];

    let (p50_sim, p50_live) = (simulated.measured("p50"), real.measured("p50"));
    let allowed = (0.10 * p50_sim).max(0.001);
    println!(
        "{name}: p50 sim {p50_sim:.6} s live {p50_live:.6} s; p99 sim {:.6} s live {:.6} s",
        simulated.measured("p99"),
        real.measured("p99")
    );
    assert!((p50_sim - p50_live).abs() <= allowed, "{name}: p50 {p50_sim:.6} s in sim, {p50_live:.6} s live");

    let offered = simulated.totals().offered;
    assert_eq!(offered, real.totals().offered, "{name}: the schedule is the same in both modes");
    for outcome in Outcome::ALL {
        let in_sim = simulated.outcome(outcome) as f64;
        let mut counts: Vec<f64> = runs.iter().map(|run| run.outcome(outcome) as f64).collect();
        counts.sort_by(f64::total_cmp);
        let allowed = (0.02 * offered as f64).max(3.0 * in_sim.max(counts[1]).sqrt());
        assert!(
            (in_sim - counts[1]).abs() <= allowed,
            "{name}: {} {in_sim} in sim, {} live",
            outcome.name(),
            counts[1]
        );
    }
}

#[test]
fn real_parity_of_a_cold_pool() {
    assert_parity(
        "cold pool",
        r#"
[target.gateway]
workers = 40
queue = { kind = "fifo", capacity = 200, timeout = "500ms" }

[target.db]
query = { median = "8ms", p99 = "30ms" }
pool = { kind = "deadpool", max = 20, connect = "100ms" }
"#,
    );
}

#[test]
fn real_parity_of_a_limiter_with_a_cache() {
    assert_parity(
        "limiter and cache",
        r#"
[target.gateway]
limiter = { kind = "sliding-window", limit = 300, per = "1s" }

[target.catalog]
service = "6ms"

[target.cache]
capacity = 500
single_flight = true

[target.db]
query = "20ms"
"#,
    );
}

#[test]
fn real_parity_of_a_queue_that_sheds() {
    assert_parity(
        "overloaded queue",
        r#"
[target.gateway]
workers = 4
queue = { kind = "fifo", capacity = 40, timeout = "300ms" }

[target.db]
query = "12ms"
"#,
    );
}
