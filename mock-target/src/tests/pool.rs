//! Pools: the herd, fill times, watermarks, timeouts and what a cancelled acquire leaves behind.

use super::*;
use coldfront_scenarios::Action;

fn with_pool(query: u64, pool: Pool) -> MockSpec {
    MockSpec { db: Some(db(query, Some(pool))), ..MockSpec::default() }
}

fn prewarm(to: u32, parallel: u32) -> WarmUp {
    WarmUp::Prewarm { to, parallel, gate: true }
}

#[test]
fn a_lazy_pool_meets_a_burst_with_a_herd_of_connects() {
    for (burst, herd) in [(4, 4), (10, 10), (25, 10)] {
        World::run(with_pool(5, pool(10, 50, WarmUp::Lazy)), async move |world: World| {
            let wave = world.distinct_at(at(0), 0, burst);
            world.rt.sleep_until(at(1)).await;
            let state = world.target.state().db_pool.unwrap();
            assert_eq!(u64::from(state.connecting), herd);
            assert_eq!(u64::from(state.size), herd);
            assert_eq!(u64::from(state.waiters), burst - herd);
            let answers = all(wave).await;
            assert_eq!(world.count(Series::DbConnects), herd);
            // The first to arrive connect; those that wait get a connection after its first query, at 55, then at 60 ms.
            let expected: Vec<u128> = (0..burst).map(|index| 55 + u128::from(index / 10) * 5).collect();
            assert_eq!(times(&answers), expected);
            let cold: Vec<u128> = answers.iter().map(|(reply, _)| reply.cost.db.cold.as_millis()).collect();
            assert_eq!(cold, (0..burst).map(|index| if index < 10 { 50 } else { 0 }).collect::<Vec<u128>>());
            assert_eq!(world.target.state().db_pool.unwrap().idle, herd as u32);
        });
    }
}

#[test]
fn a_prewarmed_pool_is_full_after_one_connect_time_per_round() {
    // 10 connections at 50 ms: all at once, three at once, one after the other.
    for (parallel, full_at) in [(10, 50), (3, 200), (1, 500)] {
        World::run(with_pool(5, pool(10, 50, prewarm(10, parallel))), async move |world: World| {
            world.rt.sleep_until(at(1)).await;
            assert_eq!(world.target.state().db_pool.unwrap().connecting, parallel);
            world.rt.sleep_until(at(full_at) - Duration::from_nanos(1)).await;
            assert!(!world.target.is_ready());
            let (reply, time) = world.item(1, 1).await;
            assert_eq!((reply.status, reply.retry_after, time), (503, Some(ms(1000)), Duration::ZERO));
            // One nanosecond later: at the full instant, after the connect that ends in it.
            world.rt.sleep_until(at(full_at)).await;
            world.rt.sleep_until(at(full_at) + Duration::from_nanos(1)).await;
            assert!(world.target.is_ready());
            let wave = all(world.distinct_at(at(full_at + 1), 10, 10)).await;
            assert_eq!(times(&wave), [5; 10]);
            assert_eq!(world.count(Series::DbConnects), 10);
            assert_eq!(world.count(Series::GatewayShed), 1);
        });
    }
}

#[test]
fn a_minimum_is_open_before_the_burst_and_the_burst_opens_nothing() {
    let warm_up = WarmUp::MinIdle { min: 20 };
    World::run(with_pool(5, pool(50, 50, warm_up)), async move |world: World| {
        assert!(world.target.is_ready());
        world.rt.sleep_until(at(60_000)).await;
        assert_eq!(world.count(Series::DbConnects), 20);
        assert_eq!(world.level(Series::DbPoolIdle), Some(20));
        let answers = all(world.distinct_at(at(60_000), 0, 20)).await;
        assert_eq!(times(&answers), [5; 20]);
        assert!(answers.iter().all(|(reply, _)| reply.cost.db.cold.is_zero()));
        assert_eq!(world.count(Series::DbConnects), 20);
    });
}

#[test]
fn a_burst_during_a_fill_opens_no_more_than_the_maximum() {
    // The fill opens 8 of 10; of a burst of 20 at 10 ms two may connect themselves, the others wait for the fill.
    let warm_up = WarmUp::Prewarm { to: 8, parallel: 8, gate: false };
    World::run(with_pool(5, pool(10, 50, warm_up)), async move |world: World| {
        let wave = world.distinct_at(at(10), 0, 20);
        world.rt.sleep_until(at(11)).await;
        let state = world.target.state().db_pool.unwrap();
        assert_eq!((state.size, state.connecting, state.waiters), (10, 10, 18));
        let answers = all(wave).await;
        assert_eq!(world.count(Series::DbConnects), 10);
        // 0 and 1 connect from 10 to 60 ms; 2 to 9 get the fill's at 50 ms; 10 to 17 follow those at 55, 18 and 19 at 60 ms.
        let mut expected = [45_u128; 20];
        expected[..2].fill(55);
        expected[10..18].fill(50);
        expected[18..].fill(55);
        assert_eq!(times(&answers), expected);
    });
}

