//! A report with every field filled, for the tests of the formats.

use crate::model::*;
use std::collections::BTreeMap;

pub(crate) fn report() -> Report {
    Report {
        schema: SCHEMA,
        version: "0.1.0".to_owned(),
        scenario: ScenarioInfo {
            name: "cold pool under 0 → 500 → 0".to_owned(),
            file: "cold-pool.toml".to_owned(),
            seed: 7,
            mode: "sim",
        },
        mode_notes: vec!["the modelled network stands for the real one".to_owned()],
        interrupted: false,
        verdict: Judgement::Fail,
        internal_error: None,
        stimulus: Stimulus {
            delivered: true,
            reasons: Vec::new(),
            delivery_error: Some(0.0),
            lateness_p99_ms: Some(0.041),
        },
        expectations: expectations(),
        totals: Counts {
            offered: 1_763,
            sent: 1_763,
            ok: 1_441,
            good: 1_433,
            rejected: 312,
            timed_out: 10,
            ..Counts::default()
        },
        stages: stages(),
        events_lost: 0,
        events: vec![Event { at_s: 3.0, text: "flush-cache".to_owned() }],
        first_wave: wave(),
        target: Some(target()),
        windows: vec![Window {
            from_s: 0.0,
            to_s: 0.1,
            offered: 5,
            ok: 5,
            rejected: 0,
            shed: 0,
            timed_out: 0,
            failed: 0,
            p50_ms: Some(4.2),
            p95_ms: Some(18.1),
            p99_ms: Some(18.1),
            max_ms: Some(18.1),
            levels_max: BTreeMap::from([("gateway.queue.depth", 3)]),
        }],
        again: Again { file: "cold-pool.toml".to_owned(), ..Again::default() },
    }
}

fn expectations() -> Vec<Expectation> {
    let scope = Scope {
        traffic: Some("shoppers".into()),
        stage: Some("spike".into()),
        from_s: 2.0,
        to_s: Some(2.5),
        first: None,
    };
    vec![
        Expectation {
            name: "first-wave".to_owned(),
            text: "p95(latency) <= 250ms during spike[0s..500ms]".to_owned(),
            verdict: Judgement::Fail,
            measured: Some(312.0),
            bound: 250.0,
            unit: "ms",
            margin: Some(-0.248),
            reason: "231 of 250 values are at most 250ms, 238 are needed".to_owned(),
            scope: scope.clone(),
            series: vec!["latency"],
            op: "<=",
            in_percent: false,
        },
        Expectation {
            name: "no-connects".to_owned(),
            text: "count(db.connects) == 0 during spike".to_owned(),
            verdict: Judgement::Pass,
            measured: Some(0.0),
            bound: 0.0,
            unit: "",
            margin: None,
            reason: "0 == 0".to_owned(),
            scope: scope.clone(),
            series: vec!["db.connects"],
            op: "==",
            in_percent: false,
        },
        Expectation {
            name: "recovers".to_owned(),
            text: "recovery(p95(latency per 500ms), 10% of quiet) <= 1s after spike".to_owned(),
            verdict: Judgement::Invalid,
            measured: None,
            bound: 1.0,
            unit: "s",
            margin: None,
            reason: "the baseline has no values".to_owned(),
            scope,
            series: vec!["latency"],
            op: "<=",
            in_percent: false,
        },
    ]
}

fn stages() -> Vec<Stage> {
    let stage = |name: &str, from_s, to_s, counts: Counts, latency_ms| Stage {
        traffic: "shoppers".to_owned(),
        name: name.to_owned(),
        from_s,
        to_s,
        planned: counts.offered,
        counts,
        delivery_error: Some(0.0),
        latency_ms,
        parts_ms: Parts::default(),
        histogram: Some("HISTFAAA".to_owned()),
    };
    let quiet = Counts { offered: 101, sent: 101, ok: 101, good: 101, ..Counts::default() };
    let spike = Counts {
        offered: 1_512,
        sent: 1_512,
        ok: 1_190,
        good: 1_182,
        rejected: 312,
        timed_out: 10,
        ..Counts::default()
    };
    let after = Counts { offered: 150, sent: 150, ok: 150, good: 150, ..Counts::default() };
    vec![
        stage("quiet", 0.0, 2.0, quiet, quantiles(101, [4.2, 12.0, 18.1, 31.0, 33.4])),
        stage("spike", 2.0, 5.0, spike, quantiles(1_200, [5.1, 88.0, 240.0, 995.0, 1_000.0])),
        stage("after", 5.0, 8.0, after, Quantiles::default()),
    ]
}

fn quantiles(count: u64, [p50, p90, p95, p99, max]: [f64; 5]) -> Quantiles {
    Quantiles {
        count,
        p50: Some(p50),
        p90: Some(p90),
        p95: Some(p95),
        p99: Some(p99),
        p999: Some(max),
        max: Some(max),
        mean: Some(p50),
    }
}

fn wave() -> Vec<FirstRequest> {
    let request = |sequence, elapsed_ms, cold_db| FirstRequest {
        traffic: "shoppers".to_owned(),
        stage: "spike".to_owned(),
        sequence,
        route: "GET /items/{key}".to_owned(),
        intended_s: 2.0,
        outcome: Some("ok"),
        status: Some(200),
        elapsed_ms,
        lateness_ms: 0.0,
        connect_ms: Some(0.0),
        first_byte_ms: Some(elapsed_ms),
        transfer_ms: Some(0.0),
        new_connection: false,
        cold: cold_db > 0.0,
        cold_ms: ColdCosts { db: cold_db, ..ColdCosts::default() },
    };
    vec![request(101, 40.0, 30.0), request(102, 312.0, 212.0), request(103, 4.0, 0.0)]
}

fn target() -> Target {
    let gauge = |max| Gauge { max, max_at_s: 2.25, last: 0 };
    let tier = |counters: &[(&'static str, u64)], gauges: &[(&'static str, u64)]| Tier {
        counters: counters.iter().copied().collect(),
        gauges: gauges.iter().map(|&(name, max)| (name, gauge(max))).collect(),
        histograms_ms: BTreeMap::from([("wait", Quantiles::default())]),
    };
    Target {
        gateway: Some(tier(&[("admitted", 1_451), ("shed", 12), ("queue.timeouts", 12)], &[("queue.depth", 120)])),
        breaker: Some(tier(&[("opened", 0)], &[("state", 0)])),
        catalog: Some(tier(&[("calls", 1_439)], &[("in_flight", 40)])),
        cache: Some(tier(&[("hits", 1_169), ("misses", 270), ("loads", 250), ("coalesced", 20)], &[("entries", 250)])),
        db: Some(tier(&[("queries", 250), ("connects", 20)], &[("pool.size", 20), ("pool.waiters", 31)])),
        limiter: Some(Limiter {
            kind: "sliding-window",
            limit: 400,
            per_s: 1.0,
            rate_per_s: None,
            burst: None,
            admitted_max: Some(400),
        }),
    }
}
