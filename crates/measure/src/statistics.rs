//! The statistics' formulas, apart from any recording. `docs/statistics.md` states them with their sources.

/// One, in the fixed point that quantiles are computed in: 12 decimal digits.
const ONE: u128 = 1_000_000_000_000;

fn fixed(q: f64) -> u128 {
    ((q * ONE as f64).round() as u128).min(ONE)
}

/// ⌈qn⌉, at least 1 when n > 0: how many of `n` values must be equal to or below the q-quantile.
///
/// q is taken to 12 decimal digits and the product is exact, so that p7 of 100 values is the 7th: in floating point
/// 0.07 × 100 is a little more than 7.
pub fn quantile_rank(q: f64, n: u64) -> u64 {
    let rank = (fixed(q) * u128::from(n)).div_ceil(ONE);
    (rank as u64).max(u64::from(n > 0))
}

/// Whether `n` values say anything about the q-quantile: n(1 − q) ≥ 1, or else the quantile is only the largest value.
pub fn supports_quantile(q: f64, n: u64) -> bool {
    (ONE - fixed(q)) * u128::from(n) >= ONE
}

/// The least `n` with n(1 − q) ≥ 1; `u64::MAX` for q = 1.
pub fn least_count_for_quantile(q: f64) -> u64 {
    match ONE - fixed(q) {
        0 => u64::MAX,
        rest => ONE.div_ceil(rest) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_exact_where_floating_point_is_not() {
        assert_eq!(quantile_rank(0.07, 100), 7);
        assert_eq!(quantile_rank(0.95, 20), 19);
        assert_eq!(quantile_rank(0.99, 100), 99);
        assert_eq!(quantile_rank(0.999, 1000), 999);
        assert_eq!(quantile_rank(0.5, 3), 2);
        assert_eq!(quantile_rank(0.5, 1), 1);
        assert_eq!(quantile_rank(0.01, 1), 1);
        assert_eq!(quantile_rank(0.5, 0), 0);
        assert_eq!(quantile_rank(0.5, u64::MAX), 1 << 63);
    }

    #[test]
    fn a_quantile_needs_one_value_above_it() {
        assert!(supports_quantile(0.99, 100));
        assert!(!supports_quantile(0.99, 99));
        assert!(supports_quantile(0.95, 20));
        assert!(!supports_quantile(0.95, 19));
        for (q, n) in [(0.99, 100), (0.95, 20), (0.999, 1000), (0.5, 2), (0.3, 2)] {
            assert_eq!(least_count_for_quantile(q), n);
            assert!(supports_quantile(q, n) && !supports_quantile(q, n - 1));
        }
    }
}