#[test]
fn a_cancelled_acquire_leaks_nothing() {
    // Ten acquires on three connections of 50 ms, cancelled at 0, 10, …, 90 ms; then three that stay.
    World::run(with_pool(500, pool(3, 50, WarmUp::Lazy)), async move |world: World| {
        let cancelled: Vec<_> = (0..10).map(|index| world.impatient_at(at(0), ms(index * 10), index, index)).collect();
        assert_eq!(all(cancelled).await, vec![None; 10]);
        // Each was cancelled before its connect was done, and took it along.
        let state = world.target.state().db_pool.unwrap();
        assert_eq!((state.size, state.waiters, world.count(Series::DbConnects)), (0, 0, 10));
        let answers = all(world.distinct_at(world.rt.now(), 100, 3)).await;
        assert_eq!(statuses(&answers), [200; 3]);
        assert_eq!(times(&answers), [550; 3]);
        let state = world.target.state().db_pool.unwrap();
        assert_eq!((state.size, state.idle, state.waiters), (3, 3, 0));
        assert_eq!(world.count(Series::DbConnects), 13);
    });
}

#[test]
fn an_acquire_fails_at_its_deadline_whatever_happens_meanwhile() {
    // One connection, which the database kills again and again, and competitors that stand ahead in the queue.
    let mut spec = with_pool(300, pool(1, 100, WarmUp::Lazy));
    spec.db.as_mut().unwrap().pool.as_mut().unwrap().acquire_timeout = Some(ms(500));
    World::run(spec, async move |world: World| {
        let ahead = world.distinct_at(at(0), 0, 2);
        let last = world.item_at(at(0), 9, 9);
        for moment in [200, 450] {
            world.rt.sleep_until(at(moment)).await;
            world.target.apply(&Action::KillConnections);
        }
        let (reply, time) = last.await;
        assert_eq!((reply.status, time), (503, ms(500)));
        assert_eq!(reply.retry_after, Some(ms(1000)));
        // 100 + 300, then a new connection: 400 + 100, in time, + 300.
        assert_eq!(times(&all(ahead).await), [400, 800]);
        assert_eq!(world.count(Series::DbPoolTimeouts), 1);
        assert_eq!(world.count(Series::DbConnects), 2);
        assert_eq!(world.count(Series::GatewayShed), 0);
    });
}

#[test]
fn connections_beyond_the_servers_own_limit_are_refused() {
    let mut spec = with_pool(10, pool(8, 50, WarmUp::Lazy));
    spec.db.as_mut().unwrap().max_connections = Some(5);
    World::run(spec, async move |world: World| {
        let answers = all(world.distinct_at(at(0), 0, 8)).await;
        assert_eq!(statuses(&answers), [200, 200, 200, 200, 200, 500, 500, 500]);
        assert_eq!(times(&answers), [60, 60, 60, 60, 60, 50, 50, 50]);
        assert_eq!(world.count(Series::DbConnectFailures), 3);
        assert_eq!(world.count(Series::DbConnects), 8);
        let state = world.target.state().db_pool.unwrap();
        assert_eq!((state.size, state.idle, state.connecting, state.waiters), (5, 5, 0, 0));
        // Those that were refused connected until then, and never waited for anybody else.
        assert_eq!(world.levels(Series::DbPoolWaiters), [(at(0), 0)]);
        // The five are used again.
        assert_eq!(statuses(&all(world.distinct_at(at(100), 100, 5)).await), [200; 5]);
    });
}

#[test]
fn a_connect_that_is_given_up_frees_its_place_at_the_server() {
    let mut spec = with_pool(10, pool(8, 50, WarmUp::Lazy));
    spec.db.as_mut().unwrap().max_connections = Some(2);
    World::run(spec, async move |world: World| {
        let given_up = (0..2).map(|id| world.impatient_at(at(0), ms(20), id, id)).collect();
        assert_eq!(all(given_up).await, [None, None]);
        assert_eq!(statuses(&all(world.distinct_at(at(20), 10, 3)).await), [200, 200, 500]);
    });
}

