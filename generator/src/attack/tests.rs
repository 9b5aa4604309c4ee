//! Stories of an attack over a scripted transport, in virtual time: exact to the nanosecond.

mod conservation;
mod parts;
mod real;
mod script;

use crate::attack::AttackEnd;
use crate::transport::TransportError;
use coldfront_measure::TraceEvent;
use coldfront_scenarios::Series;
use script::{How, Ran, Script, Seen, Step, at_ms, ms, run, run_how, scenario};
use std::time::Duration;

fn counts<const N: usize>(ran: &Ran, series: [Series; N]) -> [u64; N] {
    series.map(|series| ran.totals.count(series))
}

fn send_times(ran: &Ran) -> Vec<u64> {
    ran.sends().iter().map(|(at, ..)| at.as_nanos() / 1_000_000).collect()
}

// === The plain path ===

#[test]
fn every_request_leaves_at_its_intended_time() {
    let ran = run(scenario("", &[("1s", "100/s")]), Script::answers_after(ms(5)));
    assert_eq!(send_times(&ran), (1..=100).map(|k| k * 10).collect::<Vec<_>>());
    assert_eq!(counts(&ran, [Series::Offered, Series::Sent, Series::Ok, Series::Good]), [100; 4]);
    assert_eq!(ran.totals.level(Series::InFlight), Some(0));
    assert_eq!((ran.summary.end, ran.summary.offered), (AttackEnd::Settled, 100));
    assert_eq!(ran.summary.ended_at, at_ms(1005), "it ends with the last answer");
}

#[test]
fn the_connection_used_last_is_used_first_again() {
    // Answers take 15 ms, so two requests overlap, and never three.
    let ran = run(scenario("", &[("1s", "100/s")]), Script::answers_after(ms(15)));
    assert_eq!(counts(&ran, [Series::ClientConnects, Series::Ok]), [2, 100]);
    assert_eq!(ran.totals.level(Series::ClientConnections), Some(2));
    // In a lull the one released last takes all.
    let lull = run(
        scenario("", &[("20ms", "1000/s"), ("1s", "10/s")]),
        Script::new(|request, _| Step::Answer(200, ms(if request.id < 20 { 100 } else { 1 }))),
    );
    let late: Vec<usize> = lull.sends()[20..].iter().map(|(.., connection)| *connection).collect();
    assert!(late[1..].iter().all(|connection| *connection == late[1]), "{late:?}");
}

#[test]
fn streams_run_beside_each_other_and_draw_apart() {
    let text = "name = \"two\"\n[target]\n\
                [[traffic]]\nname = \"a\"\nmix = [{ get = \"/catalog\" }]\n\
                [[traffic.stage]]\nname = \"s\"\nfor = \"1s\"\nrate = \"100/s\"\n\
                [[traffic]]\nname = \"b\"\narrivals = \"poisson\"\nmix = [{ get = \"/catalog\" }]\n\
                [[traffic.stage]]\nname = \"s\"\nfor = \"2s\"\nrate = { from = \"0/s\", to = \"100/s\" }\n";
    let both = coldfront_scenarios::Scenario::parse(text, "two.toml").unwrap();
    let planned: u64 = crate::schedule::Schedule::new(&both.traffic[1], 1, both.seed).planned().iter().sum();
    let ran = run(both, Script::answers_after(ms(3)));
    assert_eq!(counts(&ran, [Series::Offered, Series::Ok]), [100 + planned; 2]);
    assert!(ran.sends().windows(2).all(|pair| pair[0].0 <= pair[1].0));
}

#[test]
fn two_thousand_a_second_on_a_hundred_connections_are_even() {
    let ran = run(scenario("connections = { max = 100 }", &[("1s", "2000/s")]), Script::answers_after(ms(20)));
    let gaps_even = ran.sends().windows(2).all(|pair| pair[1].0.since(pair[0].0) == Duration::from_micros(500));
    assert!(gaps_even && ran.sends().len() == 2000);
}

// === Outcomes ===

#[test]
fn a_status_decides_the_outcome() {
    let ran = run(
        scenario("", &[("1s", "10/s")]),
        Script::new(|request, _| {
            Step::Answer([200, 302, 404, 429, 500, 503, 504, 204, 429, 503][request.id as usize], ms(1))
        }),
    );
    let series = [Series::Ok, Series::Rejected, Series::Shed, Series::Failed];
    assert_eq!(counts(&ran, series), [3, 2, 2, 3]);
    assert_eq!(ran.summary.errors, [], "an answer is no transport error");
}

