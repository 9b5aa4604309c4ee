//! A number known exactly or only between two bounds.

use serde::{Deserialize, Serialize};

/// A count or level: `low ≤ true value ≤ high`; equal bounds are the exact value.
///
/// One recorder measures exactly. Merging recordings that saw different parts of the same series keeps counts exact, but
/// the largest number in any window of both together lies only between the larger and the sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Bounds {
    /// The least it can be.
    pub low: u64,
    /// The most it can be.
    pub high: u64,
}

/// The smallest and largest of something over the same windows or moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extremes {
    /// The smallest.
    pub min: Bounds,
    /// The largest.
    pub max: Bounds,
}

// === impl ===

impl Bounds {
    /// A number known exactly.
    pub const fn exact(value: u64) -> Self {
        Self { low: value, high: value }
    }

    /// Whether both bounds agree.
    pub const fn is_exact(self) -> bool {
        self.low == self.high
    }
}

impl Extremes {
    /// The extremes of the sum of two functions, from the extremes of each. Exact if either is zero throughout.
    pub(crate) fn plus(self, other: Self) -> Self {
        let min_high = (self.min.high.saturating_add(other.max.high)).min(other.min.high.saturating_add(self.max.high));
        let max_low = (self.max.low.saturating_add(other.min.low)).max(other.max.low.saturating_add(self.min.low));
        Self {
            min: Bounds { low: self.min.low.saturating_add(other.min.low), high: min_high },
            max: Bounds { low: max_low, high: self.max.high.saturating_add(other.max.high) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exactly(min: u64, max: u64) -> Extremes {
        Extremes { min: Bounds::exact(min), max: Bounds::exact(max) }
    }

    #[test]
    fn adding_nothing_stays_exact() {
        assert_eq!(exactly(3, 7).plus(exactly(0, 0)), exactly(3, 7));
    }

    #[test]
    fn the_extremes_of_a_sum_lie_within_the_bounds() {
        // Two functions of four moments, in every shift against each other.
        let one = [1, 5, 2, 8];
        let other = [4, 0, 3, 9];
        let extremes = |of: [u64; 4]| exactly(*of.iter().min().unwrap(), *of.iter().max().unwrap());
        let bounds = extremes(one).plus(extremes(other));
        for shift in 0..4 {
            let sum: [u64; 4] = std::array::from_fn(|at| one[at] + other[(at + shift) % 4]);
            let (min, max) = (*sum.iter().min().unwrap(), *sum.iter().max().unwrap());
            assert!(bounds.min.low <= min && min <= bounds.min.high, "{bounds:?} {sum:?}");
            assert!(bounds.max.low <= max && max <= bounds.max.high, "{bounds:?} {sum:?}");
        }
    }

    #[test]
    fn plus_is_associative() {
        let (a, b, c) = (exactly(1, 5), exactly(0, 9), exactly(2, 3));
        assert_eq!(a.plus(b).plus(c), a.plus(b.plus(c)));
    }
}
