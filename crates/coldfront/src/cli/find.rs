//! From a word on the command line to a scenario: a file, or one that ships.

use super::failure::Failure;
use crate::{Scenario, catalog};
use std::path::{Path, PathBuf};

/// All scenarios, or all that is wrong with them.
pub(super) fn all(files: &[PathBuf]) -> Result<Vec<Scenario>, Failure> {
    every(files.iter().map(|file| one(file)))
}

/// All values, or all failures.
pub(super) fn every<T>(results: impl Iterator<Item = Result<T, Failure>>) -> Result<Vec<T>, Failure> {
    let mut values = Vec::new();
    let mut failures = Vec::new();
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(failure) => failures.push(failure),
        }
    }
    if failures.is_empty() { Ok(values) } else { Err(Failure::Several(failures)) }
}

/// The scenario in this file or, if there is no such file, the shipped one of this name.
pub(super) fn one(file: &Path) -> Result<Scenario, Failure> {
    if file.exists() {
        return Ok(Scenario::load(file)?);
    }
    let name = file.to_string_lossy();
    if catalog().iter().any(|shipped| shipped.name == name) {
        return Ok(Scenario::shipped(&name)?);
    }
    Err(Failure::usage(format!("there is no file {name}"), advice(&name)))
}

/// The shipped scenario that may be meant, or where to look.
fn advice(name: &str) -> String {
    let likeness = |candidate: &str| strsim::jaro_winkler(name, candidate);
    let nearest = catalog().iter().map(|shipped| shipped.name).max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match nearest {
        Some(shipped) if likeness(shipped) > 0.85 => format!("did you mean {shipped}, which comes with coldfront?"),
        _ => "`coldfront list` shows the scenarios that come with it".to_owned(),
    }
}
