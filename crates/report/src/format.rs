//! Numbers as a person reads them: three significant digits, a unit, and no more width than needed.

/// A count with commas between the thousands: `1,234,567`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A duration given in milliseconds, with three significant digits in the unit that fits: `850ns`, `41.0µs`, `4.20ms`, `312ms`,
/// `1.25s`, `2m05s`. Negative values keep their sign.
pub fn millis(ms: f64) -> String {
    let magnitude = ms.abs();
    let sign = if ms < 0.0 { "-" } else { "" };
    let scaled = |value: f64, unit: &str| format!("{sign}{}{unit}", significant(value));
    match magnitude {
        0.0 => "0ms".to_owned(),
        m if m < 0.001 => format!("{sign}{:.0}ns", m * 1e6),
        m if m < 0.999_5 => scaled(m * 1e3, "µs"),
        m if m < 999.5 => scaled(m, "ms"),
        m if m < 59_950.0 => scaled(m / 1e3, "s"),
        m => {
            let seconds = (m / 1e3).round();
            format!("{sign}{:.0}m{:02.0}s", (seconds / 60.0).floor(), seconds % 60.0)
        }
    }
}

/// A duration given in seconds, as [`millis`] writes it.
pub fn seconds(s: f64) -> String {
    millis(s * 1e3)
}

/// A configured duration given in seconds, without rounding where it is a whole number of seconds or milliseconds: `1s`,
/// `500ms`.
pub fn period(s: f64) -> String {
    match s * 1e3 {
        ms if ms % 1e3 == 0.0 => format!("{}s", whole(s)),
        ms if ms.fract() == 0.0 => format!("{}ms", whole(ms)),
        ms => millis(ms),
    }
}

/// A value with three significant digits and no exponent: `0.123`, `4.20`, `31.0`, `312`, `1,512`.
pub fn significant(value: f64) -> String {
    match value.abs() {
        m if m < 9.995 => format!("{value:.2}"),
        m if m < 99.95 => format!("{value:.1}"),
        m if m < 999.5 => format!("{value:.0}"),
        _ => whole(value),
    }
}

/// A value in the unit of an expectation (`ms`, `s`, `/s` or none for a plain number), whole numbers without a fraction.
pub fn in_unit(value: f64, unit: &str) -> String {
    match unit {
        "ms" => millis(value),
        "s" => seconds(value),
        _ if value.fract() == 0.0 => format!("{}{unit}", whole(value)),
        _ if value.abs() < 1.0 => format!("{value:.4}{unit}"),
        _ => format!("{}{unit}", significant(value)),
    }
}

/// A fraction as a percentage with one decimal: `24.8 %`.
pub fn percent(fraction: f64) -> String {
    format!("{:.1} %", fraction * 100.0)
}

/// A fraction as a percentage that is compared with another: near 0 and 100 % with three decimals, so that 99.95 % and 100 %
/// stay apart.
pub fn share(fraction: f64) -> String {
    let percent = fraction * 100.0;
    let is_near_an_end = percent.abs() < 1.0 || (99.0..101.0).contains(&percent.abs());
    let text = if is_near_an_end { format!("{percent:.3}") } else { format!("{percent:.1}") };
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// How much room is left to a bound, as a fraction of it, with its sign: `+24.8 %`, and `-20×` beyond 1,000 %.
pub fn margin(fraction: f64) -> String {
    if fraction.abs() > 10.0 { format!("{fraction:+.0}×") } else { format!("{:+.1} %", fraction * 100.0) }
}

fn whole(value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}", count(value.abs().round() as u64))
}

/// Text from a file, safe on a terminal: control characters are shown escaped, and what is longer than `width` ends in `…`.
pub fn label(text: &str, width: usize) -> String {
    let mut clean = String::new();
    for character in text.chars() {
        if character.is_control() {
            clean.extend(character.escape_default());
        } else {
            clean.push(character);
        }
    }
    if clean.chars().count() <= width {
        return clean;
    }
    let mut short: String = clean.chars().take(width.saturating_sub(1)).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_by_thousands() {
        let cases = [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345, "12,345"), (1_234_567, "1,234,567")];
        for (n, expected) in cases {
            assert_eq!(count(n), expected);
        }
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn durations_pick_the_unit_that_fits_and_round_into_the_next() {
        let cases = [
            (0.0, "0ms"),
            (0.000_85, "850ns"),
            (0.041, "41.0µs"),
            (0.999_4, "999µs"),
            (0.999_6, "1.00ms"),
            (4.2, "4.20ms"),
            (9.996, "10.0ms"),
            (312.4, "312ms"),
            (999.6, "1.00s"),
            (1_250.0, "1.25s"),
            (59_960.0, "1m00s"),
            (125_000.0, "2m05s"),
            (-62.0, "-62.0ms"),
        ];
        for (ms, expected) in cases {
            assert_eq!(millis(ms), expected, "{ms} ms");
        }
    }

    #[test]
    fn configured_durations_are_not_rounded() {
        assert_eq!([1.0, 0.5, 90.0, 0.0125].map(period), ["1s", "500ms", "90s", "12.5ms"]);
    }

    #[test]
    fn values_follow_their_unit() {
        assert_eq!(in_unit(400.0, ""), "400");
        assert_eq!(in_unit(0.8125, ""), "0.8125");
        assert_eq!(in_unit(12.25, ""), "12.2");
        assert_eq!(in_unit(500.0, "/s"), "500/s");
        assert_eq!(in_unit(1.5, "s"), "1.50s");
        assert_eq!(in_unit(-3.0, ""), "-3");
        assert_eq!(percent(0.248), "24.8 %");
        assert_eq!([0.772_09, 0.9, 0.9995, 1.0, 0.0].map(share), ["77.2 %", "90 %", "99.95 %", "100 %", "0 %"]);
        assert_eq!([-0.248, 0.5, 10.0, -20.4].map(margin), ["-24.8 %", "+50.0 %", "+1000.0 %", "-20×"]);
    }

    #[test]
    fn labels_cannot_drive_the_terminal_and_keep_their_width() {
        assert_eq!(label("spike", 8), "spike");
        assert_eq!(label("a very long stage", 8), "a very …");
        assert_eq!(label("red\u{1b}[31m", 40), "red\\u{1b}[31m");
    }
}
