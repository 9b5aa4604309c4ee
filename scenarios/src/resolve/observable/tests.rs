//! A series is observable if and only if what reports it is there.

use super::*;
use crate::{Scenario, Side};

const FULL: &str = r#"
name = "full"
[[traffic]]
name = "t"
mix = [{ get = "/catalog" }]
[[traffic.stage]]
name = "s"
for = "1s"
rate = "1/s"
[target.gateway]
workers = 1
limiter = { kind = "fixed-window", limit = 1, per = "1s" }
queue = { kind = "fifo", capacity = 1, timeout = "1s" }
upstream_timeout = "1s"
[target.catalog]
service = "1ms"
[target.cache]
capacity = 1
[target.db]
query = "1ms"
pool = { kind = "deadpool", max = 1, connect = "1ms" }
"#;

fn full() -> MockSpec {
    match Scenario::parse(FULL, "full").expect("sound").target {
        Target::Embedded(spec) => *spec,
        Target::External(_) => panic!("embedded"),
    }
}

/// The names of all that a target with this part taken away cannot report, though the full one can.
fn lost(take: impl FnOnce(&mut MockSpec)) -> Vec<&'static str> {
    let mut spec = full();
    take(&mut spec);
    let (full, spec) = (Target::Embedded(Box::new(full())), Target::Embedded(Box::new(spec)));
    let lost = Series::ALL.iter().filter(|series| unobservable(**series, &full).is_none());
    lost.filter(|series| unobservable(**series, &spec).is_some()).map(|series| series.name()).collect()
}

#[test]
fn the_full_target_reports_all_but_what_comes_later() {
    let full = Target::Embedded(Box::new(full()));
    let refused =
        Series::ALL.iter().filter_map(|series| unobservable(*series, &full).map(|why| (series.name(), why.later)));
    let later = [
        "users",
        "cache.stale",
        "breaker.opened",
        "breaker.rejected",
        "breaker.state",
        "catalog.threads",
        "catalog.replicas.desired",
        "catalog.replicas.ready",
        "catalog.pause",
        "catalog.lock.wait",
    ];
    assert_eq!(refused.collect::<Vec<_>>(), later.map(|name| (name, true)));
}

#[test]
fn each_part_takes_its_series_with_it() {
    let gateway = |spec: &mut MockSpec| spec.gateway.take().expect("full");
    let pool = [
        "db.connects",
        "db.connect_failures",
        "db.pool.timeouts",
        "db.pool.size",
        "db.pool.idle",
        "db.pool.connecting",
        "db.pool.waiters",
        "db.connect",
        "db.pool.wait",
    ];
    assert_eq!(lost(|spec| spec.db.as_mut().expect("full").pool = None), pool);
    let mut db = lost(|spec| spec.db = None);
    db.retain(|name| !pool.contains(name));
    assert_eq!(db, ["db.queries", "db.in_flight", "db.query"]);
    let cache = ["cache.hits", "cache.misses", "cache.loads", "cache.coalesced", "cache.entries", "cache.load"];
    assert_eq!(lost(|spec| spec.cache = None), cache);
    let catalog = ["catalog.calls", "catalog.imports", "catalog.orders", "catalog.in_flight", "catalog.service"];
    assert_eq!(lost(|spec| spec.catalog = None), catalog);
    let with = |change: fn(&mut crate::Gateway)| {
        lost(|spec| {
            let mut changed = gateway(spec);
            change(&mut changed);
            spec.gateway = Some(changed);
        })
    };
    assert_eq!(with(|gateway| gateway.limiter = None), ["gateway.rejected", "gateway.limit"]);
    assert_eq!(with(|gateway| gateway.upstream_timeout = None), ["gateway.timeouts"]);
    let queue = ["gateway.queue.timeouts", "gateway.queue.depth", "gateway.queue.wait"];
    assert_eq!(with(|gateway| gateway.queue = None), queue);
    let patient = with(|gateway| gateway.queue = Some(Queue::Fifo { capacity: 1, timeout: None }));
    assert_eq!(patient, ["gateway.queue.timeouts"]);
    let all = lost(|spec| spec.gateway = None);
    assert!(all.len() == 10 && all.iter().all(|name| name.starts_with("gateway.")), "{all:?}");
}

#[test]
fn a_real_service_reports_what_the_client_sees() {
    let external = crate::External { url: "http://h:1".to_owned(), ready: None, reset: None };
    let target = Target::External(external);
    for series in Series::ALL {
        let seen = series.side() == Side::Client && *series != Series::Users;
        assert_eq!(unobservable(*series, &target).is_none(), seen, "{}", series.name());
    }
}

#[test]
fn labels_belong_to_the_client() {
    for series in Series::ALL {
        assert!(labels(*series).is_empty() || series.side() == Side::Client, "{}", series.name());
    }
}
