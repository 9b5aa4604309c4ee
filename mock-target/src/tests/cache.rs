//! The cache: lifetimes, the stampede, single-flight and leaders that give up.

use super::*;
use crate::Source;
use crate::call::Body;
use coldfront_scenarios::Action;

fn with_cache(cache: Cache, query: u64) -> MockSpec {
    MockSpec { cache: Some(cache), db: Some(db(query, None)), ..MockSpec::default() }
}

fn sources(answers: &[Answer]) -> Vec<Source> {
    let source = |answer: &Answer| match answer.0.body {
        Body::Read { from, .. } => from,
        other => panic!("not a read: {other:?}"),
    };
    answers.iter().map(source).collect()
}

#[test]
fn hits_and_misses_cost_what_they_cost() {
    let cache = Cache { hit: fixed(1), miss: fixed(2), ..cache() };
    World::run(with_cache(cache, 10), async move |world: World| {
        let (miss, time) = world.item(1, 7).await;
        assert_eq!(
            (time, miss.cost.cache.total, miss.cost.cache.cold, miss.cost.db.total),
            (ms(12), ms(2), ms(12), ms(10))
        );
        let (hit, time) = world.item(2, 7).await;
        assert_eq!((time, hit.cost.cache.total, hit.cost.cache.cold), (ms(1), ms(1), Duration::ZERO));
        let counts = [Series::CacheHits, Series::CacheMisses, Series::CacheLoads, Series::CacheLoad];
        assert_eq!(counts.map(|series| world.count(series)), [1, 1, 1, 1]);
        assert_eq!(world.level(Series::CacheEntries), Some(1));
    });
}

#[test]
fn an_entry_is_fresh_up_to_its_end_and_not_at_it() {
    let cache = Cache { ttl: Some(ms(100)), ..cache() };
    World::run(with_cache(cache, 10), async move |world: World| {
        world.item(1, 7).await;
        // Inserted at 10 ms.
        world.rt.sleep_until(at(110) - Duration::from_nanos(1)).await;
        assert_eq!(sources(&[world.item(2, 7).await]), [Source::Cache]);
        world.rt.sleep_until(at(110)).await;
        assert_eq!(sources(&[world.item(3, 7).await]), [Source::Db]);
    });
}

#[test]
fn warm_keys_are_there_from_the_start_and_flushed_ones_are_not() {
    let cache = Cache { warm_keys: 3, capacity: 5, ..cache() };
    World::run(with_cache(cache, 10), async move |world: World| {
        assert_eq!(world.level(Series::CacheEntries), Some(3));
        let times_of = async |first: u64| times(&all(world.distinct_at(world.rt.now(), first, 4)).await);
        assert_eq!(times_of(0).await, [0, 0, 0, 10]);
        world.target.apply(&Action::FlushCache);
        assert_eq!(world.level(Series::CacheEntries), Some(0));
        assert_eq!(times_of(0).await, [10; 4]);
        world.target.apply(&Action::WarmCache { keys: None });
        assert_eq!(world.level(Series::CacheEntries), Some(5));
        assert_eq!(times_of(1).await, [0; 4]);
        world.target.apply(&Action::FlushCache);
        world.target.apply(&Action::WarmCache { keys: Some(2) });
        assert_eq!(world.target.state().cache_entries, 2);
    });
}

#[test]
fn a_cold_key_is_stampeded_unless_one_loads_for_all() {
    // 500/s on one key with a load of 200 ms: 100 loads, or one.
    for (single_flight, loads) in [(false, 100), (true, 1)] {
        let cache = Cache { single_flight, ..cache() };
        World::run(with_cache(cache, 200), async move |world: World| {
            let wave: Vec<_> = (0..150).map(|index| world.item_at(at(index * 2), index, 7)).collect();
            let answers = all(wave).await;
            assert_eq!(statuses(&answers), [200; 150]);
            assert_eq!(world.count(Series::CacheLoads), loads);
            assert_eq!(world.count(Series::DbQueries), loads);
            assert_eq!(world.count(Series::CacheCoalesced), 100 - loads);
            assert_eq!(world.count(Series::CacheHits), 50);
            if single_flight {
                let expected = (0..150).map(|index: u128| 200_u128.saturating_sub(index * 2)).collect::<Vec<_>>();
                assert_eq!(times(&answers), expected);
                assert_eq!(sources(&answers)[..2], [Source::Db, Source::Joined]);
                // Waiting for another's load is what a warm cache would not have cost.
                assert_eq!(answers[1].0.cost.cache.cold, ms(198));
            }
        });
    }
}

