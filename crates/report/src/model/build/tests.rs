use super::*;
use coldfront_clock::Instant;
use coldfront_measure::{Arrival, ColdCosts as Paid, Plan, Recorder, Sample};
use coldfront_scenarios::{Outcome, Side};
use std::sync::Arc;

const SCENARIO: &str = r#"
name = "two requests"
seed = 7

[[traffic]]
name = "shoppers"
timeout = "100ms"
mix = [{ get = "/catalog" }]
stage = [{ name = "idle", for = "1s", rate = "0/s" }, { name = "spike", for = "1s", rate = "2/s" }]

[target.gateway]
limiter = { kind = "sliding-window", limit = 5, per = "1s" }

[target.db]
query = "1ms"
pool = { kind = "deadpool", max = 4, connect = "1ms" }

[expect]
slowest = "max(latency) <= 30ms during spike"
few = "ratio(ok / offered) >= 90%"
"#;

fn at(millis: u64) -> Instant {
    Instant::after_start(Duration::from_millis(millis))
}

/// Two requests: one waits 20 ms for a connect, one times out.
fn record(recorder: &Recorder) {
    recorder.gauge(Series::DbPoolSize, at(0), 0);
    for (sequence, outcome, intended, elapsed) in [(0, Outcome::Ok, 1_500, 40), (1, Outcome::TimedOut, 2_000, 100)] {
        let arrival = Arrival { traffic: 0, stage: 1, route: 0, sequence, intended_at: at(intended) };
        recorder.offered(&arrival);
        recorder.sent(&arrival, at(intended));
        recorder.count(Series::GatewayAdmitted, at(intended));
        recorder.gauge(Series::DbPoolSize, at(intended), sequence + 1);
        let db = Duration::from_millis(if sequence == 0 { 20 } else { 0 });
        recorder.outcome(&Sample {
            arrival,
            outcome,
            status: (outcome == Outcome::Ok).then_some(200),
            ended_at: at(intended + elapsed),
            parts: coldfront_measure::Parts::default(),
            cold: Paid { db, ..Paid::default() },
            new_connection: false,
        });
    }
    recorder.event(at(1_000), "flush-cache");
}

fn report() -> Report {
    report_on(SCENARIO)
}

fn report_on(text: &str) -> Report {
    let scenario = Scenario::parse(text, "/somewhere/on/this/machine/two.toml").unwrap();
    let recorder = Recorder::new(Arc::new(Plan::compile(&scenario)));
    record(&recorder);
    let recording = recorder.finish(at(2_100));
    let verdict = coldfront_verdict::judge(&scenario, &recording);
    let notes = ["simulated".to_owned()];
    Report::new(&Source {
        scenario: &scenario,
        recording: &recording,
        verdict: &verdict,
        mode: Mode::Sim,
        notes: &notes,
        interrupted: false,
    })
}

#[test]
fn every_number_finds_its_place() {
    let report = report();
    assert_eq!(report.totals, Counts { offered: 2, sent: 2, ok: 1, good: 1, timed_out: 1, ..Counts::default() });
    let spike = &report.stages[1];
    assert_eq!((spike.name.as_str(), spike.from_s, spike.to_s), ("spike", 1.0, 2.0));
    assert_eq!((spike.counts.ok, spike.latency_ms.count, spike.latency_ms.max), (1, 2, Some(100.0)));
    assert_eq!(report.stages[0].latency_ms, Quantiles::default());
    let first = &report.first_wave[0];
    assert_eq!((first.stage.as_str(), first.outcome, first.elapsed_ms), ("spike", Some("ok"), 40.0));
    assert_eq!((first.cold, first.cold_ms.db, report.first_wave[1].cold), (true, 20.0, false));
    assert_eq!(report.events, [Event { at_s: 1.0, text: "flush-cache".to_owned() }]);
    assert_eq!(report.windows.iter().map(|window| window.offered).sum::<u64>(), 2);
    assert_eq!(report.windows[14].levels_max.get("db.pool.size"), Some(&1));
}

#[test]
fn the_verdict_is_told_in_the_units_of_the_reader() {
    let report = report();
    let [slowest, few] = report.expectations.as_slice() else { panic!("two expectations") };
    assert_eq!((slowest.measured, slowest.bound, slowest.unit), (Some(100.0), 30.0, "ms"));
    assert_eq!(slowest.scope.stage.as_deref(), Some("spike"));
    assert_eq!((slowest.scope.from_s, slowest.scope.to_s, slowest.op), (1.0, Some(2.0), "<="));
    assert_eq!((few.scope.to_s, few.series.as_slice()), (None, ["ok", "offered"].as_slice()));
    assert_eq!(report.headline(), "FAIL");
    assert_eq!((few.measured, few.bound, few.in_percent, slowest.in_percent), (Some(0.5), 0.9, true, false));
    assert!(few.reason.contains("50 % (1 / 2), at least 90 % wanted"), "{}", few.reason);
}

#[test]
fn the_target_is_told_tier_by_tier() {
    let target = report().target.unwrap();
    assert_eq!(target.limiter.map(|limiter| (limiter.limit, limiter.admitted_max)), Some((5, Some(2))));
    assert_eq!(target.db.map(|db| db.gauges["pool.size"].max), Some(2));
    assert_eq!(target.gateway.map(|gateway| gateway.counter("admitted")), Some(2));
    assert!(target.cache.is_none() && target.catalog.is_none());
}

#[test]
fn a_token_bucket_promises_its_burst_and_what_a_second_brings() {
    let window = "kind = \"sliding-window\", limit = 5, per = \"1s\"";
    let bucket = SCENARIO.replace(window, "kind = \"token-bucket\", rate = \"2.5/s\", burst = 3");
    let limiter = report_on(&bucket).target.and_then(|target| target.limiter).unwrap();
    assert_eq!((limiter.kind, limiter.limit, limiter.per_s), ("token-bucket", 5, 1.0));
    assert_eq!((limiter.rate_per_s, limiter.burst, limiter.admitted_max), (Some(2.5), Some(3), Some(2)));
}

#[test]
fn no_path_of_a_machine_gets_into_a_report() {
    assert_eq!(report().scenario.file, "two.toml");
    assert_eq!(file_name("scenarios/two.toml"), "scenarios/two.toml");
    assert_eq!(file_name("<command line>"), "<command line>");
}

#[test]
fn every_series_of_the_target_belongs_to_a_tier() {
    for series in Series::ALL.iter().filter(|series| series.side() == Side::Target) {
        let tier = series.name().split('.').next().unwrap();
        assert!(["gateway", "breaker", "catalog", "cache", "db"].contains(&tier), "{} is in no report", series.name());
    }
}
