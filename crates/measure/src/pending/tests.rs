use super::*;
use proptest::prelude::*;

fn settle(pending: &mut Pending) -> Vec<(usize, u64)> {
    let mut left = Vec::new();
    pending.settle(|leaver| left.push((leaver.stream, leaver.entry.intended)));
    left
}

fn resolve(pending: &mut Pending, stream: usize, sequence: u64) -> bool {
    let Some(entry) = pending.find(stream, sequence) else { return false };
    entry.resolve(Outcome::Ok, true, false, entry.intended);
    true
}

#[test]
fn an_entry_is_24_bytes() {
    assert_eq!(size_of::<Entry>(), 24);
}

#[test]
fn an_entry_keeps_what_became_of_it() {
    let mut pending = Pending::new(1, 8);
    pending.offer(0, 0, 3, 10);
    for outcome in Outcome::ALL {
        let mut entry = *pending.find(0, 0).unwrap();
        entry.resolve(outcome, true, false, 11);
        assert_eq!(
            (entry.outcome(), entry.is_good(), entry.is_cold(), entry.is_resolved()),
            (outcome, true, false, true)
        );
    }
}

#[test]
fn later_outcomes_wait_for_the_oldest() {
    let mut pending = Pending::new(1, 8);
    (0..3).for_each(|sequence| pending.offer(0, sequence, 0, sequence * 10));
    assert!(resolve(&mut pending, 0, 2) && resolve(&mut pending, 0, 1));
    assert_eq!(settle(&mut pending), []);
    assert_eq!(pending.watermark(), 0);
    assert!(resolve(&mut pending, 0, 0));
    assert_eq!(settle(&mut pending), [(0, 0), (0, 10), (0, 20)]);
    assert_eq!(pending.watermark(), 20);
}

#[test]
fn an_outcome_counts_once_and_only_for_what_was_offered() {
    let mut pending = Pending::new(1, 8);
    pending.offer(0, 5, 0, 10);
    pending.offer(0, 6, 0, 10);
    assert!(!resolve(&mut pending, 0, 4) && !resolve(&mut pending, 0, 7) && !resolve(&mut pending, 1, 5));
    assert!(resolve(&mut pending, 0, 6));
    assert!(!resolve(&mut pending, 0, 6));
    assert!(resolve(&mut pending, 0, 5));
    settle(&mut pending);
    assert!(!resolve(&mut pending, 0, 5));
}

#[test]
fn streams_leave_in_the_order_of_time() {
    let mut pending = Pending::new(2, 8);
    pending.offer(0, 0, 0, 10);
    pending.offer(1, 0, 0, 5);
    resolve(&mut pending, 0, 0);
    assert_eq!(settle(&mut pending), []);
    resolve(&mut pending, 1, 0);
    // Stream 1 is empty and may still offer something between 5 and 10.
    assert_eq!(settle(&mut pending), [(1, 5)]);
    pending.heard(10 + OFFER_SLACK_NS);
    assert_eq!(settle(&mut pending), [(0, 10)]);
}

#[test]
fn at_one_moment_what_may_leave_goes_first() {
    let mut pending = Pending::new(3, 8);
    (0..3).for_each(|stream| pending.offer(stream, 0, 0, 10));
    resolve(&mut pending, 1, 0);
    assert_eq!(settle(&mut pending), [(1, 10)]);
}

#[test]
fn an_arrival_offered_too_late_is_told() {
    let mut pending = Pending::new(2, 8);
    pending.offer(0, 0, 0, 50);
    resolve(&mut pending, 0, 0);
    pending.heard(50 + OFFER_SLACK_NS);
    settle(&mut pending);
    pending.offer(1, 0, 0, 49);
    assert_eq!(pending.disordered, 1);
}

#[test]
fn beyond_the_capacity_the_oldest_is_set_aside_and_still_accounted() {
    let mut pending = Pending::new(1, 2);
    (0..3).for_each(|sequence| pending.offer(0, sequence, 0, sequence));
    assert_eq!(settle(&mut pending), [(0, 0)]);
    assert!(pending.is_given_up);
    assert!(resolve(&mut pending, 0, 0));
    pending.forget_set_aside(0, 0);
    assert!(!resolve(&mut pending, 0, 0));
}

proptest! {
    #[test]
    fn everything_leaves_once_in_order(
        arrivals in proptest::collection::vec((0_usize..3, 0_u64..20, 1_u64..4), 1..60),
        order in proptest::collection::vec(any::<proptest::sample::Index>(), 60),
    ) {
        let mut pending = Pending::new(3, 1000);
        let mut now = 0;
        let mut sequences = [7_u64, u64::from(u32::MAX) - 5, 0];
        let mut open = Vec::new();
        let mut left = Vec::new();
        for ((stream, gap, stride), pick) in arrivals.iter().zip(&order) {
            now += gap;
            sequences[*stream] += stride;
            pending.offer(*stream, sequences[*stream], 0, now);
            open.push((*stream, sequences[*stream]));
            let (stream, sequence) = open.swap_remove(pick.index(open.len()));
            prop_assert!(resolve(&mut pending, stream, sequence));
            left.extend(settle(&mut pending));
            prop_assert!(left.iter().all(|leaver| leaver.1 <= pending.watermark()));
        }
        pending.finish(|leaver| left.push((leaver.stream, leaver.entry.intended)));
        prop_assert_eq!(left.len(), arrivals.len());
        prop_assert!(left.is_sorted_by_key(|leaver| leaver.1));
        prop_assert_eq!(pending.disordered, 0);
    }
}
