//! What the command line changes in a scenario, and scenarios put together in code.

use coldfront_scenarios::expectation::{Bound, Measure, Selection, Statistic};
use coldfront_scenarios::*;
use std::time::Duration;

fn example() -> Scenario {
    Scenario::parse(include_str!("example.toml"), "example.toml").unwrap_or_else(|error| panic!("{}", error.plain()))
}

fn messages(error: &ScenarioError) -> Vec<(Code, &str)> {
    error.problems.iter().map(|problem| (problem.code(), problem.message())).collect()
}

#[test]
fn a_seed_replaces_the_seed_and_nothing_else() {
    assert_eq!(example().with_seed(8), Scenario { seed: 8, ..example() });
}

#[test]
fn a_url_makes_events_and_target_side_expectations_errors_all_at_once() {
    let error = example().with_url("http://127.0.0.1:8080").expect_err("the example looks inside the target");
    assert_eq!(
        messages(&error),
        [
            (Code::Event, "a real service cannot do the event `flush-cache` at spike+1s"),
            (
                Code::Unobservable,
                "expectation `no-connects`: `db.connects` is reported by the embedded target only, not by http://127.0.0.1:8080"
            ),
            (
                Code::Unobservable,
                "expectation `window-law`: `gateway.admitted` is reported by the embedded target only, not by http://127.0.0.1:8080"
            ),
            (
                Code::Unobservable,
                "expectation `smooth`: `db.queries` is reported by the embedded target only, not by http://127.0.0.1:8080"
            ),
            (
                Code::Unobservable,
                "expectation `drained`: `gateway.queue.depth` is reported by the embedded target only, not by http://127.0.0.1:8080"
            ),
        ]
    );
    assert_eq!(
        error.plain().lines().next(),
        Some("example.toml: a real service cannot do the event `flush-cache` at spike+1s [scenario::event]")
    );
}

#[test]
fn a_url_keeps_the_load_and_what_the_client_can_see() {
    let mut scenario = example();
    scenario.events.clear();
    scenario.expectations.retain(|expectation| ["first-wave", "recovers"].contains(&expectation.name.as_str()));
    let aimed = scenario.clone().with_url("http://[::1]:80/shop/").unwrap_or_else(|error| panic!("{}", error.plain()));
    let target = External { url: "http://[::1]:80/shop".to_owned(), ready: None, reset: None };
    assert_eq!(aimed, Scenario { target: Target::External(target), ..scenario });
    assert!(aimed.check_mode(Mode::Live).is_ok());
    let error = aimed.check_mode(Mode::Sim).expect_err("no wire");
    assert_eq!(messages(&error), [(Code::Conflict, "a simulation has no wire to http://[::1]:80/shop")]);
    assert!(example().check_mode(Mode::Sim).is_ok());
}

#[test]
fn a_url_without_a_port_is_one() {
    let mut scenario = example();
    scenario.events.clear();
    scenario.expectations.clear();
    for url in ["http://a", "http://[::1]/shop"] {
        let aimed = scenario.clone().with_url(url).unwrap_or_else(|error| panic!("{}", error.plain()));
        assert!(matches!(aimed.target, Target::External(external) if external.url == url), "{url}");
    }
}

#[test]
fn another_url_keeps_ready_and_reset() {
    let text = "name = \"x\"\n[target]\nurl = \"http://a:1\"\nready = \"/ok\"\nreset = { post = \"/cold\" }\n\
                [[traffic]]\nname = \"t\"\nmix = [{ get = \"/\" }]\n[[traffic.stage]]\nname = \"s\"\nfor = \"1s\"\nrate = \"1/s\"\n";
    let scenario = Scenario::parse(text, "x.toml").unwrap_or_else(|error| panic!("{}", error.plain()));
    let aimed = scenario.with_url("http://b:2").unwrap_or_else(|error| panic!("{}", error.plain()));
    let reset = Some(Reset::Post("/cold".to_owned()));
    assert_eq!(
        aimed.target,
        Target::External(External { url: "http://b:2".to_owned(), ready: Some("/ok".to_owned()), reset })
    );
}

#[test]
fn urls_of_other_forms_are_refused_with_the_reason() {
    let refusals = [
        ("localhost:8080", "is not an address with http://"),
        ("https://a:443", "has no TLS"),
        ("ftp://a:21", "is not a scheme"),
        ("http://a:", "is not a port"),
        ("http://a:0", "is not a port"),
        ("http://a:65536", "is not a port"),
        ("http://a:+80", "is not a port"),
        ("http://:80", "is not a host"),
        ("http://[::1:80", "is not a host"),
        ("http://me@a:80", "cannot have `@`"),
        ("http://a:80/?q", "cannot have `?`"),
        ("http://a b:80", "characters"),
    ];
    for (url, reason) in refusals {
        let error = example().with_url(url).expect_err(url);
        assert!(error.problems[0].message().contains(reason), "{url}: {}", error.plain());
        assert_eq!(error.problems[0].line(), 0);
    }
}

