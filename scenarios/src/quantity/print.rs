//! The shortest text that reads back as the same quantity.

use std::time::Duration;

/// A duration as a user would write it: `1m30s`, `1.5s`, `250ms`. [`super::parse_duration`] reads it back exactly.
pub fn duration_text(duration: Duration) -> String {
    const NANOS_PER_SECOND: u128 = 1_000_000_000;
    let nanos = duration.as_nanos();
    if nanos < NANOS_PER_SECOND {
        return match nanos {
            0 => "0s".to_owned(),
            1..1_000 => format!("{nanos}ns"),
            1_000..1_000_000 => fixed(nanos, 1_000, "us"),
            _ => fixed(nanos, 1_000_000, "ms"),
        };
    }
    let (minutes, rest) = (nanos / (60 * NANOS_PER_SECOND), nanos % (60 * NANOS_PER_SECOND));
    let hours = if minutes >= 60 { format!("{}h", minutes / 60) } else { String::new() };
    let minutes = if minutes.is_multiple_of(60) { String::new() } else { format!("{}m", minutes % 60) };
    let seconds = if rest > 0 { fixed(rest, NANOS_PER_SECOND, "s") } else { String::new() };
    hours + &minutes + &seconds
}

/// A rate in events per second: `500/s`, `0.5/s`.
pub fn rate_text(per_second: f64) -> String {
    format!("{per_second}/s")
}

fn fixed(nanos: u128, unit_nanos: u128, unit: &str) -> String {
    let (whole, rest) = (nanos / unit_nanos, nanos % unit_nanos);
    if rest == 0 {
        return format!("{whole}{unit}");
    }
    let digits = unit_nanos.ilog10() as usize;
    let fraction = format!("{rest:0digits$}");
    format!("{whole}.{}{unit}", fraction.trim_end_matches('0'))
}
