//! Every form that a value may have, and what it means.

use coldfront_scenarios::expectation::{Bound, Goal, Measure, Selection, Statistic};
use coldfront_scenarios::*;
use std::time::Duration;

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn parse(text: &str) -> Scenario {
    Scenario::parse(text, "f.toml").unwrap_or_else(|error| panic!("{}\n{text}", error.plain()))
}

/// A small scenario with the stages' rate and what else follows.
fn with(rate: &str, rest: &str) -> Scenario {
    parse(&format!(
        "name = \"x\"\n[[traffic]]\nname = \"t\"\nmix = [{{ get = \"/catalog\" }}]\n\
         [[traffic.stage]]\nname = \"a\"\nfor = \"1s\"\nrate = {rate}\n\
         [[traffic.stage]]\nname = \"b-1s\"\nfor = \"2s\"\nrate = \"1/s\"\n{rest}"
    ))
}

fn spec(rest: &str) -> MockSpec {
    match with("\"1/s\"", rest).target {
        Target::Embedded(spec) => *spec,
        Target::External(_) => panic!("embedded"),
    }
}

#[test]
fn rates() {
    let rate = |text: &str| with(text, "").traffic[0].stages[0].rate.clone();
    assert_eq!(rate("\"90/m\""), Rate::Constant(1.5));
    assert_eq!(rate("\"0/s\""), Rate::Constant(0.0));
    assert_eq!(rate("{ from = \"0/s\", to = \"500/s\" }"), Rate::Ramp { from: 0.0, to: 500.0 });
    assert_eq!(rate("{ steps = [\"1/s\", \"0/s\", \"2/s\"] }"), Rate::Step(vec![1.0, 0.0, 2.0]));
    let wave = Rate::Sine { mean: 2.0, amplitude: 2.0, period: millis(500) };
    assert_eq!(rate("{ mean = \"2/s\", amplitude = \"2/s\", period = \"500ms\" }"), wave);
}

#[test]
fn laws() {
    let law = |text: &str| spec(&format!("[target.db]\nquery = {text}\n")).db.expect("a database").query;
    assert_eq!(law("\"4ms\""), Law::Fixed(millis(4)));
    assert_eq!(law("\"0s\""), Law::Fixed(Duration::ZERO));
    assert_eq!(law("{ mean = \"4ms\" }"), Law::Exponential { mean: millis(4) });
    assert_eq!(law("{ median = \"4ms\", p99 = \"4ms\" }"), Law::LogNormal { median: millis(4), p99: millis(4) });
    let mixture = "{ mixture = [{ weight = 9, law = \"1ms\" }, { law = { mean = \"50ms\" } }] }";
    let parts = vec![(9.0, Law::Fixed(millis(1))), (1.0, Law::Exponential { mean: millis(50) })];
    assert_eq!(law(mixture), Law::Mixture(parts));
}

#[test]
fn limiters() {
    let limiter =
        |text: &str| spec(&format!("[target.gateway]\nlimiter = {text}\n")).gateway.expect("a gateway").limiter;
    let window = |kind: &str| limiter(&format!("{{ kind = \"{kind}\", limit = 7, per = \"2s\" }}"));
    let per = Duration::from_secs(2);
    assert_eq!(window("fixed-window"), Some(Limiter::FixedWindow { limit: 7, per }));
    assert_eq!(window("sliding-window"), Some(Limiter::SlidingWindow { limit: 7, per }));
    assert_eq!(window("sliding-window-counter"), Some(Limiter::SlidingWindowCounter { limit: 7, per }));
    let bucket = limiter("{ kind = \"token-bucket\", rate = \"30/m\", burst = 3 }");
    assert_eq!(bucket, Some(Limiter::TokenBucket { rate: 0.5, burst: 3 }));
}

#[test]
fn a_gateway_by_default_does_nothing() {
    let gateway = spec("[target.gateway]\n").gateway.expect("a gateway");
    let nothing = Gateway {
        service: Law::Fixed(Duration::ZERO),
        cold: None,
        workers: None,
        limiter: None,
        queue: None,
        upstream_timeout: None,
    };
    assert_eq!(gateway, nothing);
    assert_eq!(spec(""), MockSpec::default());
    assert_eq!(
        spec("[target]\nabandoned = \"continues\"\n"),
        MockSpec { abandoned: Abandoned::Continues, ..MockSpec::default() }
    );
}