#[test]
fn the_timeout_counts_from_the_intended_time_and_closes_the_connection() {
    let ran = run(scenario("timeout = \"100ms\"", &[("2s", "1/s")]), Script::answers_after(ms(500)));
    assert_eq!(counts(&ran, [Series::Sent, Series::TimedOut]), [2, 2]);
    assert_eq!(ran.sends(), [(at_ms(1000), 0, 0), (at_ms(2000), 1, 1)]);
    let first_close = ran.seen.iter().find(|(_, seen)| matches!(seen, Seen::Close(_)));
    assert_eq!(first_close, Some(&(at_ms(1100), Seen::Close(0))));
    assert_eq!(ran.summary.ended_at, at_ms(2100));
}

#[test]
fn an_answer_at_the_very_deadline_is_in_time() {
    let ran = run(scenario("timeout = \"100ms\"", &[("1s", "1/s")]), Script::answers_after(ms(100)));
    assert_eq!(counts(&ran, [Series::Ok, Series::TimedOut]), [1, 0]);
}

#[test]
fn a_request_that_never_got_a_connection_times_out_without_a_send() {
    // One connection, occupied for good by the first request.
    let ran = run(
        scenario("timeout = \"150ms\"\nconnections = { max = 1 }", &[("1s", "10/s")]),
        Script::answers_after(ms(10_000)),
    );
    // Sent at 100, given up at 250; then 200 is sent late at 250, given up at 350; then 300 at 350, and so on.
    assert_eq!(counts(&ran, [Series::Offered, Series::Sent, Series::TimedOut]), [10, 10, 10]);
    let slow_connect = Script::answers_after(ms(1)).connecting(|_| Ok(ms(400)));
    let ran = run(scenario("timeout = \"150ms\"\nconnections = { max = 1 }", &[("1s", "10/s")]), slow_connect);
    // Connected at 500: 100, 200 and 300 are gone by then.
    assert_eq!(counts(&ran, [Series::Sent, Series::TimedOut, Series::Ok]), [7, 3, 7]);
    assert_eq!(ran.sends()[0], (at_ms(500), 3, 0));
}

#[test]
fn a_connection_that_comes_in_the_very_instant_of_the_deadline_comes_too_late() {
    // Opened from 10 to 50 ms; the requests of 10 and 20 ms give up at 40 and 50.
    let script = Script::answers_after(ms(1)).connecting(|_| Ok(ms(40)));
    let ran = run(scenario("timeout = \"30ms\"\nconnections = { max = 1 }", &[("20ms", "100/s")]), script);
    assert_eq!(counts(&ran, [Series::TimedOut, Series::Sent]), [2, 0]);
    assert_eq!(ran.summary.ended_at, at_ms(50));
}

#[test]
fn a_refused_connection_fails_one_request_each() {
    let refused = |_| Err(TransportError::Refused);
    let ran = run(scenario("", &[("1s", "100/s")]), Script::answers_after(ms(1)).connecting(refused));
    assert_eq!(
        counts(&ran, [Series::Offered, Series::Sent, Series::Failed, Series::ClientConnects]),
        [100, 0, 100, 100]
    );
    assert_eq!(ran.summary.errors, [(TransportError::Refused, 100)]);
    assert_eq!(ran.totals.level(Series::ClientConnections), Some(0));
}

#[test]
fn a_connect_that_hangs_is_given_up() {
    let ran = run(
        scenario("connections = { max = 2 }", &[("1s", "3/s")]),
        Script::answers_after(ms(1)).connecting(|nth| Ok(if nth < 2 { Duration::from_secs(3600) } else { ms(1) })),
    );
    // The first request pays for the first dead connect; the connection opened after it serves the other two.
    assert_eq!(counts(&ran, [Series::Failed, Series::Ok]), [1, 2]);
    assert_eq!(ran.summary.errors, [(TransportError::ConnectTimedOut, 1)]);
}

