//! Clients that give up, at any moment: nothing leaks.

use super::*;
use coldfront_measure::TraceEvent;
use coldfront_scenarios::{Abandoned, Queue};
use proptest::prelude::*;

fn everything(abandoned: Abandoned) -> MockSpec {
    let queue = Some(Queue::Fifo { capacity: 6, timeout: Some(ms(25)) });
    let pool = Pool { acquire_timeout: Some(ms(30)), ..pool(3, 7, WarmUp::Lazy) };
    MockSpec {
        abandoned,
        gateway: Some(Gateway { workers: Some(4), queue, upstream_timeout: Some(ms(40)), ..gateway() }),
        catalog: Some(catalog(fixed(2))),
        cache: Some(Cache { single_flight: true, miss: fixed(1), ttl: Some(ms(20)), ..cache() }),
        db: Some(db(9, Some(pool))),
        ..MockSpec::default()
    }
}

#[test]
fn work_stops_where_it_waits_or_goes_on_to_its_end() {
    for (abandoned, imports) in [(Abandoned::Stops, 0), (Abandoned::Continues, 1)] {
        let spec = MockSpec { abandoned, db: Some(db(100, None)), ..MockSpec::default() };
        World::run(spec, async move |world: World| {
            let import = world.ask(1, RouteKind::Import, 0);
            assert!(world.rt.timeout_at(at(10), import).await.is_err());
            assert_eq!(world.target.state().db_in_flight, imports);
            world.rt.sleep_until(at(1000)).await;
            assert_eq!(world.count(Series::CatalogImports), imports);
            assert_eq!(world.target.state().db_in_flight, 0);
        });
    }
}

/// What holds of the pool at every event, and at the end of every instant.
fn assert_pool_invariants(trace: &[TraceEvent], max: u64) {
    let (mut idle, mut waiters, mut now) = (0, 0, Instant::ZERO);
    for event in trace {
        let TraceEvent::Gauge(series, at, level) = event else { continue };
        if *at > now {
            assert!(idle == 0 || waiters == 0, "{idle} idle connections and {waiters} waiters at {now}");
            now = *at;
        }
        match series {
            Series::DbPoolSize => assert!(*level <= max, "{level} connections at {at}"),
            Series::DbPoolIdle => idle = *level,
            Series::DbPoolWaiters => waiters = *level,
            _ => {}
        }
    }
}

/// When a client comes, how long it waits, and what it wants.
type Client = (u64, u64, u64, u64);

fn any_clients() -> impl Strategy<Value = Vec<Client>> {
    prop::collection::vec((0_u64..60, 0_u64..40, 0_u64..3, 0_u64..5), 1..60)
}

/// After all that, the target is as good as new.
async fn assert_unharmed(world: &World) {
    world.rt.sleep_until(world.rt.now() + ms(200)).await;
    let state = world.target.state();
    assert_eq!((state.gateway_in_flight, state.gateway_queue_depth), (0, 0));
    assert_eq!((state.catalog_in_flight, state.db_in_flight), (0, 0));
    let pool = state.db_pool.unwrap();
    assert_eq!((pool.idle, pool.connecting, pool.waiters), (pool.size, 0, 0));
    for series in [Series::GatewayInFlight, Series::GatewayQueueDepth, Series::DbPoolWaiters, Series::DbInFlight] {
        assert_eq!(world.level(series), Some(0), "{series:?}");
    }
    assert_eq!(world.level(Series::DbPoolSize), Some(u64::from(pool.size)));
    // Every worker and every connection can be had: four at once, none of which waits for a worker.
    let answers = all(world.distinct_at(world.rt.now(), 5_000, 4)).await;
    assert_eq!(statuses(&answers), [200; 4]);
    assert!(answers.iter().all(|(reply, _)| reply.cost.gateway.total.is_zero()));
    let levels = world.target.state().db_pool.unwrap();
    assert_eq!((levels.size, levels.idle), (3, 3));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn nothing_leaks_whenever_clients_give_up(clients in any_clients(), continues in any::<bool>()) {
        let abandoned = if continues { Abandoned::Continues } else { Abandoned::Stops };
        World::run(everything(abandoned), async move |world: World| {
            let mut handles = Vec::new();
            for (id, (start, patience, key, route)) in (0..).zip(clients) {
                let world = world.clone();
                handles.push(world.rt.clone().spawn("client", async move {
                    world.rt.sleep_until(at(start)).await;
                    let route = RouteKind::ALL[route as usize];
                    let given_up = world.rt.now() + ms(patience);
                    world.rt.timeout_at(given_up, world.ask(id, route, key)).await.is_ok()
                }));
            }
            all(handles).await;
            assert_unharmed(&world).await;
            assert_pool_invariants(&world.recorder.take_trace(), 3);
            let counts = [Series::GatewayReceived, Series::GatewayAdmitted, Series::GatewayShed];
            let [received, admitted, shed] = counts.map(|series| world.count(series));
            // Without a limiter everybody is admitted, and is shed at most once.
            assert_eq!(received, admitted);
            assert!(shed <= received);
            assert!(world.count(Series::CacheLoads) >= world.count(Series::CacheLoad));
        });
    }
}