#[test]
fn queue_cold_and_timeouts() {
    let text = "[target.gateway]\nservice = \"1ms\"\nworkers = 2\nqueue = { kind = \"fifo\", capacity = 3 }\n\
                upstream_timeout = \"1s\"\ncold = { extra = \"5ms\", calls = 10 }\n\
                [target.catalog]\nservice = { mean = \"2ms\" }\nstock = 0\ncold = { preset = \"jvm\", extra = \"2s\" }\n";
    let spec = spec(text);
    let gateway = Gateway {
        service: Law::Fixed(millis(1)),
        cold: Some(ColdPenalty { extra: millis(5), decay: Decay::Calls(10) }),
        workers: Some(2),
        limiter: None,
        queue: Some(Queue::Fifo { capacity: 3, timeout: None }),
        upstream_timeout: Some(millis(1_000)),
    };
    assert_eq!(spec.gateway, Some(gateway));
    let cold = ColdPenalty { extra: millis(2_000), decay: Decay::Time(Duration::from_secs(20)) };
    let service = Law::Exponential { mean: millis(2) };
    assert_eq!(spec.catalog, Some(Catalog { service, cold: Some(cold), stock: 0 }));
}

#[test]
fn caches() {
    let cache = |text: &str| spec(&format!("[target.cache]\n{text}")).cache.expect("a cache");
    let plain = Cache {
        capacity: 10,
        ttl: None,
        hit: Law::Fixed(millis(1)),
        miss: Law::Fixed(millis(1)),
        warm_keys: 0,
        single_flight: false,
    };
    assert_eq!(cache("capacity = 10\n"), plain);
    let full = "capacity = 10\nttl = \"5s\"\nhit = \"0ms\"\nmiss = \"2ms\"\nwarm_keys = 10\nsingle_flight = true\n";
    let expected = Cache {
        ttl: Some(millis(5_000)),
        hit: Law::Fixed(Duration::ZERO),
        miss: Law::Fixed(millis(2)),
        warm_keys: 10,
        single_flight: true,
        ..plain
    };
    assert_eq!(cache(full), expected);
}

#[test]
fn pools_and_their_warm_up() {
    let pool = |text: &str| {
        let db = spec(&format!("[target.db]\nquery = \"1ms\"\nmax_connections = 9\npool = {{ {text} }}\n"))
            .db
            .expect("a database");
        assert_eq!(db.max_connections, Some(9));
        db.pool.expect("a pool")
    };
    let plain = Pool {
        kind: PoolKind::Deadpool,
        max: 8,
        connect: Law::Fixed(millis(200)),
        acquire_timeout: None,
        warm_up: WarmUp::Lazy,
    };
    assert_eq!(pool("kind = \"deadpool\", max = 8, connect = \"200ms\""), plain);
    assert_eq!(pool("preset = \"pg-region\", max = 8"), plain);
    assert_eq!(pool("preset = \"pg-region\", max = 8, connect = \"3ms\"").connect, Law::Fixed(millis(3)));
    assert_eq!(pool("preset = \"pg-local\", max = 8, acquire_timeout = \"3ms\"").acquire_timeout, Some(millis(3)));
    let warm = |text: &str| pool(&format!("preset = \"pg-lan\", max = 8, warm_up = {{ {text} }}")).warm_up;
    assert_eq!(warm("kind = \"lazy\""), WarmUp::Lazy);
    assert_eq!(warm("kind = \"min-idle\", min = 8"), WarmUp::MinIdle { min: 8 });
    assert_eq!(warm("kind = \"prewarm\", to = 5"), WarmUp::Prewarm { to: 5, parallel: 5, gate: true });
    let slow = WarmUp::Prewarm { to: 5, parallel: 2, gate: false };
    assert_eq!(warm("kind = \"prewarm\", to = 5, parallel = 2, gate = false"), slow);
    assert_eq!(warm("kind = \"prewarm\", to = 5, parallel = 50"), WarmUp::Prewarm { to: 5, parallel: 5, gate: true });
}

#[test]
fn networks() {
    let network = |text: &str| spec(&format!("[target.network]\n{text}")).network;
    assert_eq!(network(""), Network::default());
    let lan = Network { connect: Duration::from_micros(500), round_trip: Duration::ZERO };
    assert_eq!(network("preset = \"lan\"\nround_trip = \"0s\"\n"), lan);
}

