//! One instance after another, tiers that are off, and a database that is slow for a while.

use super::*;
use crate::Cost;
use coldfront_scenarios::Action;

fn full() -> MockSpec {
    MockSpec {
        gateway: Some(Gateway { workers: Some(10), ..gateway() }),
        catalog: Some(catalog(fixed(1))),
        cache: Some(Cache { warm_keys: 5, ..cache() }),
        db: Some(db(10, Some(pool(4, 50, WarmUp::Prewarm { to: 4, parallel: 4, gate: true })))),
        ..MockSpec::default()
    }
}

#[test]
fn a_target_without_tiers_answers_at_once() {
    World::run(MockSpec::default(), async move |world: World| {
        for route in RouteKind::ALL {
            let (reply, time) = world.ask(1, route, 7).await;
            assert_eq!((reply.status, reply.cost, time), (200, Cost::default(), Duration::ZERO), "{route:?}");
        }
        assert_eq!(world.count(Series::GatewayReceived), 5);
        assert_eq!(world.count(Series::CatalogCalls), 0);
    });
}

#[test]
fn every_read_route_reads_its_key_through_the_cache() {
    World::run(full(), async move |world: World| {
        world.rt.sleep_until(at(100)).await;
        for (id, route) in [RouteKind::Catalog, RouteKind::Item, RouteKind::Feed].into_iter().enumerate() {
            assert_eq!(world.ask(id as u64, route, 4).await.1, ms(1));
        }
        assert_eq!(world.ask(9, RouteKind::Feed, 5).await.1, ms(11));
        assert_eq!(world.count(Series::CatalogCalls), 4);
        assert_eq!(world.count(Series::CatalogService), 4);
    });
}

#[test]
fn a_cold_swap_finishes_old_requests_on_the_old_instance() {
    World::run(full(), async move |world: World| {
        let old = world.distinct_at(at(100), 100, 3);
        world.rt.sleep_until(at(105)).await;
        assert_eq!(world.level(Series::DbInFlight), Some(3));
        world.target.apply(&Action::Cold);
        let state = world.target.state();
        assert_eq!((state.generation, state.ready, state.gateway_in_flight, state.cache_entries), (2, false, 0, 5));
        assert_eq!(world.item(1, 1).await.0.status, 503);
        // The gauges are the new instance's from now on.
        assert_eq!(world.level(Series::DbInFlight), Some(0));
        world.rt.sleep_until(at(106)).await;
        assert_eq!(world.level(Series::DbPoolSize), Some(4));
        assert_eq!(times(&all(old).await), [11; 3]);
        assert_eq!(world.level(Series::DbInFlight), Some(0));
        assert_eq!(world.level(Series::GatewayInFlight), Some(0));
        assert_eq!(world.level(Series::DbPoolIdle), Some(0));
        // Cold again: its pool opens its own four connections.
        world.rt.sleep_until(at(156)).await;
        assert!(world.target.is_ready());
        assert_eq!(world.count(Series::DbConnects), 8);
        assert_eq!(world.item(2, 100).await.1, ms(11));
    });
}

#[test]
fn a_keeper_ends_with_its_instance() {
    let spec = MockSpec { db: Some(db(10, Some(pool(4, 50, WarmUp::MinIdle { min: 2 })))), ..MockSpec::default() };
    World::run(spec, async move |world: World| {
        let old = world.item_at(at(100), 1, 1);
        world.rt.sleep_until(at(105)).await;
        world.target.apply(&Action::Cold);
        world.rt.sleep_until(at(106)).await;
        world.target.apply(&Action::KillConnections);
        old.await;
        world.rt.sleep_until(at(1000)).await;
        // Two by each instance, and nothing by the old one for what it lost; the connects of the new one were under way.
        assert_eq!(world.count(Series::DbConnects), 4);
        assert_eq!(world.level(Series::DbPoolIdle), Some(2));
    });
}

#[test]
fn a_slow_database_is_slow_for_queries_that_start_within_its_time() {
    let spec = MockSpec { db: Some(db(10, None)), ..MockSpec::default() };
    World::run(spec, async move |world: World| {
        let before = world.item_at(at(95), 1, 1);
        world.rt.sleep_until(at(100)).await;
        world.target.apply(&Action::SlowDb { factor: 2.5, lasting: Some(ms(100)) });
        let during = [world.item_at(at(100), 2, 2), world.item_at(at(199), 3, 3)];
        let after = world.item_at(at(200), 4, 4);
        let [first, second] = during;
        assert_eq!(times(&[before.await, first.await, second.await, after.await]), [10, 25, 25, 10]);
    });
}

#[test]
fn actions_on_tiers_that_are_off_do_nothing() {
    World::run(MockSpec::default(), async move |world: World| {
        for action in [
            Action::FlushCache,
            Action::WarmPool { to: None },
            Action::WarmCache { keys: None },
            Action::KillConnections,
            Action::SlowDb { factor: 2.0, lasting: None },
            Action::Cold,
        ] {
            world.target.apply(&action);
        }
        assert_eq!(world.target.state().generation, 2);
        assert_eq!(world.item(1, 1).await.0.status, 200);
    });
}

#[test]
fn the_same_requests_have_the_same_demands_on_every_run() {
    let run = |pool_size: u32| {
        let query = Law::Exponential { mean: ms(5) };
        let db = Db { query, ..db(0, Some(pool(pool_size, 0, WarmUp::Lazy))) };
        World::run(MockSpec { db: Some(db), ..MockSpec::default() }, async move |world: World| {
            all(world.distinct_at(at(0), 0, 20)).await.into_iter().map(|(_, time)| time).collect::<Vec<_>>()
        })
    };
    assert_eq!(run(20), run(20));
    // With fewer connections others wait, but nobody's own query changes: the first of the queue are the same.
    assert_eq!(run(20)[..5], run(5)[..5]);
    assert_ne!(run(20), run(5));
}
