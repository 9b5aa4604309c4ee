//! Where the time of a request is said to have gone: exact, part by part.

use super::script::{How, Ran, Script, Step, at_ms, ms, run, run_how, scenario};
use coldfront_measure::{Parts, Sample};
use coldfront_scenarios::Outcome;
use std::time::Duration;

fn parts(lateness: u64, connect: u64, first_byte: u64, transfer: u64) -> Parts {
    Parts {
        lateness: ms(lateness),
        connect: Some(ms(connect)),
        first_byte: Some(ms(first_byte)),
        transfer: Some(ms(transfer)),
    }
}

fn never_sent(lateness: u64) -> Parts {
    Parts { lateness: ms(lateness), connect: None, first_byte: None, transfer: None }
}

fn told(ran: &Ran) -> Vec<(Outcome, Parts, bool)> {
    ran.samples().iter().map(|sample: &Sample| (sample.outcome, sample.parts, sample.new_connection)).collect()
}

#[test]
fn a_cold_client_pays_for_its_connection_once() {
    let script = Script::new(|_, _| Step::InParts(ms(3), ms(2))).connecting(|_| Ok(ms(4)));
    let ran = run(scenario("", &[("30ms", "100/s")]), script);
    assert_eq!(
        told(&ran),
        [
            (Outcome::Ok, parts(0, 4, 3, 2), true),
            (Outcome::Ok, parts(0, 0, 3, 2), false),
            (Outcome::Ok, parts(0, 0, 3, 2), false),
        ]
    );
    assert_eq!(ran.samples()[0].ended_at, at_ms(19));
}

#[test]
fn connections_opened_before_the_load_are_not_new() {
    let lines = "connections = { max = 1, open = \"before\" }";
    let ran = run(scenario(lines, &[("10ms", "100/s")]), Script::answers_after(ms(1)));
    assert_eq!(told(&ran), [(Outcome::Ok, parts(0, 0, 1, 0), false)]);
}

#[test]
fn waiting_for_a_busy_connection_is_part_of_connect() {
    let ran = run(scenario("connections = { max = 1 }", &[("30ms", "100/s")]), Script::answers_after(ms(25)));
    assert_eq!(
        told(&ran),
        [
            (Outcome::Ok, parts(0, 0, 25, 0), true),
            (Outcome::Ok, parts(0, 15, 25, 0), false),
            (Outcome::Ok, parts(0, 30, 25, 0), false),
        ]
    );
}

#[test]
fn waiting_by_policy_is_no_part_at_all() {
    let lines = "in_flight = { max = 1, policy = \"queue\", capacity = 5 }";
    let ran = run(scenario(lines, &[("20ms", "100/s")]), Script::answers_after(ms(25)));
    assert_eq!(told(&ran), [(Outcome::Ok, parts(0, 0, 25, 0), true), (Outcome::Ok, parts(0, 0, 25, 0), false)]);
    assert_eq!(ran.samples()[1].ended_at, at_ms(60), "15 ms of its 40 ms were waiting by policy");
}

#[test]
fn what_a_hiccup_delays_is_lateness() {
    let how = How { late_by: ms(25), ..How::default() };
    let ran = run_how(scenario("", &[("30ms", "100/s")]), Script::answers_after(ms(2)), &how);
    let told: Vec<Parts> = told(&ran).iter().map(|(_, parts, _)| *parts).collect();
    assert_eq!(told, [parts(15, 0, 2, 0), parts(5, 0, 2, 0), parts(0, 0, 2, 0)]);
}

#[test]
fn what_was_never_sent_has_no_further_parts() {
    let dropped = run(scenario("in_flight = { max = 1 }", &[("20ms", "100/s")]), Script::answers_after(ms(25)));
    assert_eq!(told(&dropped)[1], (Outcome::Dropped, never_sent(0), false));
    let how = How { late_by: ms(100), ..How::default() };
    let late = run_how(scenario("timeout = \"50ms\"", &[("20ms", "100/s")]), Script::answers_after(ms(1)), &how);
    assert_eq!(told(&late)[0], (Outcome::TimedOut, never_sent(90), false));
    assert_eq!(late.samples()[0].ended_at, at_ms(100), "when it was given up");
}

#[test]
fn a_timeout_ends_at_the_deadline_with_the_parts_it_had() {
    let lines = "timeout = \"30ms\"\nconnections = { max = 1 }";
    let ran = run(scenario(lines, &[("20ms", "100/s")]), Script::answers_after(ms(100)));
    let [first, second] = ran.samples()[..] else { panic!("two requests") };
    let sent =
        |connect| Parts { lateness: Duration::ZERO, connect: Some(ms(connect)), first_byte: None, transfer: None };
    assert_eq!((first.outcome, first.ended_at, first.parts), (Outcome::TimedOut, at_ms(40), sent(0)));
    assert_eq!((second.outcome, second.ended_at, second.parts), (Outcome::TimedOut, at_ms(50), sent(20)));
}

#[test]
fn the_second_attempt_is_the_one_that_is_told() {
    let script = Script::new(|request, connection| match (request.id, connection) {
        (1, 0) => Step::Fails(crate::transport::TransportError::Stale, ms(2)),
        _ => Step::Answer(200, ms(1)),
    });
    let ran = run(scenario("", &[("20ms", "100/s")]), script.connecting(|_| Ok(ms(3))));
    assert_eq!(told(&ran)[1], (Outcome::Ok, parts(0, 0, 1, 0), true));
    assert_eq!(ran.samples()[1].ended_at, at_ms(26), "2 ms until it was stale, 3 to connect, 1 to be served");
}
