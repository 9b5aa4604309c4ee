use super::*;
use proptest::prelude::*;

const MEDIAN: Option<[f64; 1]> = Some([0.5]);

fn medians(windows: &[WindowSummary<1>]) -> Vec<u64> {
    windows.iter().map(|window| window.quantiles[0]).collect()
}

#[test]
fn windows_without_values_are_zero() {
    let mut windows = SampleWindows::new(MEDIAN, 100);
    windows.record(2, 7);
    let done = windows.finish(4);
    assert_eq!(medians(&done), [0, 0, 7, 0]);
    assert_eq!(done.iter().map(|window| window.count).collect::<Vec<_>>(), [0, 0, 1, 0]);
}

#[test]
fn only_open_windows_hold_values() {
    let mut windows = SampleWindows::new(MEDIAN, 1000);
    for window in 0..50 {
        (0..10).for_each(|value| windows.record(window, value));
        windows.seal_before(window);
        assert!(windows.held <= 20);
        assert_eq!(windows.first_open(), window);
    }
    assert_eq!(windows.finish(50).len(), 50);
}

#[test]
fn beyond_the_capacity_the_oldest_window_is_reduced_early() {
    let mut windows = SampleWindows::new(MEDIAN, 10);
    (0..4).for_each(|value| windows.record(0, value));
    (0..5).for_each(|value| windows.record(1, value));
    assert_eq!(windows.first_open(), 0);
    (0..2).for_each(|value| windows.record(2, value));
    assert_eq!(windows.first_open(), 1);
    assert!(windows.held <= 10);
    windows.record(0, 99);
    let done = windows.finish(3);
    assert_eq!((done[0].count, done[0].late, done[0].max, done[0].quantiles[0]), (5, 1, 99, 1));
    assert_eq!((done[1].count, done[1].late, done[1].quantiles[0]), (5, 0, 2));
}

#[test]
fn a_large_window_goes_on_in_a_histogram() {
    let mut windows = SampleWindows::new(MEDIAN, 100);
    (1..=10_001).for_each(|value| windows.record(0, value));
    assert!(windows.held <= 100, "{}", windows.held);
    let done = windows.finish(1);
    assert_eq!((done[0].count, done[0].min, done[0].max, done[0].mean), (10_001, 1, 10_001, 5001));
    assert!((5001..=5006).contains(&done[0].quantiles[0]), "{}", done[0].quantiles[0]);
}

#[test]
fn without_quantiles_nothing_is_held() {
    let mut windows = SampleWindows::<1>::new(None, 1);
    (0..1000).for_each(|value| windows.record(0, value));
    assert_eq!((windows.held, windows.open[0].samples.len()), (0, 0));
    assert_eq!(windows.finish(1)[0].mean, 500, "499.5 rounds up");
}

proptest! {
    #[test]
    fn quantiles_are_exact(
        values in proptest::collection::vec((0_usize..5, 0_u64..1000), 0..200),
        sealed in 0_usize..5,
    ) {
        let wanted = [0.5, 0.95, 0.99];
        let mut windows = SampleWindows::new(Some(wanted), 1 << 16);
        for (window, value) in &values {
            windows.record(*window, *value);
        }
        windows.seal_before(sealed);
        for (window, found) in windows.finish(5).iter().enumerate() {
            let mut inside: Vec<u64> = values.iter().filter(|(at, _)| *at == window).map(|(_, value)| *value).collect();
            inside.sort_unstable();
            prop_assert_eq!(found.count, inside.len() as u64);
            for (q, quantile) in wanted.iter().zip(found.quantiles) {
                let exact = quantile_rank(*q, found.count).checked_sub(1).map_or(0, |index| inside[index as usize]);
                prop_assert_eq!(quantile, exact);
            }
        }
    }
}
