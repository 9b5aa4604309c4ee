//! Numbers in words.

use std::fmt;

/// Nanoseconds as a person writes them: `250ms`, `1.5s`, `12.35µs`; four digits at most, whole nanoseconds below a microsecond.
pub(crate) fn duration(ns: f64) -> String {
    let (scale, unit) = match ns.abs() {
        size if size < 1e3 => return format!("{}ns", trimmed(ns, 0)),
        size if size < 1e6 => (1e3, "µs"),
        size if size < 1e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    format!("{}{unit}", number(ns / scale))
}

/// A number with four digits at most; whole numbers in full, with thin commas every three digits.
pub(crate) fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return grouped(value);
    }
    let decimals = match value.abs() {
        size if size >= 1000.0 => 0,
        size if size >= 100.0 => 1,
        size if size >= 10.0 => 2,
        _ => 3,
    };
    trimmed(value, decimals)
}

/// A fraction in percent: `12.5 %`.
pub(crate) fn percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    let decimals = usize::from(percent.abs() < 100.0);
    format!("{} %", trimmed(percent, decimals))
}

/// A fraction in percent that is compared with another: near 0 and 100 % with three decimals, so that 99.95 % and 100 % stay
/// apart.
pub(crate) fn share(fraction: f64) -> String {
    let percent = fraction * 100.0;
    let is_near_an_end = percent.abs() < 1.0 || (99.0..101.0).contains(&percent.abs());
    format!("{} %", trimmed(percent, if is_near_an_end { 3 } else { 1 }))
}

/// How far off a bound, as a fraction of it: `24.8 %`, and `20 times the bound` beyond 1,000 %.
pub(crate) fn distance(fraction: f64) -> String {
    if fraction > 10.0 { format!("{} times the bound", number(fraction.round())) } else { percent(fraction) }
}

fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::from(if value < 0.0 { "-" } else { "" });
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn trimmed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// `1 value`, `2 values`.
pub(crate) struct Plural<'a>(pub(crate) u64, pub(crate) &'a str);

impl fmt::Display for Plural<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, noun) = self;
        write!(f, "{} {noun}{}", number(*count as f64), if *count == 1 { "" } else { "s" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_like_a_persons() {
        assert_eq!(duration(250e6), "250ms");
        assert_eq!(duration(1.5e9), "1.5s");
        assert_eq!(duration(12_345.0), "12.35µs");
        assert_eq!(duration(250_123_456.0), "250.1ms");
        assert_eq!(duration(7.0), "7ns");
        assert_eq!(duration(0.0), "0ns");
        assert_eq!(number(1_234_567.0), "1,234,567");
        assert_eq!(number(0.98765), "0.988");
        assert_eq!(number(-1000.0), "-1,000");
        assert_eq!(percent(0.1234), "12.3 %");
        assert_eq!(percent(2.5), "250 %");
        assert_eq!(
            [0.772_09, 0.9, 0.9995, 1.0, 0.001_23].map(share),
            ["77.2 %", "90 %", "99.95 %", "100 %", "0.123 %"]
        );
        assert_eq!(
            [0.248, 10.0, 20.4, 1_234.0].map(distance),
            ["24.8 %", "1000 %", "20 times the bound", "1,234 times the bound"]
        );
        assert_eq!(Plural(1, "value").to_string(), "1 value");
        assert_eq!(Plural(0, "value").to_string(), "0 values");
    }
}
