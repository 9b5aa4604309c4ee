//! Durations, rates and plain decimals as users write them: `1m30s`, `500/s`, `30/m`.
//!
//! A unit is always required. Everything is exact where it can be: a duration is summed in integer nanoseconds.

mod print;

pub use print::{duration_text, rate_text};

use std::time::Duration;

/// The longest duration that is accepted: 100 hours.
pub const LONGEST: Duration = Duration::from_secs(100 * 3600);
/// The highest rate that is accepted, in events per second: 10 million.
pub const FASTEST: f64 = 10_000_000.0;

/// Why a text is not a quantity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QuantityError {
    /// What is wrong, without a full stop.
    pub message: String,
    /// What to write instead.
    pub help: String,
    /// Whether the only thing wrong is the size.
    pub out_of_range: bool,
}

impl QuantityError {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into(), out_of_range: false }
    }

    fn out_of_range(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { out_of_range: true, ..Self::new(message, help) }
    }
}

/// The units of a duration, largest first, with their length in nanoseconds.
const UNITS: [(&str, u128); 7] = [
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("µs", 1_000),
    ("ns", 1),
];

/// Spellings that other tools accept, and ours.
const OTHER_UNITS: [(&str, &str); 17] = [
    ("sec", "s"),
    ("secs", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("S", "s"),
    ("min", "m"),
    ("mins", "m"),
    ("minute", "m"),
    ("minutes", "m"),
    ("M", "m"),
    ("hour", "h"),
    ("hours", "h"),
    ("H", "h"),
    ("msec", "ms"),
    ("millis", "ms"),
    ("μs", "us"),
    ("usec", "us"),
];

const DURATION_HELP: &str = "write a duration such as \"500ms\", \"2s\" or \"1m30s\" (units: h, m, s, ms, us, ns)";
const RATE_HELP: &str = "write a rate such as \"500/s\", \"30/m\" or \"0.5/s\" (per s, m or h)";

/// Reads a duration: one or more numbers with a unit, larger units first, up to [`LONGEST`].
pub fn parse_duration(text: &str) -> Result<Duration, QuantityError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(QuantityError::new("the duration is empty", DURATION_HELP));
    }
    if text.starts_with('-') {
        return Err(QuantityError::out_of_range("a duration cannot be negative", DURATION_HELP));
    }
    let mut rest = text;
    let mut total: u128 = 0;
    let mut previous = u128::MAX;
    while !rest.is_empty() {
        let (number, after) = take_decimal(rest).ok_or_else(|| not_a_duration(text))?;
        let length = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(length);
        if unit.is_empty() && !after.is_empty() {
            return Err(not_a_duration(text));
        }
        let nanos = unit_nanos(text, number.text, unit)?;
        if nanos >= previous {
            return Err(QuantityError::new(
                format!("`{}` has its units out of order", clip(text)),
                "write each unit once, the larger first, such as \"1m30s\"",
            ));
        }
        previous = nanos;
        total = total.saturating_add(number.times(nanos).ok_or_else(|| too_fine(text, &number))?);
        rest = after;
    }
    if total > LONGEST.as_nanos() {
        return Err(QuantityError::out_of_range(
            format!("`{}` is longer than 100 hours", clip(text)),
            "write a duration of at most \"100h\"",
        ));
    }
    Ok(Duration::from_nanos(u64::try_from(total).expect("100 hours are fewer than 2^64 nanoseconds")))
}

/// Reads a rate in events per second: a number, `/` and `s`, `m` or `h`; at most [`FASTEST`].
pub fn parse_rate(text: &str) -> Result<f64, QuantityError> {
    let text = text.trim();
    if text.starts_with('-') {
        return Err(QuantityError::out_of_range("a rate cannot be negative", RATE_HELP));
    }
    let Some((number, rest)) = take_decimal(text) else {
        return Err(QuantityError::new(format!("`{}` is not a rate", clip(text)), RATE_HELP));
    };
    let seconds = match rest.trim_start().strip_prefix('/').map(str::trim_start) {
        Some("s") => 1.0,
        Some("m") => 60.0,
        Some("h") => 3600.0,
        _ if rest.is_empty() => {
            return Err(QuantityError::new(
                format!("`{}` has no unit: a rate is a number per s, m or h", clip(text)),
                format!("write \"{}/s\" for so many per second", clip(number.text)),
            ));
        }
        _ => {
            return Err(QuantityError::new(
                format!("`{}` is not a rate: after the number comes /s, /m or /h", clip(text)),
                format!("write \"{}/s\" for so many per second", clip(number.text)),
            ));
        }
    };
    let rate = number.value() / seconds;
    if rate > FASTEST {
        return Err(QuantityError::out_of_range(
            format!("`{}` is above 10 million per second", clip(text)),
            "write a rate of at most \"10000000/s\"",
        ));
    }
    Ok(rate)
}

