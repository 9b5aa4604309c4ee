//! How long until things are well again and stay so.

use super::*;

/// Failures per 100 ms window after the spike (from 2 s), at most 1 allowed.
fn failures(bound: &str, per_window: &[u64]) -> ExpectationVerdict {
    let mut case = Case::new(&format!("recovery(count(failed per 100ms), 1) {bound} after spike"));
    for (window, count) in per_window.iter().enumerate() {
        let at = 2000 + 100 * window as u64 + 50;
        (0..*count).for_each(|_| case.request(at, Outcome::Failed, millis(1), Duration::ZERO));
    }
    case.verdict()
}

#[test]
fn it_ends_where_the_first_of_the_windows_begins_that_all_hold() {
    let verdict = failures("<= 300ms", &[5, 1, 3, 0, 1]);
    assert_eq!(
        told(&verdict),
        (
            Judgement::Pass,
            Some(0.3),
            "the recovery time of count of failed to 1 is 300ms: the last window above it begins 200ms after the start with 3, \
         at most 300ms wanted",
        )
    );
    assert_eq!((verdict.bound, verdict.unit), (0.3, Unit::Seconds));
    assert_eq!(failures("<= 300ms", &[5, 1, 1, 2, 1]).outcome, Judgement::Fail);
}

#[test]
fn it_takes_no_time_if_every_window_holds() {
    let verdict = failures("<= 100ms", &[1, 0, 1]);
    assert_eq!((verdict.outcome, verdict.measured, verdict.margin), (Judgement::Pass, Some(0.0), Some(1.0)));
    assert!(verdict.reason.contains("0s: every window holds"), "{}", verdict.reason);
}

#[test]
fn a_run_that_never_recovers_fails_any_bound() {
    // The run ends at 4 s: 20 windows.
    let verdict = failures("<= 30s", &[2; 20]);
    assert_eq!((verdict.outcome, verdict.measured, verdict.margin), (Judgement::Fail, None, None));
    assert!(verdict.reason.contains("not within the run: the last window above it begins 1.9s"), "{}", verdict.reason);
}

/// Latencies in ms of 500 ms windows after the spike; `None`: no request.
fn latencies(expectation: &str, quiet: &[u64], windows: &[Option<u64>]) -> ExpectationVerdict {
    let mut case = Case::new(expectation);
    (0..).zip(quiet).for_each(|(k, latency)| case.ok(100 + k, *latency));
    for (window, latency) in windows.iter().enumerate() {
        if let Some(latency) = latency {
            case.ok(2000 + 500 * window as u64 + 100, *latency);
        }
    }
    case.verdict()
}

#[test]
fn windows_without_data_say_nothing() {
    let goal = "recovery(p50(latency per 500ms), 50ms) <= 2s after spike";
    let measured = |windows| latencies(goal, &[], windows).measured;
    assert_eq!(measured(&[Some(90), None, Some(10), None]), Some(1.0), "only data shows that it is well");
    assert_eq!(measured(&[None, Some(10), None, None]), Some(0.0));
    let never = latencies(goal, &[], &[Some(10), Some(90), None, None]);
    assert_eq!((never.outcome, never.measured), (Judgement::Fail, None), "silence is no recovery");
    assert_invalid(&latencies(goal, &[], &[None, None]), "no window has a p50 of latency to look at");
}

#[test]
fn the_goal_may_be_relative_to_a_baseline() {
    let goal = "recovery(p50(latency per 500ms), 10% of quiet) <= 500ms after spike";
    let verdict = latencies(goal, &[20, 20, 20, 20], &[Some(23), Some(22)]);
    assert_eq!((verdict.outcome, verdict.measured), (Judgement::Pass, Some(0.5)), "{}", verdict.reason);
    assert!(verdict.reason.contains("to 22ms (10 % over 20ms in quiet)"), "{}", verdict.reason);
    assert_eq!(latencies(goal, &[20, 20], &[Some(22), Some(23), Some(20)]).outcome, Judgement::Fail);
}