#[test]
fn a_fill_that_is_refused_tries_again_with_growing_waits() {
    let mut spec = with_pool(10, pool(8, 50, prewarm(6, 6)));
    spec.db.as_mut().unwrap().max_connections = Some(5);
    World::run(spec, async move |world: World| {
        // Connects of the sixth at 0, 150, 400, 850, 1700 ms, …: 50 ms each, then waits of 100, 200, 400, 800 ms.
        for (millis, connects) in [(149, 6), (151, 7), (399, 7), (401, 8), (849, 8), (851, 9), (1699, 9), (1701, 10)] {
            world.rt.sleep_until(at(millis)).await;
            assert_eq!(world.count(Series::DbConnects), connects, "at {millis} ms");
        }
        assert!(!world.target.is_ready());
        assert_eq!(world.target.state().db_pool.unwrap().idle, 5);
    });
}

#[test]
fn killed_connections_are_gone_at_once_when_idle_and_at_their_return_when_in_use() {
    World::run(with_pool(100, pool(5, 50, WarmUp::Lazy)), async move |world: World| {
        all(world.distinct_at(at(0), 0, 5)).await;
        assert_eq!(world.target.state().db_pool.unwrap().idle, 5);
        let busy = world.distinct_at(at(200), 10, 2);
        world.rt.sleep_until(at(250)).await;
        world.target.apply(&Action::KillConnections);
        let state = world.target.state().db_pool.unwrap();
        assert_eq!((state.size, state.idle), (2, 0));
        assert_eq!(statuses(&all(busy).await), [200, 200]);
        assert_eq!(world.target.state().db_pool.unwrap().size, 0);
        let (reply, time) = world.item(99, 99).await;
        assert_eq!((reply.status, time), (200, ms(150)));
    });
}

#[test]
fn a_minimum_is_restored_after_connections_were_killed() {
    let warm_up = WarmUp::MinIdle { min: 4 };
    World::run(with_pool(100, pool(5, 50, warm_up)), async move |world: World| {
        let busy = world.distinct_at(at(100), 0, 1);
        world.rt.sleep_until(at(150)).await;
        world.target.apply(&Action::KillConnections);
        // Three were idle and are opened anew; the one in use still counts until it returns, at 200 ms.
        world.rt.sleep_until(at(151)).await;
        assert_eq!(world.target.state().db_pool.unwrap().connecting, 3);
        all(busy).await;
        world.rt.sleep_until(at(201)).await;
        let state = world.target.state().db_pool.unwrap();
        assert_eq!((state.size, state.idle, state.connecting), (4, 3, 1));
        world.rt.sleep_until(at(300)).await;
        assert_eq!(world.target.state().db_pool.unwrap().idle, 4);
        assert_eq!(world.count(Series::DbConnects), 8);
    });
}

#[test]
fn an_event_warms_a_pool_without_closing_the_gate() {
    World::run(with_pool(5, pool(10, 50, WarmUp::Lazy)), async move |world: World| {
        world.target.apply(&Action::WarmPool { to: Some(4) });
        assert!(world.target.is_ready());
        world.rt.sleep_until(at(51)).await;
        assert_eq!(world.target.state().db_pool.unwrap().idle, 4);
        world.target.apply(&Action::WarmPool { to: None });
        world.rt.sleep_until(at(102)).await;
        assert_eq!(world.target.state().db_pool.unwrap().idle, 10);
        assert_eq!(times(&all(world.distinct_at(at(110), 0, 10)).await), [5; 10]);
        assert_eq!(world.count(Series::DbConnects), 10);
    });
}

#[test]
fn waiters_are_served_in_the_order_they_came() {
    // Ten clients in a closed loop on two connections of 20 ms: every wait is (n / N − 1) × hold = 80 ms.
    World::run(with_pool(20, pool(2, 0, WarmUp::Lazy)), async move |world: World| {
        let clients: Vec<_> = (0..10)
            .map(|client| {
                let world = world.clone();
                world.rt.clone().spawn("client", async move {
                    let mut times = Vec::new();
                    for round in 0..6 {
                        times.push(world.item(round * 10 + client, client).await.1.as_millis());
                    }
                    times
                })
            })
            .collect();
        for times in all(clients).await {
            assert_eq!(times[1..], [100; 5]);
        }
        assert_eq!(world.count(Series::DbConnects), 2);
        assert_eq!(world.level(Series::DbPoolWaiters), Some(0));
        assert_eq!(world.count(Series::DbPoolWait), 60);
    });
}
