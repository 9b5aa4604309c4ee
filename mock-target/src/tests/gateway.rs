//! The gateway: limiter, queue, workers, timeout, and who gets a worker at the instant of a cancellation.

use super::*;
use coldfront_rt::Class;
use coldfront_scenarios::{ColdPenalty, Decay, Limiter, Queue};
use std::future::poll_fn;
use std::task::Poll;

fn with_gateway(gateway: Gateway, service: u64) -> MockSpec {
    MockSpec { gateway: Some(gateway), catalog: Some(catalog(fixed(service))), ..MockSpec::default() }
}

fn workers(workers: u32, capacity: u32, timeout: Option<Duration>) -> Gateway {
    Gateway { workers: Some(workers), queue: Some(Queue::Fifo { capacity, timeout }), ..gateway() }
}

/// 500 per second for `seconds`, uniform, the first at time zero; gives the answers in order.
async fn pulse(world: &World, seconds: u64) -> Vec<Answer> {
    let mut waves = Vec::new();
    for index in 0..seconds * 500 {
        world.rt.sleep_until_class(at(index * 2), Class::Arrival).await;
        waves.push(world.item_at(at(index * 2), index, index));
    }
    all(waves).await
}

#[test]
fn a_limiter_refuses_and_tells_when_to_come_back() {
    let limiter = Limiter::SlidingWindow { limit: 100, per: ms(1000) };
    World::run(with_gateway(Gateway { limiter: Some(limiter), ..gateway() }, 0), async move |world: World| {
        assert_eq!(world.level(Series::GatewayLimit), Some(100));
        let first = statuses(&all(world.distinct_at(at(900), 0, 100)).await);
        assert_eq!(first, [200; 100]);
        let refused = all(world.distinct_at(at(1100), 200, 100)).await;
        assert_eq!(statuses(&refused), [429; 100]);
        assert_eq!(refused[0].0.retry_after, Some(ms(800)));
        assert_eq!(statuses(&all(world.distinct_at(at(1900), 400, 100)).await), [200; 100]);
        let counts = [Series::GatewayReceived, Series::GatewayAdmitted, Series::GatewayRejected, Series::GatewayShed];
        assert_eq!(counts.map(|series| world.count(series)), [300, 200, 100, 0]);
    });
}

#[test]
fn a_fixed_window_is_aligned_to_the_start_of_the_target() {
    let limiter = Limiter::FixedWindow { limit: 100, per: ms(1000) };
    World::run(with_gateway(Gateway { limiter: Some(limiter), ..gateway() }, 0), async move |world: World| {
        assert_eq!(statuses(&all(world.distinct_at(at(999), 0, 100)).await), [200; 100]);
        assert_eq!(statuses(&all(world.distinct_at(at(1000), 100, 100)).await), [200; 100]);
        assert_eq!(statuses(&all(world.distinct_at(at(1001), 200, 1)).await), [429]);
    });
}

#[test]
fn a_pulse_is_buffered_as_the_fluid_law_says() {
    // 500/s for 10 s into one worker of 5 ms: the last is done at 25 s, the longest wait is 14.997 s, the mean 7.4985 s.
    World::run(with_gateway(workers(1, 10_000, None), 5), async move |world: World| {
        let answers = pulse(&world, 10).await;
        let waits: Vec<u128> = answers.iter().map(|(reply, _)| reply.cost.gateway.total.as_micros()).collect();
        assert_eq!(waits.iter().max(), Some(&14_997_000));
        assert_eq!(waits.iter().sum::<u128>() / 5_000, 7_498_500);
        assert_eq!(world.rt.now(), at(25_000));
        assert_eq!(world.count(Series::GatewayQueueWait), 5_000);
        assert_eq!(world.snapshot().sum(Series::GatewayQueueWait) / 5_000, 7_498_500_000);
        assert_eq!(world.level(Series::GatewayQueueDepth), Some(0));
    });
}

