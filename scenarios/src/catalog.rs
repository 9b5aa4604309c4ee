//! The scenarios that ship with the binary.

use crate::{Scenario, ScenarioError};
use std::sync::LazyLock;

/// Name and text of each file of `scenarios/catalog`. A new file is one more line here.
macro_rules! embedded {
    ($($name:literal,)*) => {
        &[ $( ($name, include_str!(concat!("../catalog/", $name, ".toml"))), )* ]
    };
}

const FILES: &[(&str, &str)] = embedded![
    "burst-0-500-0",
    "cache-single-flight",
    "cache-stampede",
    "cold-pool-spike",
    "fixed-window-boundary",
    "flash-crowd-50k",
    "prewarmed-pool-spike",
    "queue-buffering-spike",
    "sliding-window-spike",
];

/// One scenario that ships.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogEntry {
    /// Its name: that of the file, without `.toml`.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
    /// The first line of the comment at its top: one sentence.
    pub about: &'static str,
}

impl CatalogEntry {
    /// The scenario, under its name in the catalogue.
    ///
    /// # Errors
    ///
    /// None for the entries of [`catalog`], which are checked by a test.
    pub fn scenario(&self) -> Result<Scenario, ScenarioError> {
        Scenario::parse(self.text, &format!("{}.toml", self.name))
    }
}

/// Every scenario that ships, by name.
pub fn catalog() -> &'static [CatalogEntry] {
    static CATALOG: LazyLock<Vec<CatalogEntry>> = LazyLock::new(|| {
        let entry = |&(name, text): &(&'static str, &'static str)| {
            let first = text.lines().next().and_then(|line| line.strip_prefix('#'));
            CatalogEntry { name, text, about: first.unwrap_or_default().trim() }
        };
        FILES.iter().map(entry).collect()
    });
    &CATALOG
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file without its line would ship to nobody; a line out of order would list out of order.
    #[test]
    fn the_list_is_the_directory() {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/catalog");
        let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
        let files = entries.filter(|path| path.extension().is_some_and(|end| end == "toml"));
        let mut names: Vec<String> =
            files.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
        names.sort();
        let listed: Vec<&str> = catalog().iter().map(|entry| entry.name).collect();
        assert_eq!(listed, names);
    }

    #[test]
    fn every_entry_says_what_it_shows_and_is_sound() {
        for entry in catalog() {
            assert!(
                entry.about.ends_with(['.', ',', ':']),
                "{}: {:?} is a sentence or its start",
                entry.name,
                entry.about
            );
            let scenario = entry.scenario().unwrap_or_else(|error| panic!("{}", error.plain()));
            assert!(!scenario.expectations.is_empty(), "{} expects nothing", entry.name);
        }
    }
}
