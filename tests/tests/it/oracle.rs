//! Goal: the simulator is a queueing system that obeys theory.
//!
//! Method: stations whose stationary mean wait is known in closed form, over ten fixed seeds of 10⁶ arrivals each:
//! Erlang C for M/M/10 and Pollaczek–Khinchine for M/G/1. The mean over the seeds must be within 3 %. The deterministic
//! pulse is exact and stands in `queue_buffering`.

use crate::support::{measured, simulate};

/// The mean wait in seconds of `arrivals` Poisson arrivals at `rate` per second, over ten seeds.
fn mean_wait(rate: u32, arrivals: u32, workers: u32, service: &str) -> f64 {
    let seconds = arrivals / rate;
    let one = |seed: u32| {
        let run = simulate(&format!(
            r#"
name = "a station in steady state"
seed = {seed}

[[traffic]]
name = "customers"
arrivals = "poisson"
connections = {{ max = 60_000, open = "before" }}
mix = [{{ get = "/catalog" }}]
stage = [{{ name = "steady", for = "{seconds}s", rate = "{rate}/s" }}]

[target.network]
connect = "0s"
round_trip = "0s"

[target.gateway]
workers = {workers}
queue = {{ kind = "fifo", capacity = 1_000_000 }}

[target.catalog]
service = {service}

[expect]
wait = "mean(gateway.queue.wait) <= 10s"
nobody-lost = "count(shed) == 0"
"#
        ));
        run.assert_passed();
        measured(&run, "wait")
    };
    (1..=10).map(one).sum::<f64>() / 10.0
}

fn assert_within_three_percent(measured: f64, theory: f64) {
    let error = measured / theory - 1.0;
    assert!(error.abs() <= 0.03, "measured {measured:.6} s, theory {theory:.6} s: {:+.2} %", error * 100.0);
}

/// Erlang C: Wq = C / (cμ − λ), with B by the recursion `B_k = a B_{k−1} / (k + a B_{k−1})` and C = B / (1 − ρ + ρB).
fn erlang_c_wait(servers: u32, service_rate: f64, arrival_rate: f64) -> f64 {
    let offered = arrival_rate / service_rate;
    let servers_f = f64::from(servers);
    let blocking = (1..=servers).fold(1.0, |b, k| offered * b / (f64::from(k) + offered * b));
    let utilisation = offered / servers_f;
    let waiting = blocking / (1.0 - utilisation + utilisation * blocking);
    waiting / (servers_f * service_rate - arrival_rate)
}

#[test]
fn the_formulas_give_the_published_values() {
    assert!((erlang_c_wait(10, 50.0, 400.0) - 0.004_091_8).abs() < 1e-7);
    assert!((erlang_c_wait(10, 50.0, 450.0) - 0.013_374_6).abs() < 1e-7);
}

#[test]
fn mm10_at_400_per_second_waits_as_erlang_c_says() {
    assert_within_three_percent(mean_wait(400, 1_000_000, 10, r#"{ mean = "20ms" }"#), erlang_c_wait(10, 50.0, 400.0));
}

#[test]
fn mm10_at_450_per_second_waits_as_erlang_c_says() {
    assert_within_three_percent(mean_wait(450, 1_000_000, 10, r#"{ mean = "20ms" }"#), erlang_c_wait(10, 50.0, 450.0));
}

#[test]
fn a_cold_cache_mixture_waits_as_pollaczek_and_khinchine_say() {
    // 95 % hits of 2 ms and 5 % misses of 162 ms have the mean of 10 ms that a fixed service has, and 13 times its wait:
    // Wq = λ E[S²] / (2 (1 − ρ)) = 80 × 1.316e-3 / 0.4 = 263.2 ms.
    let mixture = r#"{ mixture = [{ weight = 95, law = "2ms" }, { weight = 5, law = "162ms" }] }"#;
    let second_moment = 0.95 * 0.002_f64.powi(2) + 0.05 * 0.162_f64.powi(2);
    let theory = 80.0 * second_moment / (2.0 * (1.0 - 0.8));
    assert!((theory - 0.2632).abs() < 1e-9);
    assert_within_three_percent(mean_wait(80, 1_000_000, 1, mixture), theory);
}