#[test]
fn a_baseline_without_data_is_invalid() {
    let goal = "recovery(p50(latency per 500ms), 10% of quiet) <= 500ms after spike";
    assert_invalid(&latencies(goal, &[], &[Some(23)]), "the baseline quiet holds no data");
    assert_invalid(&latencies(goal, &[20], &[Some(23)]), "the baseline quiet has 1 values, its quantile takes 2");
    let count = Case::new("recovery(rate(ok per 500ms), 10% of quiet) <= 500ms after spike");
    assert_invalid(&count.verdict(), "the baseline quiet holds no data");
}

#[test]
fn a_rate_is_compared_with_the_baselines() {
    // 10 in the second of quiet; 20 % more are 12 per second, 6 in 500 ms.
    let judged = |count: u64| {
        let mut case = Case::new("recovery(rate(ok per 500ms), 20% of quiet) <= 0s after spike");
        (0..10).for_each(|k| case.ok(100 * (k + 1), 1));
        (0..count).for_each(|_| case.ok(2100, 1));
        case.verdict()
    };
    assert_eq!(judged(6).outcome, Judgement::Pass);
    let verdict = judged(7);
    assert_eq!((verdict.outcome, verdict.measured), (Judgement::Fail, Some(0.5)));
    assert!(verdict.reason.contains("to 12/s (20 % over 10/s in quiet)"), "{}", verdict.reason);
}

#[test]
fn a_gauge_recovers_window_by_window() {
    let case = Case::new("recovery(last(db.pool.waiters per 100ms), 0) <= 300ms after spike");
    case.recorder.gauge(Series::DbPoolWaiters, ms(1500), 7);
    case.recorder.gauge(Series::DbPoolWaiters, ms(2250), 0);
    let verdict = case.verdict();
    assert_eq!((verdict.outcome, verdict.measured), (Judgement::Pass, Some(0.2)), "{}", verdict.reason);
    assert_eq!(verdict.margin.map(|margin| (margin * 1000.0).round()), Some(333.0));
}

#[test]
fn a_window_longer_than_its_scope_is_invalid() {
    let (scenario, recording) =
        Case::new("recovery(count(db.connects per 1s), 1) <= 3s after spike[1s..]").recording_until(3500);
    let verdict = judge(&scenario, &recording).expectations.remove(0);
    assert_invalid(&verdict, "the window of 1s is longer than its scope of 500ms");
}

#[test]
fn more_windows_than_the_memory_bound_are_invalid() {
    // 2 s from the end of the spike to the end of the run.
    let case = Case::new("recovery(count(failed per 10us), 1) <= 3s after spike");
    assert_invalid(&case.verdict(), "needs more memory than a recording may take");
}

#[test]
fn merged_recordings_prove_recovery_but_not_its_absence() {
    let merged = |expectation: &str| {
        let record = || {
            let mut case = Case::new(expectation);
            case.ok(2100, 90);
            case.ok(2600, 10);
            case.recording()
        };
        let ((scenario, mut recording), (_, other)) = (record(), record());
        recording.merge(other).unwrap();
        judge(&scenario, &recording).expectations.remove(0)
    };
    assert_eq!(merged("recovery(p50(latency per 500ms), 50ms) <= 500ms after spike").outcome, Judgement::Pass);
    assert_eq!(merged("recovery(p50(latency per 500ms), 50ms) <= 400ms after spike").outcome, Judgement::Invalid);
}

#[test]
fn an_interrupted_baseline_tells_nothing() {
    let case = Case::new("recovery(rate(failed per 100ms), 10% of after) <= 300ms after quiet[0s..200ms]");
    case.recorder.interrupted(ms(2500));
    let verdict = case.judge();
    assert_invalid(&verdict.expectations[0], "the baseline after was not over when the run was interrupted");
}
