//! Quantities, read and printed.

use super::*;
use proptest::prelude::*;

fn nanos(text: &str) -> u64 {
    let duration = parse_duration(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    u64::try_from(duration.as_nanos()).unwrap()
}

#[test]
fn durations_are_exact_sums_of_their_units() {
    assert_eq!(nanos("500ms"), 500_000_000);
    assert_eq!(nanos("1m30s"), 90_000_000_000);
    assert_eq!(nanos("1h1m1s1ms1us1ns"), 3_661_001_001_001);
    assert_eq!(nanos("0.1s"), 100_000_000);
    assert_eq!(nanos("1.000000001s"), 1_000_000_001);
    assert_eq!(nanos("0.5m"), 30_000_000_000);
    assert_eq!(nanos("10_000us"), 10_000_000);
    assert_eq!(nanos("7µs"), 7_000);
    assert_eq!(nanos(" 2s "), 2_000_000_000);
    assert_eq!(nanos("0ms"), 0);
    assert_eq!(nanos("100h"), 360_000_000_000_000);
}

#[test]
fn other_durations_are_refused_for_their_reason() {
    for (text, reason) in [
        ("", "empty"),
        ("5", "no unit"),
        ("1m30", "no unit"),
        ("s", "not a duration"),
        (".5s", "not a duration"),
        ("1.s", "not a duration"),
        ("-1s", "negative"),
        ("+1s", "not a duration"),
        ("1s1m", "out of order"),
        ("1s1s", "out of order"),
        ("1us1µs", "out of order"),
        ("100h1ns", "longer than 100 hours"),
        ("99999999999999999999999999999h", "too many digits"),
        ("999999999999999999999999h", "longer than 100 hours"),
        ("0.0000000001s", "whole number of nanoseconds"),
        ("1d", "not a unit"),
        ("1_s", "not a unit"),
        ("1 s", "blank"),
        ("1 500ms", "blank"),
        ("∞", "not a duration"),
    ] {
        let error = parse_duration(text).expect_err(text);
        assert!(error.message.contains(reason), "{text}: {error}");
        assert!(!error.help.is_empty());
    }
}

#[test]
fn rates_are_per_second() {
    for (text, rate) in
        [("500/s", 500.0), ("30/m", 0.5), ("1800/h", 0.5), ("0/s", 0.0), ("0.25/s", 0.25), ("1_000 / s", 1_000.0)]
    {
        assert_eq!(parse_rate(text), Ok(rate), "{text}");
    }
    assert_eq!(parse_rate("10000000/s"), Ok(FASTEST));
}

#[test]
fn other_rates_are_refused_for_their_reason() {
    for (text, reason) in [
        ("", "not a rate"),
        ("500", "no unit"),
        ("500/d", "after the number"),
        ("500/1s", "after the number"),
        ("-1/s", "negative"),
        ("/s", "not a rate"),
        ("nan/s", "not a rate"),
        ("2k/s", "after the number"),
        ("10000000.1/s", "above 10 million"),
    ] {
        let error = parse_rate(text).expect_err(text);
        assert!(error.message.contains(reason), "{text}: {error}");
    }
    let digits = "9".repeat(400);
    assert!(parse_rate(&format!("{digits}/s")).expect_err("infinite").out_of_range);
}

#[test]
fn durations_print_as_people_write_them() {
    for text in [
        "0s",
        "1ns",
        "999ns",
        "1us",
        "1.5us",
        "250ms",
        "1.5s",
        "59.999s",
        "1m",
        "1m30s",
        "2m0.5s",
        "1h",
        "1h0.000000001s",
        "100h",
    ] {
        assert_eq!(duration_text(parse_duration(text).unwrap()), text);
    }
    assert_eq!(duration_text(Duration::from_millis(1_500)), "1.5s");
    assert_eq!((rate_text(500.0), rate_text(0.5)), ("500/s".to_owned(), "0.5/s".to_owned()));
}

proptest! {
    #[test]
    fn a_duration_reads_back(nanos in 0_u64..=360_000_000_000_000) {
        let duration = Duration::from_nanos(nanos);
        prop_assert_eq!(parse_duration(&duration_text(duration)), Ok(duration));
    }

    #[test]
    fn a_rate_reads_back(rate in 0.0..=FASTEST) {
        prop_assert_eq!(parse_rate(&rate_text(rate)), Ok(rate));
    }

    #[test]
    fn no_text_panics(text in ".{0,40}") {
        let _ = parse_duration(&text);
        let _ = parse_rate(&text);
    }

    #[test]
    fn no_text_of_quantity_characters_panics(text in "[0-9._hmsnuµ/ -]{0,40}") {
        let _ = parse_duration(&text);
        let _ = parse_rate(&text);
    }
}