fn unit_nanos(whole: &str, number: &str, unit: &str) -> Result<u128, QuantityError> {
    if let Some((_, nanos)) = UNITS.iter().find(|(name, _)| *name == unit) {
        return Ok(*nanos);
    }
    let number = clip(number);
    if unit.is_empty() {
        return Err(QuantityError::new(
            format!("`{}` has no unit", clip(whole)),
            format!("write \"{number}s\" for seconds or \"{number}ms\" for milliseconds"),
        ));
    }
    let unit = unit.trim();
    let ours = UNITS.iter().map(|(name, _)| (*name, *name)).chain(OTHER_UNITS).find(|(name, _)| *name == unit);
    let (message, help) = match ours {
        _ if unit.is_empty() => (format!("`{}` has a blank in it", clip(whole)), DURATION_HELP.to_owned()),
        Some((name, ours)) if name == ours => {
            (format!("`{}` has a blank in it", clip(whole)), format!("write \"{number}{ours}\""))
        }
        Some((_, ours)) => (format!("`{unit}` is not a unit of time"), format!("write \"{number}{ours}\"")),
        None => (format!("`{}` is not a unit of time", clip(unit)), DURATION_HELP.to_owned()),
    };
    Err(QuantityError::new(message, help))
}

fn not_a_duration(text: &str) -> QuantityError {
    QuantityError::new(format!("`{}` is not a duration", clip(text)), DURATION_HELP)
}

fn too_fine(text: &str, number: &Decimal<'_>) -> QuantityError {
    if number.too_long {
        return QuantityError::out_of_range(format!("`{}` has too many digits", clip(text)), DURATION_HELP);
    }
    QuantityError::out_of_range(
        format!("`{}` is not a whole number of nanoseconds", clip(text)),
        "write a duration in whole nanoseconds",
    )
}

/// A text short enough for a message.
pub(crate) fn clip(text: &str) -> String {
    const SHOWN: usize = 60;
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    let head: String = text.chars().take(SHOWN).collect();
    format!("{head}…")
}

/// An unsigned decimal number with its text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Decimal<'a> {
    pub(crate) text: &'a str,
    /// Digits without the point; 0 if there are too many.
    mantissa: u128,
    /// Digits after the point.
    scale: u32,
    too_long: bool,
}

impl Decimal<'_> {
    /// The nearest floating-point number.
    pub(crate) fn value(&self) -> f64 {
        let plain: String = self.text.chars().filter(|c| *c != '_').collect();
        plain.parse().unwrap_or(f64::INFINITY)
    }

    /// `self × factor`, if that is a whole number that fits.
    pub(crate) fn times(&self, factor: u128) -> Option<u128> {
        if self.too_long {
            return None;
        }
        let product = self.mantissa.checked_mul(factor)?;
        let divisor = 10_u128.checked_pow(self.scale)?;
        product.is_multiple_of(divisor).then_some(product / divisor)
    }
}

/// Splits a decimal number off the front: digits with single `_` between them, and a point followed by digits.
pub(crate) fn take_decimal(text: &str) -> Option<(Decimal<'_>, &str)> {
    /// More digits than any accepted quantity needs.
    const LONGEST_NUMBER: usize = 24;
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    if !digit(0) {
        return None;
    }
    let mut end = 0;
    let mut point = None;
    while digit(end) || (end > 0 && digit(end - 1) && digit(end + 1) && is_joint(bytes[end], point)) {
        if bytes[end] == b'.' {
            point = Some(end);
        }
        end += 1;
    }
    let (number, rest) = text.split_at(end);
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    let scale = point.map_or(0, |at| number[at + 1..].bytes().filter(u8::is_ascii_digit).count());
    let too_long = digits.len() > LONGEST_NUMBER;
    let mantissa = if too_long { 0 } else { digits.parse().ok()? };
    Some((Decimal { text: number, mantissa, scale: u32::try_from(scale).ok()?, too_long }, rest))
}

fn is_joint(byte: u8, point: Option<usize>) -> bool {
    byte == b'_' || (byte == b'.' && point.is_none())
}

#[cfg(test)]
mod tests;
