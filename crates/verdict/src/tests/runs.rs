//! Does the run count, and what do its expectations say together?

use super::*;

#[test]
fn a_run_without_expectations_passes() {
    let verdict = Case::of("").judge();
    assert_eq!((verdict.outcome, verdict.stimulus.delivery_error), (Judgement::Pass, None));
    assert_eq!(Exit::of(&verdict), Exit::Holds);
}

/// 100 requests a millisecond apart, of which the first `late` are taken up 6 ms late.
fn with_late(late: u64) -> Verdict {
    let mut case = Case::new("count(ok) == 100");
    for k in 0..100 {
        let lateness = if k < late { millis(6) } else { Duration::ZERO };
        case.request(1000 + 10 * k, Outcome::Ok, millis(10), lateness);
    }
    case.judge()
}

#[test]
fn one_late_request_of_a_hundred_is_allowed_and_two_are_not() {
    assert_eq!(with_late(1).outcome, Judgement::Pass);
    let verdict = with_late(2);
    assert_eq!((verdict.outcome, verdict.expectations[0].outcome), (Judgement::Invalid, Judgement::Pass));
    assert!(!verdict.stimulus.is_delivered);
    assert_eq!(
        verdict.stimulus.reasons,
        [
            "the generator was late: 2 of 100 requests were sent more than 5ms after their time (p99 of lateness 6ms, at most 5ms)"
        ]
    );
    assert_eq!((Exit::of(&verdict), verdict.stimulus.lateness_p99), (Exit::Invalid, Some(millis(6))));
}

#[test]
fn exactly_five_milliseconds_is_not_late() {
    let mut case = Case::of("");
    (0..10).for_each(|k| case.request(100 * k + 1, Outcome::Ok, millis(10), millis(5)));
    assert!(case.judge().stimulus.is_delivered);
}

/// 100 requests, of which `together` are due at once and taken up 3 ms later; the rest is on time.
fn with_backlog(together: u64, outcome: Outcome) -> Verdict {
    let mut case = Case::of("");
    (0..together).for_each(|_| case.request(500, outcome, millis(10), millis(3)));
    (together..100).for_each(|k| case.request(1000 + k, Outcome::Ok, millis(10), Duration::ZERO));
    case.judge()
}

#[test]
fn a_backlog_beyond_five_percent_and_two_requests_is_undelivered() {
    assert!(with_backlog(7, Outcome::Ok).stimulus.is_delivered);
    let verdict = with_backlog(8, Outcome::Ok);
    assert_eq!((verdict.outcome, verdict.stimulus.delivery_error), (Judgement::Invalid, Some(0.08)));
    assert_eq!(
        verdict.stimulus.reasons,
        [
            "the load of load was not delivered: at one moment 8 requests of 100 were due and not sent, 8 % (at most 7 %)"
        ]
    );
}

#[test]
fn what_the_policy_dropped_is_no_backlog() {
    assert!(with_backlog(50, Outcome::Dropped).stimulus.is_delivered);
}

#[test]
fn a_plan_that_was_not_offered_is_undelivered() {
    let mut case = Case::of("");
    case.recorder.planned(0, 1, 100);
    (0..90).for_each(|k| case.ok(1001 + k, 1));
    let verdict = case.judge();
    assert_eq!((verdict.outcome, verdict.stimulus.delivery_error), (Judgement::Invalid, Some(0.1)));
}

#[test]
fn undelivered_beats_fail_beats_invalid_beats_pass() {
    let outcome = |expectations: &str| {
        let mut case = Case::of(expectations);
        case.ok(10, 1);
        case.judge().outcome
    };
    let (pass, fail, invalid) = ("a = 'count(ok) == 1'\n", "b = 'count(ok) == 2'\n", "c = 'max(db.query) <= 1ms'\n");
    assert_eq!(outcome(pass), Judgement::Pass);
    assert_eq!(outcome(&format!("{pass}{invalid}")), Judgement::Invalid);
    assert_eq!(outcome(&format!("{invalid}{pass}{fail}")), Judgement::Fail);
    let mut case = Case::of(fail);
    case.request(10, Outcome::Ok, millis(10), millis(6));
    assert_eq!(case.judge().outcome, Judgement::Invalid);
}

#[test]
fn a_request_without_an_outcome_is_an_error_of_ours() {
    let mut case = Case::new("count(ok) == 1");
    case.ok(10, 1);
    let lost = Arrival { traffic: 0, stage: 0, route: 0, sequence: 1, intended_at: ms(11) };
    case.recorder.offered(&lost);
    let verdict = case.judge();
    assert_eq!((verdict.outcome, verdict.expectations[0].outcome), (Judgement::Invalid, Judgement::Pass));
    assert_eq!(Exit::of(&verdict), Exit::Internal);
    assert_eq!(
        verdict.internal_error.unwrap(),
        "1 of 2 requests offered have no outcome, or more than one: an error in this program"
    );
}

#[test]
fn after_an_interruption_only_what_was_over_is_judged() {
    let mut case =
        Case::of("q = 'count(ok) == 1 during quiet'\ns = 'count(ok) == 0 during spike'\nr = 'count(ok) == 1'");
    case.recorder.planned(0, 1, 100);
    case.ok(10, 1);
    case.recorder.interrupted(ms(1500));
    let verdict = case.judge();
    let outcomes: Vec<Judgement> = verdict.expectations.iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, [Judgement::Pass, Judgement::Invalid, Judgement::Invalid]);
    assert_invalid(&verdict.expectations[1], "the run was interrupted at 1.5s, before the end of what it looks at");
    assert_eq!((verdict.outcome, Exit::of(&verdict)), (Judgement::Invalid, Exit::Interrupted));
    assert_eq!(verdict.stimulus.reasons, ["the run was interrupted at 1.5s"], "the plan not sent since is no fault");
}

#[test]
fn a_recording_of_another_scenario_tells_nothing() {
    let (_, recording) = Case::new("count(ok) == 0").recording();
    let verdict = judge(&scenario("other = 'count(ok) == 0'"), &recording);
    assert_invalid(&verdict.expectations[0], "the recording was made for another scenario");
}

#[test]
fn a_verdict_survives_being_written() {
    let mut case = Case::new("p50(latency) <= 5ms");
    (0..4).for_each(|k| case.ok(10 + k, 2));
    let verdict = case.judge();
    let text = serde_json::to_string(&verdict).unwrap();
    assert_eq!(serde_json::from_str::<Verdict>(&text).unwrap(), verdict);
    assert!(text.contains(r#""outcome":"pass""#) && text.contains(r#""unit":"milliseconds""#), "{text}");
}

#[test]
fn a_run_of_which_nothing_could_be_sent_does_not_count() {
    let run = |reaches| {
        let mut case = Case::new("p95(latency) <= 250ms");
        case.reaches = reaches;
        (1..=40).for_each(|k| case.request(k * 10, Outcome::Failed, millis(1), Duration::ZERO));
        case.judge()
    };
    let nobody = run(false);
    assert_eq!(nobody.outcome, Judgement::Invalid);
    assert_eq!(nobody.stimulus.reasons, ["not one of 40 requests of load could be sent"]);
    assert_eq!(run(true).outcome, Judgement::Pass, "quick failures are answers, and have a latency");
}
