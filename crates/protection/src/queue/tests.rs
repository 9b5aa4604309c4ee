use super::*;
use coldfront_clock::Instant;
use coldfront_scenarios::Queue as QueueSpec;
use proptest::prelude::*;
use std::collections::VecDeque;
use std::time::Duration;

fn at(millis: u64) -> Instant {
    Instant::after_start(Duration::from_millis(millis))
}

#[test]
fn entries_leave_in_the_order_they_came() {
    let mut queue = Fifo::new(3, None);
    for item in 0..3 {
        assert!(queue.enqueue(at(item), item).is_ok());
    }
    assert_eq!(queue.enqueue(at(3), 3), Err(Full));
    for item in 0..3 {
        let waited = Duration::from_millis(10 - item);
        assert_eq!(queue.dequeue(at(10)), Some(Dequeued::InTime { item, waited }));
    }
    assert_eq!(queue.dequeue(at(10)), None);
}

#[test]
fn an_entry_is_served_up_to_its_deadline_and_not_after() {
    let timeout = Some(Duration::from_millis(500));
    let mut queue = Fifo::new(3, timeout);
    let waited = Duration::from_millis(500);
    queue.enqueue(at(0), 'a').unwrap();
    assert_eq!(queue.dequeue(at(500)), Some(Dequeued::InTime { item: 'a', waited }));
    queue.enqueue(at(0), 'b').unwrap();
    let late = Instant::from_nanos(500_000_001);
    assert_eq!(queue.dequeue(late), Some(Dequeued::Expired { item: 'b', waited: waited + Duration::from_nanos(1) }));
}

#[test]
fn expiry_takes_exactly_those_whose_deadline_has_come() {
    let mut queue = Fifo::new(8, Some(Duration::from_millis(100)));
    for item in 0..4_u64 {
        queue.enqueue(at(item * 10), item).unwrap();
    }
    assert_eq!(queue.expire(at(99)), None);
    assert_eq!(queue.expire(at(110)), Some(0));
    assert_eq!(queue.expire(at(110)), Some(1));
    assert_eq!(queue.expire(at(110)), None);
    assert_eq!(queue.len(), 2);
}

#[test]
fn a_stale_ticket_cancels_nobody() {
    let mut queue = Fifo::new(8, None);
    let first = queue.enqueue(at(0), 'a').unwrap();
    assert_eq!(queue.cancel(first), Some('a'));
    // The same node is used again.
    let second = queue.enqueue(at(0), 'b').unwrap();
    assert_eq!(queue.cancel(first), None);
    assert_eq!(queue.len(), 1);
    assert_eq!(queue.cancel(second), Some('b'));
    assert!(queue.is_empty());
}

#[test]
fn a_freed_worker_goes_to_the_oldest_waiter_and_skips_the_expired() {
    let spec = QueueSpec::Fifo { capacity: 2, timeout: Some(Duration::from_millis(100)) };
    let mut station = Station::new(1, Some(&spec));
    assert_eq!(station.arrive(at(0), || 0), Arrived::Served);
    let Arrived::Waits { deadline, .. } = station.arrive(at(10), || 1) else { panic!("no room") };
    assert_eq!(deadline, at(110));
    assert!(matches!(station.arrive(at(50), || 2), Arrived::Waits { .. }));
    assert_eq!(station.arrive(at(60), || unreachable!("the room is full")), Arrived::Full);
    assert_eq!(station.release(at(120)), Freed::Expired(1));
    assert_eq!(station.release(at(120)), Freed::HandedTo { item: 2, waited: Duration::from_millis(70) });
    assert_eq!((station.busy(), station.waiting()), (1, 0));
    assert_eq!(station.release(at(130)), Freed::Idle);
    assert_eq!(station.busy(), 0);
}

#[test]
fn without_a_room_nobody_waits() {
    let mut station = Station::new(2, None);
    assert_eq!(station.arrive(at(0), || ()), Arrived::Served);
    assert_eq!(station.arrive(at(0), || ()), Arrived::Served);
    assert_eq!(station.arrive(at(0), || ()), Arrived::Full);
}

