//! One expectation at a time, recoveries apart.

use super::*;

fn with_queries(expectation: &str, values: &[Duration]) -> ExpectationVerdict {
    let case = Case::new(expectation);
    for value in values {
        case.query(*value);
    }
    case.verdict()
}

#[test]
fn a_quantile_just_within_its_bound_holds_although_its_bucket_reaches_over() {
    let verdict = with_queries("p95(db.query) <= 250ms", &[millis(250); 20]);
    assert_eq!(
        told(&verdict),
        (Judgement::Pass, Some(250.0), "p95 of db.query is 250ms, 20 of 20 within the bound, at most 250ms wanted")
    );
    assert_eq!((verdict.bound, verdict.unit, verdict.margin), (250.0, Unit::Milliseconds, Some(0.0)));
    let beyond = with_queries("p95(db.query) <= 250ms", &[millis(250) + Duration::from_nanos(1); 20]);
    assert_eq!(beyond.outcome, Judgement::Fail);
}

#[test]
fn a_quantile_is_decided_by_count() {
    let values = |slow: usize| -> Vec<Duration> { (0..20).map(|k| millis(if k < slow { 300 } else { 200 })).collect() };
    assert_eq!(with_queries("p95(db.query) <= 250ms", &values(1)).outcome, Judgement::Pass);
    let verdict = with_queries("p95(db.query) <= 250ms", &values(2));
    assert_eq!(
        told(&verdict),
        (
            Judgement::Fail,
            Some(300.0),
            "p95 of db.query is 300ms, 18 of 20 within the bound, at most 250ms wanted: off by 20 %",
        )
    );
    assert_eq!(verdict.margin, Some(-0.2));
}

#[test]
fn a_quantile_needs_a_value_above_it() {
    assert_invalid(&with_queries("p95(db.query) <= 250ms", &[]), "p95 of db.query is of nothing: there was no value");
    let few = with_queries("p95(db.query) <= 250ms", &[millis(1); 19]);
    assert_invalid(&few, "p95 of db.query says nothing of 19 values: it takes 20");
    assert_eq!(with_queries("p95(db.query) <= 250ms", &[millis(1); 20]).outcome, Judgement::Pass);
}

#[test]
fn mean_min_and_max_of_nothing_are_invalid_and_the_count_is_zero() {
    for statistic in ["mean", "min", "max"] {
        assert_invalid(&with_queries(&format!("{statistic}(db.query) <= 1ms"), &[]), "is of nothing");
    }
    let verdict = with_queries("count(db.query) == 0", &[]);
    assert_eq!(told(&verdict), (Judgement::Pass, Some(0.0), "count of db.query is 0, exactly 0 wanted"));
}

#[test]
fn a_mean_is_compared_to_the_nanosecond() {
    let values = |last: u64| [millis(1), millis(2), millis(2), Duration::from_nanos(last)];
    assert_eq!(with_queries("mean(db.query) <= 2ms", &values(3_000_000)).outcome, Judgement::Pass);
    assert_eq!(with_queries("mean(db.query) <= 2ms", &values(3_000_001)).outcome, Judgement::Fail);
    assert_eq!(with_queries("mean(db.query) < 2ms", &values(3_000_000)).outcome, Judgement::Fail);
}

#[test]
fn min_and_max_are_exact() {
    let values = [millis(3), millis(7) + Duration::from_nanos(1)];
    let max = with_queries("max(db.query) <= 7ms", &values);
    assert_eq!((max.outcome, max.measured), (Judgement::Fail, Some(7.000_001)));
    let min = with_queries("min(db.query) >= 3ms", &values);
    assert_eq!(told(&min), (Judgement::Pass, Some(3.0), "min of db.query is 3ms over 2 values, at least 3ms wanted"));
}

#[test]
fn a_counter_without_events_is_zero_and_not_unknown() {
    let zero = |expectation| {
        let verdict = Case::new(expectation).verdict();
        (verdict.outcome, verdict.measured)
    };
    assert_eq!(zero("count(db.connects) == 0"), (Judgement::Pass, Some(0.0)));
    assert_eq!(zero("rate(db.connects) <= 1/s"), (Judgement::Pass, Some(0.0)));
    assert_eq!(zero("max(db.connects per 100ms) <= 1"), (Judgement::Pass, Some(0.0)));
    assert_eq!(zero("min(ok per 100ms) >= 1 during spike"), (Judgement::Fail, Some(0.0)));
}

#[test]
fn a_rate_is_events_over_the_length_of_the_scope() {
    let mut case = Case::new("rate(ok) >= 8/s during spike[0s..500ms]");
    (0..4).for_each(|k| case.ok(1100 + k, 1));
    let verdict = case.verdict();
    assert_eq!(told(&verdict), (Judgement::Pass, Some(8.0), "rate of ok is 8/s, at least 8/s wanted"));
    assert_eq!(verdict.unit.sign(), "/s");
}

#[test]
fn the_rate_of_an_open_scope_ends_with_the_run() {
    let mut case = Case::new("rate(ok) >= 1/s after quiet");
    (0..3).for_each(|k| case.ok(1100 + k, 1));
    // (1 s, 4 s].
    assert_eq!(case.verdict().measured, Some(1.0));
}

