//! Comparing what was measured with its bound.

use coldfront_clock::nanos_of;
use coldfront_measure::Bounds;
use coldfront_scenarios::expectation::{Bound, Comparison};

/// Floating-point values this close, relative to the bound, are equal: 99.9 % read from a file is not exactly 999/1000. Whole
/// numbers below 2^50 stay apart.
const NEARLY: f64 = 4.0 * f64::EPSILON;

/// The bound as a plain number: nanoseconds of a duration.
pub(crate) fn plain(bound: Bound) -> f64 {
    match bound {
        Bound::Number(number) | Bound::PerSecond(number) => number,
        Bound::Duration(duration) => nanos_of(duration) as f64,
    }
}

/// Whether `value comparison bound` holds.
pub(crate) fn holds(value: f64, comparison: Comparison, bound: f64) -> bool {
    let is_equal = (value - bound).abs() <= NEARLY * bound.abs();
    match comparison {
        Comparison::AtMost => value < bound || is_equal,
        Comparison::Below => value < bound && !is_equal,
        Comparison::AtLeast => value > bound || is_equal,
        Comparison::Above => value > bound && !is_equal,
        Comparison::Equal => is_equal,
    }
}

/// Whether it holds for a value known between bounds; `None`: that depends on the true value.
pub(crate) fn holds_between(value: Bounds, comparison: Comparison, bound: f64) -> Option<bool> {
    let (low, high) = (value.low as f64, value.high as f64);
    let (at_low, at_high) = (holds(low, comparison, bound), holds(high, comparison, bound));
    match comparison {
        // Between unequal bounds lie values on and off the point, unless it is outside.
        Comparison::Equal if !value.is_exact() => (bound < low || bound > high).then_some(false),
        _ => (at_low == at_high).then_some(at_low),
    }
}

/// How much room is left to the bound, as a fraction of it: 0.25 is a quarter of the bound to spare, −1 is off by the whole
/// bound. For `==` it is minus the distance. `None` if the bound is 0 and the value is not: a fraction of nothing.
pub(crate) fn margin(value: f64, comparison: Comparison, bound: f64) -> Option<f64> {
    let room = match comparison {
        Comparison::AtMost | Comparison::Below => bound - value,
        Comparison::AtLeast | Comparison::Above => value - bound,
        Comparison::Equal => -(value - bound).abs(),
    };
    if room == 0.0 {
        // Not −0.
        Some(0.0)
    } else {
        (bound != 0.0).then(|| room / bound.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Comparison::{Above, AtLeast, AtMost, Below, Equal};
    use proptest::prelude::*;

    #[test]
    fn a_percentage_from_a_file_is_met_exactly() {
        assert!(holds(999.0 / 1000.0, AtLeast, 99.9 / 100.0));
        assert!(!holds(999.0 / 1000.0, Above, 99.9 / 100.0));
        assert!(!holds(998.0 / 1000.0, AtLeast, 99.9 / 100.0));
    }

    #[test]
    fn every_comparison_at_below_and_above_the_bound() {
        let at = |value| [AtMost, Below, AtLeast, Above, Equal].map(|comparison| holds(value, comparison, 10.0));
        assert_eq!(at(9.0), [true, true, false, false, false]);
        assert_eq!(at(10.0), [true, false, true, false, true]);
        assert_eq!(at(11.0), [false, false, true, true, false]);
    }

    #[test]
    fn bounds_decide_only_if_both_agree() {
        let value = Bounds { low: 5, high: 10 };
        assert_eq!(holds_between(value, AtMost, 10.0), Some(true));
        assert_eq!(holds_between(value, AtMost, 9.0), None);
        assert_eq!(holds_between(value, AtMost, 4.0), Some(false));
        assert_eq!(holds_between(value, Equal, 7.0), None);
        assert_eq!(holds_between(value, Equal, 11.0), Some(false));
        assert_eq!(holds_between(Bounds::exact(7), Equal, 7.0), Some(true));
    }

    #[test]
    fn the_margin_is_positive_where_there_is_room() {
        assert_eq!(margin(75.0, AtMost, 100.0), Some(0.25));
        assert_eq!(margin(200.0, Below, 100.0), Some(-1.0));
        assert_eq!(margin(150.0, AtLeast, 100.0), Some(0.5));
        assert_eq!(margin(90.0, Equal, 100.0), Some(-0.1));
        assert_eq!(margin(0.0, Equal, 0.0).map(f64::to_bits), Some(0.0_f64.to_bits()));
        assert_eq!(margin(3.0, AtMost, 0.0), None);
    }

    proptest! {
        #[test]
        fn what_holds_has_no_negative_margin(value in 0_u32..1000, bound in 1_u32..1000) {
            for comparison in [AtMost, Below, AtLeast, Above, Equal] {
                let (value, bound) = (f64::from(value), f64::from(bound));
                let margin = margin(value, comparison, bound).unwrap();
                prop_assert!(!holds(value, comparison, bound) || margin >= 0.0);
                prop_assert!(holds(value, comparison, bound) || margin <= 0.0);
            }
        }
    }
}