#[test]
fn a_bounded_queue_loses_what_the_fluid_law_says() {
    // With room for 400: µT + K = 2,400 are served, 2,600 shed at once, the longest wait is K / µ = 2 s.
    World::run(with_gateway(workers(1, 400, None), 5), async move |world: World| {
        let answers = pulse(&world, 10).await;
        let served: Vec<_> = answers.iter().filter(|(reply, _)| reply.status == 200).collect();
        assert_eq!(served.len(), 2_400);
        assert_eq!(served.iter().map(|(reply, _)| reply.cost.gateway.total).max(), Some(ms(2_000)));
        assert!(answers.iter().filter(|(reply, _)| reply.status == 503).all(|(_, time)| time.is_zero()));
        assert_eq!(world.count(Series::GatewayShed), 2_600);
        assert_eq!(world.count(Series::GatewayQueueTimeouts), 0);
    });
}

#[test]
fn a_queue_with_a_timeout_sheds_at_exactly_that() {
    World::run(with_gateway(workers(1, 10, Some(ms(50))), 20), async move |world: World| {
        let answers = all(world.distinct_at(at(0), 0, 5)).await;
        // Served at 0, 20 and 40 ms; the fourth's turn would be at 60 ms.
        assert_eq!(statuses(&answers), [200, 200, 200, 503, 503]);
        assert_eq!(times(&answers), [20, 40, 60, 50, 50]);
        assert_eq!(answers[3].0.retry_after, Some(ms(1000)));
        assert_eq!(world.count(Series::GatewayQueueTimeouts), 2);
        assert_eq!(world.count(Series::GatewayShed), 2);
        // Giving up is a wait too: 0 + 20 + 40 + 50 + 50 ms.
        assert_eq!(world.count(Series::GatewayQueueWait), 5);
        assert_eq!(world.snapshot().sum(Series::GatewayQueueWait), 160_000_000);
    });
}

#[test]
fn a_turn_that_comes_at_the_very_deadline_is_in_time() {
    World::run(with_gateway(workers(1, 10, Some(ms(40))), 20), async move |world: World| {
        let answers = all(world.distinct_at(at(0), 0, 4)).await;
        assert_eq!(statuses(&answers), [200, 200, 200, 503]);
        assert_eq!(times(&answers), [20, 40, 60, 40]);
    });
}

#[test]
fn workers_without_a_queue_shed_what_they_cannot_take() {
    let gateway = Gateway { workers: Some(2), ..gateway() };
    World::run(with_gateway(gateway, 10), async move |world: World| {
        let answers = all(world.distinct_at(at(0), 0, 3)).await;
        assert_eq!(statuses(&answers), [200, 200, 503]);
        assert_eq!(times(&answers), [10, 10, 0]);
    });
}

#[test]
fn a_slow_tier_below_is_given_up_after_the_upstream_timeout() {
    let gateway = Gateway { upstream_timeout: Some(ms(30)), service: fixed(5), ..workers(1, 10, None) };
    World::run(with_gateway(gateway, 100), async move |world: World| {
        let answers = all(world.distinct_at(at(0), 0, 2)).await;
        assert_eq!(statuses(&answers), [504, 504]);
        // Its own work and then 30 ms; the worker is free for the next at once.
        assert_eq!(times(&answers), [35, 70]);
        assert_eq!(world.count(Series::GatewayTimeouts), 2);
        assert_eq!(world.level(Series::CatalogInFlight), Some(0));
    });
}

