//! Positions on the axis of the cumulative rate, in fixed point.

/// Bits behind the point. One unit is 2⁻⁴⁸ of an arrival: at one arrival in a thousand seconds that is 4 ps.
const FRACTION_BITS: u32 = 48;

/// The scale as a float; a power of two, so scaling by it is exact.
const SCALE: f64 = (1_u64 << FRACTION_BITS) as f64;

/// A number of arrivals, whole and fraction, as an integer of 2⁻⁴⁸ arrivals.
///
/// Sums are exact, so the ten-millionth arrival is no less precise than the first. Range: 0 to 2⁸⁰ arrivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position(u128);

impl Position {
    pub(super) const ZERO: Self = Self(0);

    /// `arrivals` rounded to the grid; negative and NaN give 0.
    pub(super) fn of(arrivals: f64) -> Self {
        Self((arrivals * SCALE + 0.5) as u128)
    }

    /// The position one arrival further.
    pub(super) fn next(self) -> Self {
        Self(self.0 + (1 << FRACTION_BITS))
    }

    /// The position `gap` further, for a gap below 2¹⁵ arrivals: cheaper than [`Position::of`].
    pub(super) fn after(self, gap: f64) -> Self {
        Self(self.0 + u128::from((gap * SCALE) as u64))
    }

    /// The sum of both.
    pub(super) fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// Whole arrivals, the fraction cut off.
    pub(super) fn whole(self) -> u64 {
        (self.0 >> FRACTION_BITS) as u64
    }

    /// How many arrivals after `earlier`, rounded once; `earlier` must not be after `self`.
    pub(super) fn since(self, earlier: Self) -> f64 {
        let distance = self.0 - earlier.0;
        // Through signed integers, which convert in one instruction; neither half reaches the sign bit.
        let whole = ((distance >> FRACTION_BITS) as u64).cast_signed();
        let fraction = (distance as u64 & ((1 << FRACTION_BITS) - 1)).cast_signed();
        whole as f64 + fraction as f64 / SCALE
    }

    /// The nearest whole number of arrivals if it is so near that only rounding can have kept us from it, else `self`.
    ///
    /// Areas are computed in floating point from rates that often have no exact binary form: 0.3/s over 100 s is
    /// 29.999999999999996 of them, and its thirtieth arrival is meant to exist.
    pub(super) fn snapped(self) -> Self {
        let unit = 1_u128 << FRACTION_BITS;
        let nearest = (self.0 + unit / 2) / unit * unit;
        let tolerance = (unit >> 40).max(self.0 >> 50);
        if nearest.abs_diff(self.0) <= tolerance { Self(nearest) } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_and_fraction_survive_at_both_ends_of_the_range() {
        let far = Position::of(1e12).plus(Position::of(0.25));
        assert_eq!(far.whole(), 1_000_000_000_000);
        assert_eq!(far.since(Position::of(1e12)).to_bits(), 0.25_f64.to_bits());
        assert_eq!(Position::ZERO.next().after(0.5), Position::of(1.5));
    }

    #[test]
    fn snaps_rounding_noise_and_nothing_else() {
        assert_eq!(Position::of(0.3 * 100.0 - 4e-15).snapped(), Position::of(30.0));
        assert_eq!(Position::of(30.000_000_001).snapped(), Position::of(30.000_000_001));
        assert_eq!(Position::of(0.999_999_999).snapped().whole(), 0);
        assert_eq!(Position::of(999_998_999.999_999_9).snapped().whole(), 999_999_000);
    }
}