#[test]
fn an_error_in_an_exchange_fails_the_request_and_replaces_the_connection() {
    let ran = run(
        scenario("", &[("1s", "10/s")]),
        Script::new(|request, _| {
            if request.id % 2 == 0 { Step::Fails(TransportError::Reset, ms(1)) } else { Step::Answer(200, ms(1)) }
        }),
    );
    assert_eq!(counts(&ran, [Series::Sent, Series::Attempts, Series::Ok, Series::Failed]), [10, 10, 5, 5]);
    assert_eq!(
        counts(&ran, [Series::ClientConnects]),
        [6],
        "one at first, and one after each error with requests to come"
    );
}

// === Connections ===

#[test]
fn connections_opened_before_are_there_at_time_zero() {
    let before = "connections = { max = 100, open = \"before\" }";
    let ran = run(scenario(before, &[("1s", "500/s")]), Script::answers_after(ms(5)).connecting(|_| Ok(ms(7))));
    assert_eq!(counts(&ran, [Series::ClientConnects, Series::Ok]), [0, 500]);
    assert_eq!(ran.totals.level(Series::ClientConnections), Some(100));
    let opened = ran.seen.iter().filter(|(_, seen)| *seen == Seen::Connect).count();
    assert_eq!(opened, 100);
    assert!(ran.seen.iter().filter(|(_, seen)| *seen == Seen::Connect).all(|(at, _)| *at <= at_ms(28)));
}

#[test]
fn preparing_says_how_far_it_came() {
    let text = scenario("connections = { max = 100, open = \"before\" }", &[("1s", "1/s")]);
    let script =
        Script::answers_after(ms(1)).connecting(|nth| if nth == 40 { Err(TransportError::Refused) } else { Ok(ms(1)) });
    let error = script::prepare(text, script).unwrap_err();
    assert_eq!((error.opened, error.wanted, error.source), (40, 100, TransportError::Refused));
    assert_eq!(error.to_string(), "opened 40 of 100 client connections for traffic \"t\"");
}

#[test]
fn waiting_requests_are_served_in_their_order() {
    let ran = run(
        scenario("connections = { max = 3 }", &[("1s", "1000/s")]),
        Script::new(|request, _| Step::Answer(200, ms(3 + request.id % 3))),
    );
    let order: Vec<u64> = ran.sends().iter().map(|(_, sequence, _)| *sequence).collect();
    assert_eq!(order, (0..1000).collect::<Vec<_>>());
    assert_eq!(counts(&ran, [Series::ClientConnects, Series::Ok]), [3, 1000]);
}

#[test]
fn a_waiting_request_takes_whichever_connection_is_ready_first() {
    // The second request asks for a connection at 20 ms that takes 50 ms; the first one's is free at 25 ms.
    let ran = run(
        scenario("", &[("20ms", "100/s")]),
        Script::answers_after(ms(15)).connecting(|nth| Ok(ms(50 * nth as u64))),
    );
    assert_eq!(ran.sends(), [(at_ms(10), 0, 0), (at_ms(25), 1, 0)]);
}

#[test]
fn a_connection_that_closes_after_each_answer_is_replaced() {
    let ran = run(scenario("", &[("1s", "50/s")]), Script::new(|_, _| Step::Last(200, ms(1))));
    assert_eq!(counts(&ran, [Series::Ok, Series::ClientConnects, Series::Attempts]), [50; 3]);
    assert_eq!(ran.totals.level(Series::ClientConnections), Some(0));
}

#[test]
fn a_connection_closed_while_idle_is_noticed_and_replaced() {
    let mut script = Script::answers_after(ms(1));
    script.idle_for = Some(ms(200));
    let ran = run(scenario("", &[("1s", "10/s"), ("3s", "1/s")]), script);
    assert_eq!(counts(&ran, [Series::Ok, Series::Failed]), [13, 0]);
    assert_eq!(counts(&ran, [Series::ClientConnects]), [4], "one serves the first second, then one for each request");
    let closes = ran.seen.iter().filter(|(_, seen)| matches!(seen, Seen::Close(_)));
    assert_eq!(closes.map(|(at, _)| *at).take(3).collect::<Vec<_>>(), [at_ms(1201), at_ms(2201), at_ms(3201)]);
}