/// Arrivals every `gap`, one worker that takes `service` each, a room of `capacity`, all in integer nanoseconds.
/// Gives the waits of the served in order, and how many were refused.
fn single_server(arrivals: &[u64], service: u64, capacity: u32) -> (Vec<u64>, usize) {
    let mut station = Station::new(1, Some(&QueueSpec::Fifo { capacity, timeout: None }));
    let (mut waits, mut refused, mut done) = (Vec::new(), 0, u64::MAX);
    let finish =
        |station: &mut Station<()>, waits: &mut Vec<u64>, now: u64| match station.release(Instant::from_nanos(now)) {
            Freed::HandedTo { waited, .. } => {
                waits.push(waited.as_nanos() as u64);
                now + service
            }
            _ => u64::MAX,
        };
    for now in arrivals {
        // Completions come before arrivals of the same instant.
        while done <= *now {
            done = finish(&mut station, &mut waits, done);
        }
        match station.arrive(Instant::from_nanos(*now), || ()) {
            Arrived::Served => {
                waits.push(0);
                done = now + service;
            }
            Arrived::Waits { .. } => {}
            Arrived::Full => refused += 1,
        }
    }
    while done != u64::MAX {
        done = finish(&mut station, &mut waits, done);
    }
    (waits, refused)
}

#[test]
fn a_pulse_above_the_service_rate_waits_as_the_fluid_law_says() {
    // 500/s for 10 s into 200/s: the largest wait is 14.997 s, the mean 7.4985 s.
    let arrivals: Vec<u64> = (0..5000).map(|k| k * 2_000_000).collect();
    let (waits, refused) = single_server(&arrivals, 5_000_000, 10_000);
    assert_eq!((waits.len(), refused), (5000, 0));
    assert_eq!(waits.iter().max(), Some(&14_997_000_000));
    assert_eq!(waits.iter().sum::<u64>() / 5000, 7_498_500_000);
}

#[test]
fn a_bounded_room_loses_what_the_fluid_law_says() {
    // With room for 400: µT + K = 2,400 are let in, 2,600 lost, the longest wait is K / µ = 2 s.
    let arrivals: Vec<u64> = (0..5000).map(|k| k * 2_000_000).collect();
    let (waits, refused) = single_server(&arrivals, 5_000_000, 400);
    assert_eq!((waits.len(), refused), (2400, 2600));
    assert_eq!(waits.iter().max(), Some(&2_000_000_000));
}

#[derive(Clone, Debug)]
enum Step {
    Enqueue,
    Dequeue,
    Expire,
    Cancel(usize),
    Wait(u64),
}

fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => Just(Step::Enqueue),
        2 => Just(Step::Dequeue),
        1 => Just(Step::Expire),
        2 => any::<usize>().prop_map(Step::Cancel),
        2 => (0_u64..40).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 1..200)
}

proptest! {
    #[test]
    fn a_fifo_agrees_with_a_naive_one(capacity in 1_u32..10, timeout in 1_u64..60, steps in any_steps()) {
        let mut queue = Fifo::new(capacity, Some(Duration::from_millis(timeout)));
        let mut naive: VecDeque<(u64, u64)> = VecDeque::new();
        let mut tickets = Vec::new();
        let mut now = 0;
        for (item, step) in (0_u64..).zip(steps) {
            match step {
                Step::Wait(millis) => now += millis,
                Step::Enqueue => {
                    let taken = queue.enqueue(at(now), item);
                    prop_assert_eq!(taken.is_ok(), naive.len() < capacity as usize);
                    if let Ok(ticket) = taken {
                        naive.push_back((item, now));
                        tickets.push((item, ticket));
                    }
                }
                Step::Dequeue => {
                    let expected = naive.pop_front().map(|(item, since)| {
                        let waited = Duration::from_millis(now - since);
                        if now - since <= timeout { Dequeued::InTime { item, waited } } else { Dequeued::Expired { item, waited } }
                    });
                    prop_assert_eq!(queue.dequeue(at(now)), expected);
                }
                Step::Expire => {
                    while let Some(item) = queue.expire(at(now)) {
                        prop_assert_eq!(naive.pop_front().map(|(item, since)| (item, now - since >= timeout)), Some((item, true)));
                    }
                    prop_assert!(naive.front().is_none_or(|(_, since)| now - since < timeout));
                }
                Step::Cancel(which) => {
                    if tickets.is_empty() {
                        continue;
                    }
                    let (item, ticket) = tickets[which % tickets.len()];
                    let place = naive.iter().position(|(waiting, _)| *waiting == item);
                    let expected = place.and_then(|place| naive.remove(place)).map(|(item, _)| item);
                    prop_assert_eq!(queue.cancel(ticket), expected);
                }
            }
            prop_assert_eq!(queue.len() as usize, naive.len());
        }
    }
}
