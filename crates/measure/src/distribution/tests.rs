use super::*;
use proptest::prelude::*;

fn of(values: &[u64]) -> Distribution {
    let mut distribution = Distribution::new(Detail::Quantiles);
    for value in values {
        distribution.record(*value);
    }
    distribution.close();
    distribution
}

#[test]
fn nothing_has_no_statistics() {
    let empty = of(&[]);
    assert_eq!((empty.min(), empty.max(), empty.mean(), empty.quantile(0.5)), (None, None, None, None));
    assert_eq!(empty.histogram_base64(), None);
}

#[test]
fn a_quantile_is_clamped_to_what_was_seen() {
    // The bucket of 250 ms reaches beyond it; a single value is its own quantile all the same.
    let exact = 250_000_000;
    assert!(empty_histogram().highest_equivalent(exact) > exact);
    assert_eq!(of(&[exact]).quantile(0.95), Some(Duration::from_millis(250)));
}

#[test]
fn values_beyond_the_histogram_saturate_and_are_counted() {
    let distribution = of(&[1, HISTOGRAM_MAX_NS - 1, HISTOGRAM_MAX_NS, u64::MAX]);
    assert_eq!(distribution.saturated(), 2);
    assert_eq!(distribution.max(), Some(Duration::from_nanos(u64::MAX)));
    assert_eq!(distribution.quantile(0.75), Some(Duration::from_nanos(u64::MAX)));
    assert_eq!(distribution.quantile(0.25), Some(Duration::from_nanos(1)));
    assert_eq!(distribution.sum_ns(), u128::from(u64::MAX) + 2 * u128::from(HISTOGRAM_MAX_NS));
}

#[test]
fn without_a_histogram_there_are_no_quantiles() {
    let mut distribution = Distribution::new(Detail::Moments);
    distribution.record(5);
    distribution.record(8);
    distribution.close();
    assert_eq!(distribution.quantile(0.5), None);
    assert_eq!(distribution.mean(), Some(Duration::from_nanos(7)), "6.5 rounds up");
}

proptest! {
    #[test]
    fn quantiles_are_the_exact_ones_within_a_thousandth(
        mut values in proptest::collection::vec(0_u64..10_000_000_000, 1..300),
        q in 0.001_f64..0.999,
    ) {
        let distribution = of(&values);
        values.sort_unstable();
        let exact = values[quantile_rank(q, values.len() as u64) as usize - 1];
        let reported = distribution.quantile(q).unwrap().as_nanos() as u64;
        prop_assert!(reported >= exact);
        prop_assert!(reported - exact <= exact / 1000 + 1, "{} for {}", reported, exact);
    }

    #[test]
    fn merging_is_recording_together(
        one in proptest::collection::vec(0_u64..HISTOGRAM_MAX_NS * 2, 0..50),
        other in proptest::collection::vec(0_u64..HISTOGRAM_MAX_NS * 2, 0..50),
    ) {
        let mut merged = of(&one);
        merged.merge(&of(&other));
        let together: Vec<u64> = one.iter().chain(&other).copied().collect();
        prop_assert_eq!(&merged, &of(&together));
        let text = serde_json::to_string(&merged).unwrap();
        prop_assert_eq!(serde_json::from_str::<Distribution>(&text).unwrap(), merged);
    }
}
