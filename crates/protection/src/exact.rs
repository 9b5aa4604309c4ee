//! Integer arithmetic that neither rounds silently nor overflows.

/// ⌊`numerator` / `denominator`⌋, saturating; one 64-bit division wherever both fit, which is nearly always.
///
/// A 128-bit division costs about ten times a 64-bit one, and refusals ask for a quotient each.
pub(crate) fn divide_floor(numerator: u128, denominator: u128) -> u64 {
    if let (Ok(numerator), Ok(denominator)) = (u64::try_from(numerator), u64::try_from(denominator)) {
        return numerator / denominator;
    }
    u64::try_from(numerator / denominator).unwrap_or(u64::MAX)
}

/// ⌈`numerator` / `denominator`⌉, saturating.
pub(crate) fn divide_ceil(numerator: u128, denominator: u128) -> u64 {
    divide_floor(numerator.saturating_add(denominator - 1), denominator)
}

/// The greatest common divisor; 0 only for (0, 0).
pub(crate) fn greatest_common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_agree_in_both_widths() {
        assert_eq!(divide_floor(7, 2), 3);
        assert_eq!(divide_ceil(7, 2), 4);
        assert_eq!(divide_ceil(8, 2), 4);
        assert_eq!(divide_floor(1 << 70, 1 << 10), 1 << 60);
        assert_eq!(divide_ceil((1 << 70) + 1, 1 << 10), (1 << 60) + 1);
        assert_eq!(divide_floor(u128::MAX, 1), u64::MAX);
    }

    #[test]
    fn greatest_common_divisors() {
        assert_eq!(greatest_common_divisor(500_000_000_000, 1_000_000_000_000_000_000), 500_000_000_000);
        assert_eq!(greatest_common_divisor(17, 5), 1);
        assert_eq!(greatest_common_divisor(0, 5), 5);
    }
}
