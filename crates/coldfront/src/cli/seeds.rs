//! A range of seeds on the command line.

use std::ops::RangeInclusive;
use std::str::FromStr;

/// At most so many runs by one flag.
const MOST: u64 = 10_000;

/// The seeds from the first to the last, both included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seeds(pub(super) RangeInclusive<u64>);

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = "two numbers with two dots between them, both included: 1..20";
        let (first, last) = text.split_once("..").ok_or(wanted)?;
        let number = |part: &str| part.parse::<u64>().map_err(|_| format!("`{part}` is no seed; {wanted}"));
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(format!("{first} is after {last}; {wanted}"));
        }
        if last - first >= MOST {
            return Err(format!("these are more than {MOST} seeds"));
        }
        Ok(Self(first..=last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_included() {
        assert_eq!("1..20".parse(), Ok(Seeds(1..=20)));
        assert_eq!("7..7".parse(), Ok(Seeds(7..=7)));
    }

    #[test]
    fn what_is_no_range_says_what_is_wanted() {
        for text in ["", "5", "1..", "..5", "a..b", "-1..3", "3..1", "1...3", "0..10000"] {
            let error = text.parse::<Seeds>().unwrap_err();
            assert!(error.contains("1..20") || error.contains("10000"), "{text}: {error}");
        }
    }
}