#[test]
fn one_load_per_key_however_long_a_miss_takes() {
    let cache = Cache { single_flight: true, miss: fixed(30), ..cache() };
    World::run(with_cache(cache, 10), async move |world: World| {
        // The second misses at 35 ms and would come to load at 65, when the value has been there since 40 ms.
        let answers = [world.item_at(at(0), 1, 7), world.item_at(at(35), 2, 7), world.item_at(at(41), 3, 7)];
        let [first, second, third] = answers;
        let answers = [first.await, second.await, third.await];
        assert_eq!(times(&answers), [40, 30, 0]);
        assert_eq!(world.count(Series::CacheLoads), 1);
    });
}

#[test]
fn a_leader_that_gives_up_fails_nobody() {
    // Load 200 ms; caller 0 gives up at 50 ms; 100 callers from 10 ms on, with a second each.
    let cache = Cache { single_flight: true, ..cache() };
    World::run(with_cache(cache, 200), async move |world: World| {
        let leader = world.impatient_at(at(0), ms(50), 0, 7);
        let others: Vec<_> = (1..=100).map(|id| world.impatient_at(at(10), ms(1000), id, 7)).collect();
        assert_eq!(leader.await, None);
        let answers: Vec<Answer> = all(others).await.into_iter().flatten().collect();
        assert_eq!(statuses(&answers), [200; 100]);
        assert_eq!(times(&answers), [240; 100]);
        assert_eq!(world.count(Series::CacheLoads), 2);
    });
}

#[test]
fn a_chain_of_leaders_that_give_up_hands_on_to_one_at_a_time() {
    let cache = Cache { single_flight: true, ..cache() };
    World::run(with_cache(cache, 200), async move |world: World| {
        let clients: Vec<_> = (0..5).map(|id| world.impatient_at(at(0), ms(50 + id * 50), id, 7)).collect();
        let last = world.item_at(at(1), 9, 7);
        assert_eq!(all(clients).await, vec![None; 5]);
        // The leads end at 50, 100, 150, 200 and 250 ms; the sixth load is the last client's.
        assert_eq!(last.await.1, ms(449));
        assert_eq!(world.count(Series::CacheLoads), 6);
        assert_eq!(world.level(Series::DbInFlight), Some(0));
    });
}

#[test]
fn an_heir_that_gives_up_at_that_instant_hands_on() {
    let cache = Cache { single_flight: true, ..cache() };
    World::run(with_cache(cache, 200), async move |world: World| {
        let mut leader = Box::pin(world.item(1, 7));
        let mut heir = Box::pin(world.item(2, 7));
        let mut last = Box::pin(world.item(3, 7));
        for future in [&mut leader, &mut heir, &mut last] {
            let first = std::future::poll_fn(|cx| std::task::Poll::Ready(future.as_mut().poll(cx).is_pending())).await;
            assert!(first);
        }
        drop(leader);
        // The heir has been told, and is never polled again.
        drop(heir);
        assert_eq!(last.await.1, ms(200));
        assert_eq!(world.count(Series::CacheLoads), 2);
        assert_eq!(world.item(4, 7).await.1, Duration::ZERO);
    });
}

#[test]
fn the_error_of_a_load_is_shared_and_not_kept() {
    let mut spec = with_cache(Cache { single_flight: true, ..cache() }, 300);
    let limited = Pool { acquire_timeout: Some(ms(100)), ..pool(1, 0, WarmUp::Lazy) };
    spec.db.as_mut().unwrap().pool = Some(limited);
    World::run(spec, async move |world: World| {
        let holder = world.item_at(at(0), 1, 1);
        let answers = all(world.wave_at(at(10), 10, 20, 7)).await;
        assert_eq!(statuses(&answers), [503; 20]);
        assert_eq!(times(&answers), [100; 20]);
        assert_eq!(world.count(Series::DbPoolTimeouts), 1);
        holder.await;
        let (reply, time) = world.item(50, 7).await;
        assert_eq!((reply.status, time), (200, ms(300)));
    });
}

#[test]
fn a_cold_cache_misses_as_often_as_the_law_says() {
    // K = 1,000 keys, n = 1,000 uniform look-ups: K (1 − (1 − 1/K)ⁿ) = 632.3 misses, standard deviation about 9.7.
    World::run(with_cache(cache(), 0), async move |world: World| {
        for id in 0..1_000 {
            let key = world.rt.random(coldfront_rt::Stream::named("test.keys"), id).next_u64() % 1_000;
            world.item(id, key).await;
        }
        let misses = world.count(Series::CacheMisses);
        assert!((600..665).contains(&misses), "{misses} misses");
    });
}