#[test]
fn a_stale_connection_is_retried_once_on_a_fresh_one() {
    let stale_on_reuse = Script::new(|request, connection| {
        if request.id > 0 && connection as u64 != request.id {
            Step::Fails(TransportError::Stale, ms(1))
        } else {
            Step::Answer(200, ms(1))
        }
    });
    let ran = run(scenario("", &[("1s", "5/s")]), stale_on_reuse);
    assert_eq!(counts(&ran, [Series::Sent, Series::Attempts, Series::Ok, Series::ClientConnects]), [5, 9, 5, 5]);
    assert_eq!(ran.summary.errors, []);
    let always = run(scenario("", &[("1s", "5/s")]), Script::new(|_, _| Step::Fails(TransportError::Stale, ms(1))));
    assert_eq!(counts(&always, [Series::Sent, Series::Attempts, Series::Failed]), [5, 10, 5]);
    assert_eq!(always.summary.errors, [(TransportError::Stale, 5)]);
}

// === The in-flight bound ===

#[test]
fn beyond_the_bound_arrivals_are_dropped() {
    let ran = run(scenario("in_flight = { max = 2 }", &[("1s", "100/s")]), Script::answers_after(ms(95)));
    // Two of each ten find room: at 10 and 20 ms, then again at 110 (freed at 105) and 120.
    assert_eq!(counts(&ran, [Series::Offered, Series::Sent, Series::Ok, Series::Dropped]), [100, 20, 20, 80]);
    assert_eq!(send_times(&ran)[..4], [10, 20, 110, 120]);
}

#[test]
fn beyond_the_bound_arrivals_queue_up_to_the_capacity() {
    // The target serves 50/s and is offered 100/s: the bound holds 1, the queue 10, the rest is dropped.
    let ran = run(
        scenario("in_flight = { max = 1, policy = \"queue\", capacity = 10 }", &[("1s", "100/s")]),
        Script::answers_after(ms(20)),
    );
    let [offered, sent, dropped] = counts(&ran, [Series::Offered, Series::Sent, Series::Dropped]);
    assert_eq!((offered, sent + dropped), (100, 100));
    assert_eq!(sent, 50 + 10, "50 served within the second, 10 queued at its end");
    let order: Vec<u64> = ran.sends().iter().map(|(_, sequence, _)| *sequence).collect();
    assert!(order.windows(2).all(|pair| pair[0] < pair[1]), "first in, first out: {order:?}");
    assert_eq!(counts(&ran, [Series::ClientConnects]), [1]);
}

#[test]
fn a_target_at_half_speed_for_a_minute_meets_a_bounded_queue() {
    // 1000/s against 500/s: 5 workers of 10 ms. Nothing grows beyond the capacity, and it drains afterwards.
    let lines = "in_flight = { max = 5, policy = \"queue\", capacity = 2000 }";
    let ran = run(scenario(lines, &[("60s", "1000/s"), ("10s", "100/s")]), Script::answers_after(ms(10)));
    let [offered, ok, dropped] = counts(&ran, [Series::Offered, Series::Ok, Series::Dropped]);
    assert_eq!((offered, ok + dropped), (61_000, 61_000));
    assert!((27_900..28_100).contains(&dropped), "{dropped}");
}

#[test]
fn five_a_second_at_a_slow_target_are_all_accounted_for() {
    // 50 connections, answers after 15 s: 3.33 a second can be served. No timeout, so the rest waits, and ends unfinished.
    let ran = run(scenario("connections = { max = 50 }", &[("60s", "5/s")]), Script::answers_after(ms(15_000)));
    let [offered, sent, ok, unfinished] = counts(&ran, [Series::Offered, Series::Sent, Series::Ok, Series::Unfinished]);
    assert_eq!((offered, sent, ok + unfinished), (300, 300, 300));
    assert_eq!((ran.summary.end, ran.summary.ended_at), (AttackEnd::Horizon, at_ms(90_000)));
}

// === Behind, and the end ===

#[test]
fn after_a_hiccup_all_that_is_due_is_taken_up_at_once() {
    // The generator first looks at 500 ms: 50 arrivals are late, the other 50 are not.
    let how = How { late_by: ms(505), ..How::default() };
    let ran = run_how(scenario("", &[("1s", "100/s")]), Script::answers_after(ms(1)), &how);
    let mut expected = vec![505; 50];
    expected.extend((51..=100).map(|k| k * 10));
    assert_eq!(send_times(&ran), expected);
    assert_eq!(counts(&ran, [Series::Offered, Series::Ok, Series::Good]), [100; 3]);
}

