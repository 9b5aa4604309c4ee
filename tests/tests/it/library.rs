//! The library's promises: what a user of `cargo test` sees.

use crate::command::SCENARIO;
use coldfront::{Judgement, Scenario};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

fn scenario(text: &str) -> Scenario {
    Scenario::parse("small.toml", text).expect("it is right")
}

#[test]
fn a_failed_assertion_says_what_was_measured_and_how_to_see_it_again() {
    let text = SCENARIO.replace("count(ok) == 110", "count(ok) == 111");
    let judged = scenario(&text).seed(5).simulate().expect("it runs");
    assert_eq!(judged.verdict(), Judgement::Fail);
    let panic = catch_unwind(AssertUnwindSafe(|| judged.assert())).expect_err("it fails");
    let message = panic.downcast_ref::<String>().expect("a message");
    for words in
        ["small: 1 of 2 expectations does not hold", "✗ all-ok: count(ok) == 111", "measured 110", "--sim --seed 5"]
    {
        assert!(message.contains(words), "{words}\n{message}");
    }
}

#[test]
fn measured_values_are_at_hand() {
    let judged = scenario(SCENARIO).simulate().expect("it runs");
    assert!(judged.passed());
    assert_eq!(judged.measured("all-ok"), Some(110.0));
    assert_eq!(judged.measured("nothing"), None);
    assert_eq!(judged.report().totals.offered, 110);
    assert_eq!(judged.expectation("fast").map(|row| row.unit), Some("ms"));
}

#[test]
fn simulations_run_side_by_side_and_agree() {
    let alone = scenario(SCENARIO).simulate().expect("it runs").json();
    let together: Vec<_> =
        (0..4).map(|_| thread::spawn(|| scenario(SCENARIO).simulate().expect("it runs").json())).collect();
    for thread in together {
        assert_eq!(thread.join().expect("it does not panic"), alone);
    }
}

#[test]
fn every_error_of_a_scenario_is_in_the_message_of_an_unwrap() {
    let error =
        Scenario::parse("small.toml", &SCENARIO.replace("seed", "sed").replace("workers", "worker")).unwrap_err();
    let message = format!("{error:?}");
    assert!(message.contains("small.toml:2:1") && message.contains("small.toml:20:1"), "{message}");
}

#[test]
fn a_name_that_does_not_ship_is_an_error() {
    assert!(Scenario::shipped("nothing").unwrap_err().to_string().contains("nothing"));
    assert!(coldfront::catalog().iter().all(|entry| Scenario::shipped(entry.name).is_ok()));
}