#[test]
fn events_in_order_of_time() {
    let event = |at: &str, rest: &str| format!("[[event]]\nat = \"{at}\"\n{rest}\n");
    let target =
        "[target.cache]\ncapacity = 10\n[target.db]\nquery = \"1ms\"\npool = { preset = \"pg-lan\", max = 8 }\n";
    let events = event("t.b-1s+500ms", "do = \"warm-pool\"\nto = 8")
        + &event("a", "do = \"warm-pool\"")
        + &event("b-1s", "do = \"warm-cache\"\nkeys = 10")
        + &event("b-1s-1ms", "do = \"warm-cache\"")
        + &event("a + 1s", "do = \"cold\"")
        + &event("3s", "do = \"kill-connections\"")
        + &event("0s", "do = \"slow-db\"\nfactor = 1")
        + &event("500ms", "do = \"slow-db\"\nfactor = 2.5\nfor = \"1s\"");
    let scenario = with("\"1/s\"", &(target.to_owned() + &events));
    let found: Vec<_> =
        scenario.events.iter().map(|event| (event.at, event.at_text.as_str(), event.action.clone())).collect();
    assert_eq!(
        found,
        [
            (millis(0), "a", Action::WarmPool { to: None }),
            (millis(0), "0s", Action::SlowDb { factor: 1.0, lasting: None }),
            (millis(500), "500ms", Action::SlowDb { factor: 2.5, lasting: Some(millis(1_000)) }),
            (millis(999), "b-1s-1ms", Action::WarmCache { keys: None }),
            (millis(1_000), "b-1s", Action::WarmCache { keys: Some(10) }),
            (millis(1_000), "a + 1s", Action::Cold),
            (millis(1_500), "t.b-1s+500ms", Action::WarmPool { to: Some(8) }),
            (millis(3_000), "3s", Action::KillConnections),
        ]
    );
}

#[test]
fn a_real_service() {
    let target =
        |text: &str| match with("\"1/s\"", &format!("[target]\nurl = \"http://h.example:81/a/\"\n{text}")).target {
            Target::External(external) => external,
            Target::Embedded(_) => panic!("a real one"),
        };
    let plain = External { url: "http://h.example:81/a".to_owned(), ready: None, reset: None };
    assert_eq!(target(""), plain);
    let post =
        External { ready: Some("/ok?x=1".to_owned()), reset: Some(Reset::Post("/cold".to_owned())), ..plain.clone() };
    assert_eq!(target("ready = \"/ok?x=1\"\nreset = { post = \"/cold\" }\n"), post);
    let command = Some(Reset::Command(vec!["./cold.sh".to_owned(), "--now".to_owned()]));
    assert_eq!(target("reset = { command = [\"./cold.sh\", \"--now\"] }\n"), External { reset: command, ..plain });
}