#[test]
fn a_builder_builds_what_was_said() {
    let ramp = Rate::Ramp { from: 0.0, to: 1.0 / 3.0 };
    let wave = Rate::Sine { mean: 2.5, amplitude: 1.5, period: Duration::from_millis(1_500) };
    let builder = Scenario::builder("http://127.0.0.1:8080/items/{key}?full=1")
        .seed(9)
        .method("PUT")
        .header("X-Quote", "a \"b\" \\ c")
        .body(vec![0xff, 0x00, b'"'])
        .expect_status(&[201, 200])
        .keys(Keys { count: 5, zipf: 0.5 })
        .arrivals(Arrivals::Poisson)
        .timeout(Duration::from_nanos(1_500_000_001))
        .deadline(Duration::from_millis(20))
        .connections(7, Open::Before)
        .in_flight(InFlight { max: 3, policy: InFlightPolicy::Queue { capacity: 4 } })
        .stage("up", Duration::from_secs(90), ramp.clone())
        .stage("wave", Duration::from_millis(250), wave.clone())
        .stage("steps", Duration::from_secs(1), Rate::Step(vec![1.0, 0.1]))
        .expect("fast", "p99(latency) <= 5ms during wave");
    let scenario = builder.build().unwrap_or_else(|error| panic!("{}\n{}", error.plain(), builder.to_toml()));
    assert_eq!((scenario.name.as_str(), scenario.seed), ("load on http://127.0.0.1:8080", 9));
    let target = External { url: "http://127.0.0.1:8080".to_owned(), ready: None, reset: None };
    assert_eq!(scenario.target, Target::External(target));
    let traffic = &scenario.traffic[0];
    let rates: Vec<Rate> = traffic.stages.iter().map(|stage| stage.rate.clone()).collect();
    assert_eq!(rates, [ramp, wave, Rate::Step(vec![1.0, 0.1])]);
    assert_eq!(traffic.timeout, Some(Duration::from_nanos(1_500_000_001)));
    assert_eq!(traffic.in_flight, InFlight { max: 3, policy: InFlightPolicy::Queue { capacity: 4 } });
    assert_eq!(traffic.connections, Connections { max: 7, open: Open::Before });
    let route = Route {
        method: "PUT".to_owned(),
        path: "/items/{key}?full=1".to_owned(),
        weight: 1.0,
        keys: Some(Keys { count: 5, zipf: 0.5 }),
        headers: vec![("X-Quote".to_owned(), "a \"b\" \\ c".to_owned())],
        body: Some(vec![0xff, 0x00, b'"']),
        expect: vec![200, 201],
    };
    assert_eq!(traffic.mix, [route]);
    let fast = &scenario.expectations[0];
    assert_eq!(fast.bound, Bound::Duration(Duration::from_millis(5)));
    let latency = Selection { series: Series::Latency, traffic: None, route: None, outcome: None, cold: None };
    assert_eq!(fast.measure, Measure::Statistic(Statistic::Quantile(0.99), latency));
}

#[test]
fn a_builder_with_the_least_builds_and_reads_back() {
    let builder = Scenario::builder("http://h:1").stage("main", Duration::from_secs(1), Rate::Constant(1.0));
    let scenario = builder.build().unwrap_or_else(|error| panic!("{}", error.plain()));
    assert_eq!(scenario.traffic[0].mix[0].name(), "GET /");
    assert_eq!(Scenario::parse(&builder.to_toml(), "load").as_ref().ok(), Some(&scenario));
}

#[test]
fn a_builder_has_the_checks_of_files() {
    let stage = |builder: Builder| builder.stage("main", Duration::from_secs(1), Rate::Constant(1.0));
    let refused = [
        (stage(Scenario::builder("http://h:1")).method("BREW"), Code::UnknownKey),
        (stage(Scenario::builder("http://h:1")).header("Host", "x"), Code::InvalidName),
        (stage(Scenario::builder("http://h:1/{key}")), Code::MissingKey),
        (stage(Scenario::builder("http://h:1")).body(vec![b'x'; (1 << 20) + 1]), Code::OutOfRange),
        (stage(Scenario::builder("http://h:1")).connections(0, Open::Lazy), Code::OutOfRange),
        (stage(Scenario::builder("http://h:1")).expect("e", "count(db.connects) == 0"), Code::Unobservable),
        (Scenario::builder("http://h:1"), Code::MissingKey),
        (Scenario::builder("http://h:1").stage("s", Duration::from_secs(1), Rate::Constant(f64::NAN)), Code::Unit),
        (Scenario::builder("http://h:1").stage("s", Duration::ZERO, Rate::Constant(1.0)), Code::OutOfRange),
    ];
    for (builder, code) in refused {
        let error = builder.build().expect_err("a check of files");
        assert!(error.problems.iter().any(|problem| problem.code() == code), "{code}: {}", error.plain());
    }
}
