use super::*;
use proptest::prelude::*;

/// Every window end that matters, counted anew each time: O(n²).
fn naive(events: &[u64], from: u64, to: u64, per: u64) -> Option<Extremes> {
    let first = from + per;
    if first > to {
        return None;
    }
    let inside: Vec<u64> = events.iter().copied().filter(|at| *at > from && *at <= to).collect();
    let ends = inside.iter().flat_map(|at| [*at, at + per]).chain([first, to]);
    let counts: Vec<u64> = ends
        .filter(|end| *end >= first && *end <= to)
        .map(|end| inside.iter().filter(|at| **at > end - per && **at <= end).count() as u64)
        .collect();
    let exact = |found: Option<&u64>| Bounds::exact(*found.unwrap());
    Some(Extremes { min: exact(counts.iter().min()), max: exact(counts.iter().max()) })
}

fn streaming(events: &[u64], from: u64, to: u64, per: u64) -> TrailingSummary {
    let mut trailing = Trailing::new(from, to, per, 1 << 16);
    for at in events {
        trailing.record(*at, 1);
    }
    trailing.finish(u64::MAX)
}

fn found(events: &[u64], from: u64, to: u64, per: u64) -> (u64, u64) {
    let extremes = streaming(events, from, to, per).extremes.unwrap();
    (extremes.min.low, extremes.max.high)
}

#[test]
fn a_window_is_open_at_its_start_and_closed_at_its_end() {
    // 10 and 20 are never in one window of 10; 10 and 19 are.
    assert_eq!(found(&[10, 20], 0, 100, 10), (0, 1));
    assert_eq!(found(&[10, 19], 0, 100, 10), (0, 2));
}

#[test]
fn an_arrival_at_the_moment_of_an_expiry_is_no_gap() {
    let every_ten: Vec<u64> = (1..=10).map(|k| k * 10).collect();
    assert_eq!(found(&every_ten, 0, 100, 10), (1, 1));
}

#[test]
fn a_gap_shows_only_after_the_expiry() {
    // (20, 30] is empty, and no event happens at 30.
    assert_eq!(found(&[10, 20, 31, 40], 0, 40, 10), (0, 2));
}

#[test]
fn only_windows_wholly_in_the_scope_count() {
    assert_eq!(found(&[5, 6, 7], 6, 20, 14), (1, 1));
    assert_eq!(streaming(&[5, 6, 7], 6, 20, 15).extremes, None);
}

#[test]
fn no_events_are_zero_and_not_unknown() {
    assert_eq!(found(&[], 0, 100, 10), (0, 0));
}

#[test]
fn the_first_window_counts_although_nothing_happens_at_its_end() {
    assert_eq!(found(&[1, 2, 3], 0, 10, 10), (3, 3));
    assert_eq!(found(&[1, 2, 3, 50], 0, 100, 10), (0, 3));
}

#[test]
fn an_open_scope_ends_with_the_run() {
    let mut trailing = Trailing::new(0, u64::MAX, 10, 16);
    (1..=5).for_each(|at| trailing.record(at, 1));
    assert_eq!(trailing.clone().finish(12).extremes, Some(Extremes { min: Bounds::exact(3), max: Bounds::exact(5) }));
    assert_eq!(trailing.finish(9).extremes, None);
}

#[test]
fn too_many_instants_are_given_up() {
    let mut trailing = Trailing::new(0, 100, 10, 3);
    (1..=3).for_each(|at| trailing.record(at, 1));
    assert!(!trailing.clone().finish(100).is_given_up);
    trailing.record(4, 1);
    assert!(trailing.finish(100).is_given_up);
}

#[test]
fn many_events_of_one_instant_need_one_entry() {
    let mut trailing = Trailing::new(0, 100, 10, 1);
    (0..1000).for_each(|_| trailing.record(5, 1_000_000));
    let result = trailing.finish(100);
    assert_eq!(result.extremes.unwrap().max, Bounds::exact(1_000_000_000));
    assert!(!result.is_given_up);
}

#[test]
fn an_event_from_the_past_is_counted_now_and_told() {
    let mut trailing = Trailing::new(0, 100, 10, 16);
    trailing.record(50, 1);
    trailing.record(45, 1);
    let result = trailing.finish(100);
    assert_eq!((result.disordered, result.extremes.unwrap().max), (1, Bounds::exact(2)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn streaming_equals_counting_every_window(
        mut events in proptest::collection::vec(0_u64..120, 0..60),
        from in 0_u64..40,
        length in 1_u64..90,
        per in 1_u64..50,
    ) {
        events.sort_unstable();
        let result = streaming(&events, from, from + length, per);
        prop_assert_eq!(result.extremes, naive(&events, from, from + length, per));
        prop_assert_eq!(result.disordered, 0);
    }
}
