//! The whole generator over real sockets and real time: order and accounts, with wide bounds where time is looked at.

use crate::attack::{Attack, AttackEnd, AttackSummary};
use crate::samples::server::{answering, read_request, serve, wait_for_close};
use crate::transport::TransportError;
use crate::wire::Http;
use coldfront_clock::Instant;
use coldfront_measure::{Plan, Recorder, Snapshot};
use coldfront_rt::{Stop, live};
use coldfront_scenarios::{Scenario, Series};
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

fn run(scenario: Scenario, address: SocketAddr) -> (AttackSummary, Snapshot) {
    let scenario = Arc::new(scenario);
    let recorder = Recorder::new(Arc::new(Plan::compile(&scenario)));
    let records = recorder.clone();
    let horizon = Instant::after_start(scenario.stages_end() + scenario.drain());
    let clock = live::Clock::start();
    let summary = live::run(&clock.clone(), scenario.seed, |rt| async move {
        let http = Http::new(rt.clone(), &format!("http://{address}"), &scenario).unwrap();
        let mut attack = Attack::new(rt, scenario, http, records);
        attack.prepare().await.unwrap();
        clock.restart();
        attack.run(Instant::ZERO, Stop::new(), horizon).await
    });
    (summary, recorder.snapshot())
}

fn one_second(lines: &str, rate: &str) -> Scenario {
    super::scenario(lines, &[("1s", rate)])
}

fn counts<const N: usize>(totals: &Snapshot, series: [Series; N]) -> [u64; N] {
    series.map(|series| totals.count(series))
}

#[test]
fn real_a_second_of_load_is_delivered_whole() {
    let lines = "timeout = \"5s\"\nconnections = { max = 4, open = \"before\" }";
    let (summary, totals) = run(one_second(lines, "500/s"), serve(answering(OK)));
    assert_eq!(counts(&totals, [Series::Offered, Series::Sent, Series::Ok]), [500; 3]);
    assert_eq!(counts(&totals, [Series::ClientConnects]), [0]);
    assert_eq!((summary.end, summary.errors), (AttackEnd::Settled, vec![]));
    assert!(summary.ended_at >= Instant::from_nanos(1_000_000_000), "the last arrival is at one second");
}

#[test]
fn real_a_server_that_closes_after_each_answer_costs_a_connection_each() {
    let address = serve(|_, mut stream| {
        read_request(&mut stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok").unwrap();
    });
    let (_, totals) = run(one_second("timeout = \"5s\"", "100/s"), address);
    assert_eq!(counts(&totals, [Series::Ok, Series::ClientConnects, Series::Attempts]), [100; 3]);
    assert_eq!(totals.level(Series::ClientConnections), Some(0));
}

#[test]
fn real_a_server_that_closes_unannounced_loses_no_request() {
    let address = serve(|_, mut stream| {
        read_request(&mut stream);
        stream.write_all(OK.as_bytes()).unwrap();
    });
    let (_, totals) = run(one_second("timeout = \"5s\"", "100/s"), address);
    assert_eq!(counts(&totals, [Series::Ok, Series::Failed]), [100, 0]);
    assert!(totals.count(Series::ClientConnects) >= 100);
}

#[test]
fn real_a_server_that_hangs_times_every_request_out() {
    let address = serve(|_, mut stream| wait_for_close(&mut stream));
    let (_, totals) = run(one_second("timeout = \"50ms\"\nconnections = { max = 2 }", "20/s"), address);
    // The last timeout is the horizon too: which of the two is seen first is the machine's affair, the outcome is not.
    assert_eq!(counts(&totals, [Series::Offered, Series::TimedOut, Series::Unfinished]), [20, 20, 0]);
}

#[test]
fn real_garbage_fails_with_its_reason() {
    let address = serve(|_, mut stream| {
        read_request(&mut stream);
        stream.write_all(b"220 mail.example ESMTP\r\n").unwrap();
        wait_for_close(&mut stream);
    });
    let (summary, totals) = run(one_second("timeout = \"5s\"", "20/s"), address);
    assert_eq!(counts(&totals, [Series::Failed]), [20]);
    assert!(matches!(summary.errors[..], [(TransportError::Malformed(_), 20)]), "{:?}", summary.errors);
}

#[test]
fn real_nobody_there_fails_every_request() {
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (summary, totals) = run(one_second("timeout = \"5s\"", "50/s"), address);
    assert_eq!(counts(&totals, [Series::Offered, Series::Failed, Series::Sent]), [50, 50, 0]);
    assert_eq!(summary.errors, [(TransportError::Refused, 50)]);
}
