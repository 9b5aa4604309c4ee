use super::*;
use crate::cli::arguments::{Arguments, Command};
use clap::Parser as _;
use coldfront_scenarios::{Rate, Route, Target};

fn flags(arguments: &str) -> Load {
    let words = shell_words(arguments);
    let words = ["coldfront", "load"].into_iter().map(str::to_owned).chain(words);
    match Arguments::try_parse_from(words).map(|arguments| arguments.command) {
        Ok(Command::Load(flags)) => flags,
        other => panic!("{arguments}: {other:?}"),
    }
}

/// Words between blanks, single quotes around some.
fn shell_words(text: &str) -> Vec<String> {
    let parts = text.split('\'').enumerate();
    let words = parts.flat_map(|(index, part)| match index % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

fn scenario(arguments: &str) -> coldfront_scenarios::Scenario {
    super::scenario(&flags(arguments)).unwrap_or_else(|error| panic!("{arguments}: {error:?}")).resolved().clone()
}

fn route(arguments: &str) -> Route {
    scenario(&format!("http://127.0.0.1:1/p -r 1/s -d 1s {arguments}")).traffic[0].mix[0].clone()
}

#[test]
fn flags_become_a_scenario() {
    let scenario =
        scenario("http://127.0.0.1:3000/a?b=c -r 500/s -d 1m30s -c 8 --timeout 2s --seed 9 --arrivals poisson");
    let traffic = &scenario.traffic[0];
    assert_eq!(scenario.seed, 9);
    assert!(matches!(&scenario.target, Target::External(external) if external.url == "http://127.0.0.1:3000"));
    assert_eq!((traffic.connections.max, traffic.timeout), (8, Some(Duration::from_secs(2))));
    assert_eq!(traffic.stages.len(), 1);
    assert_eq!(
        (traffic.stages[0].duration, &traffic.stages[0].rate),
        (Duration::from_secs(90), &Rate::Constant(500.0))
    );
    assert_eq!(traffic.mix[0].name(), "GET /a?b=c");
}

#[test]
fn stages_follow_each_other() {
    let scenario = scenario("http://127.0.0.1:1 --stage 5s:0/s --stage 10s:500/s --stage 500ms:30/m");
    let rates: Vec<_> =
        scenario.traffic[0].stages.iter().map(|stage| (stage.duration.as_millis(), &stage.rate)).collect();
    assert_eq!(rates, [(5_000, &Rate::Constant(0.0)), (10_000, &Rate::Constant(500.0)), (500, &Rate::Constant(0.5))]);
}

#[test]
fn so_many_requests_end_half_a_gap_after_the_last() {
    let lasts = scenario("http://127.0.0.1:1 -r 100/s -n 20").traffic[0].stages[0].duration;
    assert_eq!(lasts, Duration::from_millis(205));
}

#[test]
fn a_body_makes_it_a_post_and_json_says_what_it_is() {
    assert_eq!(route("").method, "GET");
    assert_eq!(route("--body a=1").method, "POST");
    assert_eq!(route("--method put --body a=1").method, "PUT");
    let json = route(r#"--json '{"sku": "a\"b"}' -H 'x-one: 1'"#);
    assert_eq!(json.body.as_deref(), Some(br#"{"sku": "a\"b"}"#.as_slice()));
    let headers =
        [("content-type", "application/json"), ("x-one", "1")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert!(headers.iter().all(|header| json.headers.contains(header)), "{:?}", json.headers);
    assert_eq!(route("--json 1 -H 'Content-Type: application/problem+json'").headers.len(), 1);
}

#[test]
fn expectations_are_those_of_a_file() {
    let scenario =
        scenario("http://127.0.0.1:1 -r 1/s -d 1s --expect 'p95(latency) <= 250ms' --expect 'count(failed) == 0'");
    let texts: Vec<_> = scenario.expectations.iter().map(|expectation| expectation.text.as_str()).collect();
    assert_eq!(texts, ["p95(latency) <= 250ms", "count(failed) == 0"]);
}
