//! What a `server-timing` header says was paid because something was cold.

use coldfront_measure::ColdCosts;
use std::time::Duration;

/// The longest cost that is believed; more is taken as this much.
const COST_MAX: Duration = Duration::from_secs(3600);

/// Adds the cold costs of one header value: `gateway;dur=1.2, db-cold;dur=30.05, …`, durations in milliseconds.
///
/// Entries with other names, without a duration or with a malformed one are passed over: the header is advice, and other
/// software writes it too.
pub(super) fn add_cold_costs(value: &[u8], costs: &mut ColdCosts) {
    for entry in split_unquoted(value, b',') {
        let mut parts = split_unquoted(entry, b';').map(<[u8]>::trim_ascii);
        let tier = match parts.next() {
            Some(b"gateway-cold") => &mut costs.gateway,
            Some(b"catalog-cold") => &mut costs.catalog,
            Some(b"cache-cold") => &mut costs.cache,
            Some(b"db-cold") => &mut costs.db,
            _ => continue,
        };
        if let Some(cost) = parts.find_map(duration_of) {
            *tier = tier.saturating_add(cost).min(COST_MAX);
        }
    }
}

/// The parts of `text` between separators that are not inside a quoted string.
fn split_unquoted(text: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |byte| {
        match *byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ => {}
        }
        !quoted && *byte == separator
    })
}

/// The duration of a parameter `dur=1.234567`, in milliseconds, cut to whole nanoseconds.
fn duration_of(parameter: &[u8]) -> Option<Duration> {
    let (name, value) = parameter.split_at_checked(4)?;
    if !name.eq_ignore_ascii_case(b"dur=") {
        return None;
    }
    let value = value.strip_prefix(b"\"").and_then(|inner| inner.strip_suffix(b"\"")).unwrap_or(value);
    let point = value.iter().position(|byte| *byte == b'.').unwrap_or(value.len());
    let (whole, fraction) = (&value[..point], value.get(point + 1..).unwrap_or_default());
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut nanos: u64 = 0;
    let millionths = fraction.iter().chain(std::iter::repeat(&b'0')).take(6);
    for digit in whole.iter().chain(millionths) {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 10)?;
        nanos = nanos.saturating_mul(10).saturating_add(u64::from(digit));
    }
    fraction.iter().all(u8::is_ascii_digit).then(|| Duration::from_nanos(nanos).min(COST_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn costs(value: &str) -> ColdCosts {
        let mut costs = ColdCosts::default();
        add_cold_costs(value.as_bytes(), &mut costs);
        costs
    }

    #[test]
    fn reads_the_cold_parts_to_the_nanosecond() {
        let read =
            costs("gateway;dur=1.2, catalog-cold;dur=0.000001,cache-cold;desc=\"a, b;dur=9\";dur=3, db-cold;dur=30.25");
        let nanos = Duration::from_nanos;
        let expected =
            ColdCosts { gateway: nanos(0), catalog: nanos(1), cache: nanos(3_000_000), db: nanos(30_250_000) };
        assert_eq!(read, expected);
    }

    #[test]
    fn passes_over_what_it_does_not_know() {
        for value in [
            "",
            ",",
            ";",
            "miss, db;dur=53",
            "db-cold",
            "db-cold;dur",
            "db-cold;dur=",
            "db-cold;dur=.",
            "db-cold;dur=-1",
            "db-cold;dur=1e3",
            "db-cold;dur=1.x",
            "db-colder;dur=1",
            "db-cold;dur=\"1",
            "\"db-cold;dur=1",
        ] {
            assert!(costs(value).is_zero(), "{value}");
        }
        assert_eq!(costs("db-cold;Dur=\"1.5\"").db, Duration::from_micros(1500));
        assert_eq!(costs("db-cold;dur=.5;dur=7").db, Duration::from_micros(500), "the first counts");
        assert_eq!(costs("db-cold;dur=99999999999999999999999999").db, COST_MAX);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_harm(value in prop::collection::vec(any::<u8>(), 0..200)) {
            add_cold_costs(&value, &mut ColdCosts::default());
        }

        #[test]
        fn what_is_written_is_read(nanos in 0_u64..1_000_000_000_000) {
            let text = format!("cache-cold;dur={}.{:06}", nanos / 1_000_000, nanos % 1_000_000);
            prop_assert_eq!(costs(&text).cache, Duration::from_nanos(nanos));
        }
    }
}