#[test]
fn routes_of_a_real_service() {
    let mix = |entry: &str| {
        let text = format!(
            "name = \"x\"\n[target]\nurl = \"http://h:1\"\n[[traffic]]\nname = \"t\"\nmix = [{entry}]\n\
             [[traffic.stage]]\nname = \"a\"\nfor = \"1s\"\nrate = \"1/s\"\n"
        );
        parse(&text).traffic.remove(0).mix.remove(0)
    };
    for (key, method) in
        [("get", "GET"), ("post", "POST"), ("put", "PUT"), ("delete", "DELETE"), ("patch", "PATCH"), ("head", "HEAD")]
    {
        assert_eq!(mix(&format!("{{ {key} = \"/any?q=%20\" }}")).name(), format!("{method} /any?q=%20"));
    }
    let route = mix(
        "{ post = \"/x\", body = \"a=1\", headers = { Content-Type = \"text/plain\", X-A = \"\" }, expect = [409, 201] }",
    );
    assert_eq!(route.body.as_deref(), Some(b"a=1".as_slice()));
    let headers =
        [("Content-Type", "text/plain"), ("X-A", "")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!((route.headers.as_slice(), route.expect.as_slice()), (headers.as_slice(), [201, 409].as_slice()));
    let route = mix("{ post = \"/x\", json = [1, \"a\"], headers = { content-Type = \"application/vnd+json\" } }");
    assert_eq!(route.body.as_deref(), Some(br#"[1,"a"]"#.as_slice()));
    assert_eq!(route.headers.len(), 1, "its own content-type wins");
    assert_eq!(mix("{ get = \"/{key}/a\", keys = { count = 3 } }").keys, Some(Keys { count: 3, zipf: 0.0 }));
}

#[test]
fn defaults_of_a_stream() {
    let scenario = with("\"1/s\"", "");
    let traffic = &scenario.traffic[0];
    assert_eq!((scenario.seed, scenario.mode, scenario.about.as_deref()), (1, None, None));
    assert_eq!((traffic.arrivals, traffic.timeout, traffic.deadline), (Arrivals::Uniform, None, None));
    assert_eq!(traffic.connections, Connections { max: 256, open: Open::Lazy });
    assert_eq!(scenario.drain(), Duration::from_secs(30));
    let text = "name = \"x\"\nseed = 18446744073709551615\nmode = \"sim\"\nabout = \"Why.\"\n[[traffic]]\nname = \"t\"\n\
                timeout = \"2s\"\nin_flight = { max = 5, policy = \"queue\", capacity = 6 }\nmix = [{ get = \"/catalog\" }]\n\
                [[traffic.stage]]\nname = \"a\"\nfor = \"1s\"\nrate = \"1/s\"\n";
    let scenario = parse(text);
    assert_eq!((scenario.seed, scenario.mode, scenario.about.as_deref()), (u64::MAX, Some(Mode::Sim), Some("Why.")));
    let traffic = &scenario.traffic[0];
    assert_eq!(traffic.deadline, Some(Duration::from_secs(2)), "the timeout");
    assert_eq!(traffic.in_flight, InFlight { max: 5, policy: InFlightPolicy::Queue { capacity: 6 } });
}

#[test]
fn selections_and_scopes() {
    let expect = |text: &str| with("\"1/s\"", &format!("[expect]\nit = '''{text}'''\n")).expectations.remove(0);
    let any = Selection { series: Series::Latency, traffic: None, route: None, outcome: None, cold: None };
    let of = |text: &str| match expect(text).measure {
        Measure::Statistic(Statistic::Mean, selection) => selection,
        other => panic!("{other:?}"),
    };
    let narrow = of("mean(latency{traffic=t, route=\"GET /catalog\", outcome=failed, cold=true}) < 1s");
    let expected = Selection {
        traffic: Some(0),
        route: Some("GET /catalog".to_owned()),
        outcome: Some(Outcome::Failed),
        cold: Some(true),
        ..any.clone()
    };
    assert_eq!(narrow, expected);
    assert_eq!(of("mean(latency{route='/catalog'}) < 1s"), Selection { route: Some("/catalog".to_owned()), ..any });
    let scope = |text: &str| expect(&format!("count(ok) > 0 {text}")).scope;
    let run = Scope { traffic: None, stage: None, from: Duration::ZERO, to: Duration::MAX, first: None };
    assert_eq!(scope(""), run);
    assert_eq!(scope("during run"), run);
    assert_eq!(scope("during run[1s..2s]"), Scope { from: millis(1_000), to: millis(2_000), ..run.clone() });
    assert_eq!(scope("during run[1s..]"), Scope { from: millis(1_000), ..run });
    let late = Scope { traffic: Some(0), stage: Some(1), from: millis(1_000), to: millis(3_000), first: None };
    assert_eq!(scope("during b-1s"), late);
    assert_eq!(scope("during t.b-1s[500ms..]"), Scope { from: millis(1_500), ..late.clone() });
    assert_eq!(scope("during first 3 of b-1s"), Scope { first: Some(3), ..late });
    let after = Scope { traffic: Some(0), stage: Some(0), from: millis(1_000), to: Duration::MAX, first: None };
    assert_eq!(scope("after a"), after);
    assert_eq!(scope("after a[0s..1s]"), Scope { to: millis(2_000), ..after });
}

#[test]
fn bounds_and_goals() {
    let expect = |text: &str| with("\"1/s\"", &format!("[expect]\nit = \"{text}\"\n")).expectations.remove(0);
    assert_eq!(expect("ratio(ok / offered) >= 99.5%").bound, Bound::Number(0.995));
    assert_eq!(expect("ratio(ok / offered) >= 0.5").bound, Bound::Number(0.5));
    assert_eq!(expect("rate(ok) > 30/m").bound, Bound::PerSecond(0.5));
    assert_eq!(expect("count(ok) > 1_000").bound, Bound::Number(1_000.0));
    assert_eq!(expect("max(latency) < 1m0.5s").bound, Bound::Duration(millis(60_500)));
    let goal = |text: &str| match expect(text).measure {
        Measure::Recovery { goal, .. } => goal,
        other => panic!("{other:?}"),
    };
    let within = goal("recovery(rate(ok per 100ms), 12.5% of b-1s) < 1s after a");
    let stage = Scope { traffic: Some(0), stage: Some(1), from: millis(1_000), to: millis(3_000), first: None };
    assert_eq!(within, Goal::Within { fraction: 0.125, baseline: stage });
    assert_eq!(goal("recovery(rate(ok per 100ms), 5/s) < 1s after a"), Goal::AtMost(Bound::PerSecond(5.0)));
    assert_eq!(expect("  count( ok )\\t >=   1 ").text, "count( ok ) >= 1", "blanks are folded");
}