#[test]
fn the_cold_cost_of_each_tier_decays_with_its_calls() {
    let cold = Some(ColdPenalty { extra: ms(8), decay: Decay::Calls(4) });
    let mut spec = with_gateway(Gateway { cold, service: fixed(1), ..gateway() }, 3);
    spec.catalog.as_mut().unwrap().cold = Some(ColdPenalty { extra: ms(10), decay: Decay::Time(ms(100)) });
    World::run(spec, async move |world: World| {
        let mut paid = Vec::new();
        for id in 0..6 {
            let (reply, time) = world.item(id, id).await;
            assert_eq!(reply.cost.gateway.total, ms(1) + reply.cost.gateway.cold);
            assert_eq!(reply.cost.catalog.total, ms(3) + reply.cost.catalog.cold);
            assert_eq!(time, reply.cost.gateway.total + reply.cost.catalog.total);
            paid.push((reply.cost.gateway.cold.as_micros(), reply.cost.catalog.cold.as_micros()));
        }
        // The catalog is called at 9, 28.1, 41.29, … ms after its start: 10 ms less a tenth of the time since then.
        assert_eq!(paid[..3], [(8_000, 9_100), (6_000, 7_190), (4_000, 5_671)]);
        assert_eq!([paid[4].0, paid[5].0], [0, 0]);
    });
}

/// Polls once what is pending.
async fn poll_once<T>(future: &mut std::pin::Pin<Box<impl Future<Output = T>>>) {
    poll_fn(|cx| {
        assert!(future.as_mut().poll(cx).is_pending());
        Poll::Ready(())
    })
    .await;
}

#[test]
fn a_worker_handed_to_a_client_that_gives_up_at_that_instant_goes_to_the_next() {
    World::run(with_gateway(workers(1, 10, Some(ms(500))), 10), async move |world: World| {
        let mut first = Box::pin(world.item(1, 1));
        let mut second = Box::pin(world.item(2, 2));
        let mut third = Box::pin(world.item(3, 3));
        poll_once(&mut first).await;
        poll_once(&mut second).await;
        poll_once(&mut third).await;
        assert_eq!(world.target.state().gateway_queue_depth, 2);
        first.await;
        // The second has been told that it has the worker, and is not asked again.
        assert_eq!(world.target.state().gateway_queue_depth, 1);
        drop(second);
        let state = world.target.state();
        assert_eq!((state.gateway_queue_depth, state.gateway_in_flight), (0, 1));
        assert_eq!(third.await.1, ms(20));
        assert_eq!(world.item(4, 4).await.1, ms(10));
    });
}

#[test]
fn a_client_that_gives_up_leaves_the_queue_at_once() {
    World::run(with_gateway(workers(1, 2, None), 100), async move |world: World| {
        let first = world.item_at(at(0), 1, 1);
        let second = world.impatient_at(at(1), ms(9), 2, 2);
        let third = world.item_at(at(2), 3, 3);
        // Refused at 5 ms, taken at 15 ms, when the second has left.
        let fourth = world.item_at(at(5), 4, 4);
        let fifth = world.item_at(at(15), 5, 5);
        assert_eq!(second.await, None);
        assert_eq!(fourth.await.0.status, 503);
        let answers = [first.await, third.await, fifth.await];
        assert_eq!(statuses(&answers), [200; 3]);
        assert_eq!(times(&answers), [100, 198, 285]);
    });
}

#[test]
fn the_costs_of_the_tiers_add_up_to_the_latency() {
    let spec = MockSpec {
        gateway: Some(Gateway { service: fixed(1), ..workers(2, 100, None) }),
        catalog: Some(catalog(Law::Exponential { mean: ms(3) })),
        cache: Some(Cache { hit: fixed(1), miss: fixed(2), single_flight: true, ..cache() }),
        db: Some(Db { query: Law::LogNormal { median: ms(4), p99: ms(20) }, ..db(0, Some(pool(2, 50, WarmUp::Lazy))) }),
        ..MockSpec::default()
    };
    World::run(spec, async move |world: World| {
        for (reply, time) in all(world.wave_at(at(0), 0, 40, 7)).await {
            let cost = reply.cost;
            assert_eq!(cost.gateway.total + cost.catalog.total + cost.cache.total + cost.db.total, time);
            let cold = cost.cold();
            assert!(cold.gateway + cold.catalog + cold.cache + cold.db <= time);
        }
    });
}
