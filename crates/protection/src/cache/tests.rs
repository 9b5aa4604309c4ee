use super::*;
use coldfront_clock::Instant;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

fn at(nanos: u64) -> Instant {
    Instant::from_nanos(nanos)
}

#[test]
fn an_entry_is_fresh_before_its_end_and_not_at_it() {
    let mut cache = TtlLru::new(4, Some(Duration::from_nanos(100)));
    cache.insert(at(50), 7, 'a');
    assert_eq!(cache.get(at(149), 7), Some('a'));
    assert!(cache.contains(at(149), 7) && !cache.contains(at(150), 7));
    assert_eq!(cache.get(at(150), 7), None);
    assert!(cache.is_empty());
    // A look-up does not prolong a life, an insert does.
    cache.insert(at(200), 7, 'b');
    cache.insert(at(250), 7, 'c');
    assert_eq!(cache.get(at(349), 7), Some('c'));
    assert_eq!(cache.get(at(350), 7), None);
}

#[test]
fn the_least_recently_used_goes_first() {
    let mut cache = TtlLru::new(2, None);
    cache.insert(at(0), 1, ());
    cache.insert(at(0), 2, ());
    assert!(cache.get(at(1), 1).is_some());
    cache.insert(at(2), 3, ());
    assert_eq!((cache.get(at(3), 1), cache.get(at(3), 2), cache.get(at(3), 3)), (Some(()), None, Some(())));
    assert_eq!((cache.len(), cache.capacity()), (2, 2));
    cache.clear();
    assert_eq!(cache.len(), 0);
}

#[test]
fn the_hash_is_the_same_on_every_run_and_spreads_small_keys() {
    let hash = |key: u64| BuildFixedHasher.hash_one(key);
    assert_eq!(hash(1), hash(1));
    assert_eq!((hash(0), hash(1)), (13_730_537_811_256_138_321, 2_361_070_584_089_566_796));
    // The table uses the low bits for the place and the top seven for the tag.
    let low: BTreeSet<u64> = (0..1024).map(|key| hash(key) % 1024).collect();
    let high: BTreeSet<u64> = (0..1024).map(|key| hash(key) >> 57).collect();
    assert!(low.len() > 550, "only {} of about 647 places", low.len());
    assert_eq!(high.len(), 128);
    let mut bytes = FixedHasher::default();
    bytes.write(b"ab");
    assert_ne!(bytes.finish(), 0);
}

#[test]
fn one_leads_and_the_others_are_told() {
    let mut flights = SingleFlight::new();
    assert_eq!(flights.join(at(0), 9, || unreachable!("the first leads")), Joined::Leads);
    for waiter in 1..=3 {
        assert!(matches!(flights.join(at(1), 9, || waiter), Joined::Waits(_)));
    }
    assert_eq!(flights.join(at(1), 8, || 0), Joined::Leads);
    let mut told = Vec::new();
    flights.finish(9, |waiter| told.push(waiter));
    assert_eq!(told, [1, 2, 3]);
    assert_eq!(flights.len(), 1);
    assert_eq!(flights.join(at(2), 9, || 0), Joined::Leads);
}

#[test]
fn a_leader_that_gives_up_hands_over_to_the_oldest_alone() {
    let mut flights = SingleFlight::new();
    assert_eq!(flights.join(at(0), 9, || 0), Joined::Leads);
    assert!(matches!(flights.join(at(1), 9, || 1), Joined::Waits(_)));
    assert!(matches!(flights.join(at(1), 9, || 2), Joined::Waits(_)));
    assert_eq!(flights.abandon(9), Some(1));
    assert!(matches!(flights.join(at(1), 9, || 3), Joined::Waits(_)), "the load is still under way");
    assert_eq!(flights.abandon(9), Some(2));
    assert_eq!(flights.abandon(9), Some(3));
    assert_eq!(flights.abandon(9), None);
    assert!(flights.is_empty());
    assert_eq!(flights.abandon(9), None);
}

#[test]
fn a_place_in_an_ended_flight_removes_nobody_from_the_next() {
    let mut flights = SingleFlight::new();
    flights.join(at(0), 9, || 0);
    let Joined::Waits(stale) = flights.join(at(0), 9, || 1) else { panic!("it leads") };
    // The next flight for the key gets another waiting list, one that has never been used.
    flights.join(at(0), 8, || 0);
    flights.finish(9, drop);
    flights.finish(8, drop);
    flights.join(at(0), 9, || 0);
    let Joined::Waits(place) = flights.join(at(0), 9, || 2) else { panic!("it leads") };
    assert_eq!(flights.leave(stale), None);
    assert_eq!(flights.leave(place), Some(2));
    assert_eq!(flights.leave(place), None);
    flights.finish(9, |_| panic!("nobody waits"));
}

proptest! {
    #[test]
    fn an_lru_agrees_with_a_naive_one(
        capacity in 1_u64..6,
        ttl in 1_u64..50,
        steps in prop::collection::vec((0_u64..10, any::<bool>(), 0_u64..20), 1..200),
    ) {
        let mut cache = TtlLru::new(capacity, Some(Duration::from_nanos(ttl)));
        // Least recently used first: key, inserted at, value.
        let mut naive: Vec<(u64, u64, u64)> = Vec::new();
        let mut now = 0;
        for (serial, (key, insert, step)) in (0_u64..).zip(steps) {
            now += step;
            let held = naive.iter().position(|entry| entry.0 == key).map(|place| naive.remove(place));
            if insert {
                cache.insert(at(now), key, serial);
                naive.push((key, now, serial));
                if naive.len() > capacity as usize {
                    naive.remove(0);
                }
            } else {
                let fresh = held.filter(|entry| now < entry.1 + ttl);
                prop_assert_eq!(cache.get(at(now), key), fresh.map(|entry| entry.2));
                naive.extend(fresh);
            }
            prop_assert_eq!(cache.len(), naive.len());
        }
    }
}
