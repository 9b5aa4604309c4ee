//! The example of the design: everything in it has its meaning in the model.

use coldfront_scenarios::expectation::{Bound, Comparison, Extreme, Goal, Measure, Selection, Statistic};
use coldfront_scenarios::*;
use std::time::Duration;

const EXAMPLE: &str = include_str!("example.toml");

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn of(series: Series) -> Selection {
    Selection { series, traffic: None, route: None, outcome: None, cold: None }
}

fn example() -> Scenario {
    Scenario::parse(EXAMPLE, "example.toml").unwrap_or_else(|error| panic!("{}", error.plain()))
}

#[test]
fn the_head_and_the_load_are_read() {
    let scenario = example();
    assert_eq!(scenario.name, "cold pool under 0 → 500 → 0");
    assert_eq!((scenario.seed, scenario.mode, scenario.file.as_str()), (7, None, "example.toml"));
    assert_eq!(scenario.about.as_deref(), Some("A pool that was never filled meets a crowd.\nSecond line."));
    let [traffic] = scenario.traffic.as_slice() else { panic!("one stream") };
    assert_eq!((traffic.name.as_str(), traffic.arrivals), ("shoppers", Arrivals::Poisson));
    assert_eq!((traffic.timeout, traffic.deadline), (Some(seconds(1)), Some(millis(400))));
    assert_eq!(traffic.connections, Connections { max: 256, open: Open::Before });
    assert_eq!(traffic.in_flight, InFlight { max: 100_000, policy: InFlightPolicy::Drop });
    let stages: Vec<_> =
        traffic.stages.iter().map(|s| (s.name.as_str(), s.start, s.duration, s.rate.clone())).collect();
    assert_eq!(
        stages,
        [
            ("quiet", seconds(0), seconds(2), Rate::Constant(50.0)),
            ("spike", seconds(2), seconds(3), Rate::Constant(500.0)),
            ("after", seconds(5), seconds(3), Rate::Constant(50.0)),
        ]
    );
    let [item, order] = traffic.mix.as_slice() else { panic!("two routes") };
    assert_eq!(item.name(), "GET /items/{key}");
    assert_eq!((item.weight, item.keys), (5.0, Some(Keys { count: 10_000, zipf: 1.1 })));
    assert_eq!((item.body.clone(), item.expects(204), item.expects(404)), (None, true, false));
    assert_eq!(order.body.as_deref(), Some(br#"{"sku_id":9999,"quantity":1}"#.as_slice()));
    assert_eq!(order.headers, [("content-type".to_owned(), "application/json".to_owned())]);
    assert_eq!((order.expect.as_slice(), order.expects(201)), ([200].as_slice(), false));
}

#[test]
fn the_target_and_its_event_are_read() {
    let scenario = example();
    let Target::Embedded(spec) = &scenario.target else { panic!("embedded") };
    let gateway = spec.gateway.as_ref().expect("a gateway");
    assert_eq!((gateway.workers, gateway.service.clone()), (Some(40), Law::Fixed(Duration::ZERO)));
    assert_eq!(gateway.limiter, Some(Limiter::SlidingWindow { limit: 400, per: seconds(1) }));
    assert_eq!(gateway.queue, Some(Queue::Fifo { capacity: 200, timeout: Some(millis(500)) }));
    let db = spec.db.as_ref().expect("a database");
    assert_eq!(db.query, Law::LogNormal { median: millis(4), p99: millis(20) });
    let pool = Pool {
        kind: PoolKind::Deadpool,
        max: 20,
        connect: Law::Fixed(millis(30)),
        acquire_timeout: None,
        warm_up: WarmUp::Prewarm { to: 20, parallel: 20, gate: true },
    };
    assert_eq!(db.pool, Some(pool));
    assert_eq!(scenario.events, [Event { at: seconds(3), action: Action::FlushCache, at_text: "spike+1s".to_owned() }]);
}

#[test]
fn the_expectations_are_read() {
    let scenario = example();
    let names: Vec<_> = scenario.expectations.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, ["first-wave", "no-connects", "window-law", "smooth", "drained", "recovers"]);
    let spike = Scope { traffic: Some(0), stage: Some(1), from: seconds(2), to: seconds(5), first: None };
    let run = Scope { traffic: None, stage: None, from: Duration::ZERO, to: Duration::MAX, first: None };
    let wave = &scenario.expectations[0];
    assert_eq!(wave.text, "p95(latency) <= 250ms during spike[0s..500ms]");
    assert_eq!(wave.measure, Measure::Statistic(Statistic::Quantile(0.95), of(Series::Latency)));
    assert_eq!((wave.comparison, wave.bound), (Comparison::AtMost, Bound::Duration(millis(250))));
    assert_eq!(wave.scope, Scope { to: millis(2_500), ..spike.clone() });
    let connects = &scenario.expectations[1];
    assert_eq!((connects.comparison, connects.bound), (Comparison::Equal, Bound::Number(0.0)));
    assert_eq!(connects.scope, spike);
    let law = &scenario.expectations[2];
    let extreme = Measure::Extreme { extreme: Extreme::Max, selection: of(Series::GatewayAdmitted), per: seconds(1) };
    assert_eq!((&law.measure, &law.scope), (&extreme, &run));
    let after = Scope { from: seconds(5), to: Duration::MAX, ..spike };
    let quiet = Scope { traffic: Some(0), stage: Some(0), from: seconds(0), to: seconds(2), first: None };
    let recovers = Measure::Recovery {
        statistic: Statistic::Quantile(0.95),
        selection: of(Series::Latency),
        per: millis(500),
        goal: Goal::Within { fraction: 0.1, baseline: quiet },
    };
    assert_eq!((&scenario.expectations[5].measure, &scenario.expectations[5].scope), (&recovers, &after));
    let Measure::Recovery { goal, .. } = &scenario.expectations[4].measure else { panic!("a recovery") };
    assert_eq!(*goal, Goal::AtMost(Bound::Number(0.0)));
}