#[test]
fn what_is_taken_up_after_its_timeout_is_timed_out_and_never_sent() {
    let how = How { late_by: ms(505), ..How::default() };
    let ran = run_how(scenario("timeout = \"200ms\"", &[("1s", "100/s")]), Script::answers_after(ms(1)), &how);
    // Due at 10…300: gone. Due at 310…500: sent at 505.
    assert_eq!(counts(&ran, [Series::Offered, Series::Sent, Series::TimedOut, Series::Ok]), [100, 70, 30, 70]);
    // So many that the workers have a turn and are idle in between: due at 2…304 ms, gone all the same.
    let lines = "timeout = \"200ms\"\nconnections = { max = 8, open = \"before\" }";
    let ran = run_how(scenario(lines, &[("1s", "500/s")]), Script::answers_after(ms(1)), &how);
    assert_eq!(counts(&ran, [Series::Offered, Series::Sent, Series::TimedOut, Series::Ok]), [500, 348, 152, 348]);
}

#[test]
fn at_the_horizon_what_was_due_is_offered_and_what_is_left_is_unfinished() {
    // So late that the horizon (1 s + 30 s) has passed before the first look.
    let how = How { late_by: Duration::from_secs(40), ..How::default() };
    let ran = run_how(scenario("", &[("1s", "100/s")]), Script::answers_after(ms(1)), &how);
    assert_eq!(counts(&ran, [Series::Offered, Series::Unfinished]), [100, 100]);
    assert_eq!(ran.summary.end, AttackEnd::Horizon);
}

#[test]
fn the_timeout_of_the_last_arrival_is_not_cut_off_by_the_horizon() {
    let ran = run(scenario("timeout = \"2s\"", &[("1s", "1/s")]), Script::answers_after(ms(60_000)));
    assert_eq!(counts(&ran, [Series::TimedOut, Series::Unfinished]), [1, 0]);
    assert_eq!(ran.summary.ended_at, at_ms(3000));
}

#[test]
fn an_answer_at_the_very_horizon_counts() {
    let ran = run(scenario("", &[("1s", "1/s")]), Script::answers_after(ms(30_000)));
    assert_eq!(counts(&ran, [Series::Ok, Series::Unfinished]), [1, 0]);
}

#[test]
fn a_stop_ends_it_at_once() {
    let how = How { stop_at: Some(ms(505)), ..How::default() };
    let lines = "connections = { max = 2 }";
    let ran = run_how(scenario(lines, &[("10s", "100/s")]), Script::answers_after(ms(100)), &how);
    let [offered, sent, ok, unfinished] = counts(&ran, [Series::Offered, Series::Sent, Series::Ok, Series::Unfinished]);
    assert_eq!((offered, sent, ok, unfinished), (50, 10, 8, 42));
    assert_eq!((ran.summary.end, ran.summary.ended_at), (AttackEnd::Stopped, at_ms(505)));
    assert_eq!(ran.totals.level(Series::InFlight), Some(0));
    let ended = ran.trace.iter().filter_map(|event| match event {
        TraceEvent::Outcome(sample) => Some(sample.arrival.sequence),
        _ => None,
    });
    assert_eq!(ended.collect::<Vec<_>>(), (0..50).collect::<Vec<_>>(), "what is left ends in the order it came");
}

#[test]
fn a_stop_before_the_beginning_offers_nothing() {
    let how = How { stop_at: Some(Duration::ZERO), late_by: ms(1), prepare: false };
    let ran = run_how(scenario("", &[("1s", "100/s")]), Script::answers_after(ms(1)), &how);
    assert_eq!((ran.summary.end, ran.summary.offered), (AttackEnd::Stopped, 0));
}

#[test]
fn without_preparation_connections_are_opened_as_needed() {
    let how = How { prepare: false, ..How::default() };
    let before = "connections = { max = 100, open = \"before\" }";
    let ran = run_how(scenario(before, &[("1s", "100/s")]), Script::answers_after(ms(5)), &how);
    assert_eq!(counts(&ran, [Series::ClientConnects, Series::Ok]), [1, 100]);
}