#[test]
fn a_ratio_compares_exactly_and_nothing_to_nothing_is_invalid() {
    let ratio = |expectation: &str, ok: u64, failed: u64| {
        let mut case = Case::new(expectation);
        (0..ok).for_each(|k| case.ok(1000 + k % 1000, 1));
        (0..failed).for_each(|_| case.request(2000, Outcome::Failed, millis(1), Duration::ZERO));
        case.verdict()
    };
    let verdict = ratio("ratio(ok / offered) >= 99.9%", 999, 1);
    assert_eq!(
        told(&verdict),
        (Judgement::Pass, Some(0.999), "ok / offered is 99.9 % (999 / 1,000), at least 99.9 % wanted")
    );
    assert_eq!(ratio("ratio(ok / offered) >= 99.9%", 998, 2).outcome, Judgement::Fail);
    assert_invalid(&ratio("ratio(ok / offered) >= 99.9%", 0, 0), "ok / offered is 0 / 0");
    let verdict = ratio("ratio(failed / ok) <= 10%", 0, 5);
    assert_eq!(told(&verdict), (Judgement::Fail, None, "failed / ok is infinite (5 / 0), at most 10 % wanted"));
}

#[test]
fn the_largest_window_is_judged() {
    let judged = |times: &[u64]| {
        let case = Case::new("max(db.connects per 100ms) <= 2");
        for at in times {
            case.recorder.count(Series::DbConnects, ms(*at));
        }
        case.verdict()
    };
    assert_eq!(judged(&[100, 150, 200]).outcome, Judgement::Pass, "(100 ms, 200 ms] leaves the first out");
    let verdict = judged(&[100, 150, 199]);
    assert_eq!(
        told(&verdict),
        (
            Judgement::Fail,
            Some(3.0),
            "the largest number of db.connects in any 100ms is 3, at most 2 wanted: off by 50 %",
        )
    );
}

#[test]
fn a_window_longer_than_its_scope_is_invalid() {
    // The check lets it pass: the drain may last until 4 s. This run was over earlier.
    let case = Case::new("max(db.connects per 1s) <= 2 after spike[1s..]");
    let (scenario, recording) = case.recording_until(3500);
    let verdict = judge(&scenario, &recording).expectations.remove(0);
    assert_invalid(&verdict, "the window of 1s is longer than its scope of 500ms");
}

#[test]
fn events_out_of_order_make_windows_invalid() {
    let case = Case::new("max(db.connects per 100ms) <= 2");
    case.recorder.count(Series::DbConnects, ms(50));
    case.recorder.count(Series::DbConnects, ms(40));
    assert_invalid(&case.verdict(), "cannot be told exactly: 1 came out of order");
}

#[test]
fn windows_beyond_the_memory_bound_are_invalid() {
    let case = Case::new("max(db.connects per 1s) <= 2");
    for at in 0..=(1 << 20) {
        case.recorder.count(Series::DbConnects, Instant::from_nanos(1000 + at));
    }
    assert_invalid(&case.verdict(), "needs more memory than a recording may take");
}

#[test]
fn gauges_are_judged_over_their_scope_with_the_level_carried_in() {
    let judged = |expectation: &str| {
        let case = Case::new(expectation);
        case.recorder.gauge(Series::DbPoolSize, ms(0), 8);
        case.recorder.gauge(Series::DbPoolSize, ms(1250), 4);
        case.recorder.gauge(Series::DbPoolSize, ms(2500), 1);
        case.verdict()
    };
    let measured = |expectation: &str| judged(expectation).measured;
    assert_eq!(measured("max(db.pool.size) <= 8 during spike"), Some(8.0));
    assert_eq!(measured("min(db.pool.size) <= 8 during spike"), Some(4.0));
    assert_eq!(measured("last(db.pool.size) <= 8 during spike"), Some(4.0));
    assert_eq!(measured("mean(db.pool.size) <= 8 during spike"), Some(5.0));
    let verdict = judged("max(db.pool.size) <= 5 during spike");
    assert_eq!(told(&verdict), (Judgement::Fail, Some(8.0), "max of db.pool.size is 8, at most 5 wanted: off by 60 %"));
}

#[test]
fn a_gauge_without_a_level_is_invalid() {
    assert_invalid(
        &Case::new("max(db.pool.size) <= 5").verdict(),
        "no level was reported in or before what it looks at",
    );
    let case = Case::new("max(db.pool.size) <= 5 during quiet");
    case.recorder.gauge(Series::DbPoolSize, ms(1500), 1);
    assert_invalid(&case.verdict(), "no level was reported");
}

/// The first of two generators sends `one` requests, the other `two`, all in the same window.
fn merged(expectation: &str, one: u64, two: u64) -> ExpectationVerdict {
    let record = |requests: u64| {
        let mut case = Case::new(expectation);
        (0..requests).for_each(|k| case.ok(1100 + k, 1));
        case.recording()
    };
    let ((scenario, mut recording), (_, other)) = (record(one), record(two));
    recording.merge(other).unwrap();
    judge(&scenario, &recording).expectations.remove(0)
}

#[test]
fn merged_windows_decide_only_if_both_bounds_do() {
    assert_eq!(merged("max(ok per 100ms) <= 5", 3, 2).outcome, Judgement::Pass);
    assert_eq!(merged("max(ok per 100ms) <= 2", 3, 2).outcome, Judgement::Fail);
    let verdict = merged("max(ok per 100ms) <= 4", 3, 2);
    assert_eq!((verdict.outcome, verdict.measured), (Judgement::Invalid, Some(5.0)));
    assert!(verdict.reason.contains("between 3 and 5 in merged recordings"), "{}", verdict.reason);
    assert_eq!(merged("max(ok per 100ms) <= 4", 5, 0).outcome, Judgement::Fail, "one alone is exact");
    assert_eq!(merged("count(ok) == 5", 3, 2).outcome, Judgement::Pass);
}
