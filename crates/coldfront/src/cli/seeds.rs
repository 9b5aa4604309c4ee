//! Seeds on the command line: one, a list, a range.

use std::collections::BTreeSet;
use std::str::FromStr;

/// At most so many runs by one flag.
const MOST: u64 = 10_000;

/// What is accepted.
const WANTED: &str = "seeds such as 7, 1,2,3 or 1..20 (both ends included)";

/// The seeds in the order in which they were written, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seeds(pub(super) Vec<u64>);

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut seeds = Vec::new();
        let mut known = BTreeSet::new();
        for part in text.split(',') {
            let (first, last) = ends(part)?;
            if last - first >= MOST || seeds.len() as u64 + (last - first) >= MOST {
                return Err(format!("these are more than {MOST} seeds"));
            }
            seeds.extend(first..=last);
            if let Some(twice) = (first..=last).find(|seed| !known.insert(*seed)) {
                return Err(format!("seed {twice} is there twice; --repeat runs one again"));
            }
        }
        Ok(Self(seeds))
    }
}

/// The ends of `1..20`, or of `7` on its own.
fn ends(part: &str) -> Result<(u64, u64), String> {
    let number = |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` is no seed; {WANTED}"));
    let (first, last) = part.split_once("..").unwrap_or((part, part));
    let (first, last) = (number(first)?, number(last)?);
    if first > last {
        return Err(format!("{first} is after {last}; {WANTED}"));
    }
    Ok((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds(text: &str) -> Vec<u64> {
        text.parse::<Seeds>().unwrap_or_else(|error| panic!("{text}: {error}")).0
    }

    #[test]
    fn both_ends_of_a_range_are_included() {
        assert_eq!(seeds("1..20"), (1..=20).collect::<Vec<u64>>());
        assert_eq!(seeds("7..7"), [7]);
    }

    #[test]
    fn one_seed_and_a_list_are_seeds_too() {
        assert_eq!(seeds("7"), [7]);
        assert_eq!(seeds("3,1,2"), [3, 1, 2]);
        assert_eq!(seeds("1..3,9"), [1, 2, 3, 9]);
        assert_eq!(seeds("0..9999").len(), 10_000);
    }

    #[test]
    fn what_is_no_range_says_what_is_wanted() {
        for text in ["", "x", "1..", "..5", "a..b", "-1..3", "3..1", "1...3", "1,", "0..10000", "0..9999,10000"] {
            let error = text.parse::<Seeds>().unwrap_err();
            assert!(error.contains("1..20") || error.contains("10000"), "{text}: {error}");
        }
        assert!("1,2,1".parse::<Seeds>().unwrap_err().contains("seed 1 is there twice"));
    }
}
