//! `--out`: where results go, checked before the run and whole or not there at all.

mod place;

use super::failure::Failure;
use super::terminal::print_bytes;
use place::Place;
use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What a path may hold for what differs between runs.
const PLACEHOLDERS: [&str; 3] = ["{scenario}", "{seed}", "{repeat}"];

/// `--out json=PATH` as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    path: String,
}

/// Where one result goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    Stdout,
    File(PathBuf),
}

/// What the placeholders stand for in one run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names<'a> {
    pub(super) scenario: &'a str,
    pub(super) seed: u64,
    /// From 1.
    pub(super) repeat: u32,
}

/// The files that all runs together will write: each once.
#[derive(Debug, Default)]
pub(super) struct Claims {
    paths: BTreeSet<PathBuf>,
    places: Vec<Place>,
}

// === impl Template ===

impl Template {
    pub(super) fn parse(argument: &str) -> Result<Self, Failure> {
        let wanted = "json=PATH, or json=- for standard output";
        match argument.split_once('=') {
            Some(("json", "")) => Err(Failure::usage(format!("--out {argument} names no file"), wanted)),
            Some(("json", path)) => match unknown_placeholder(path) {
                None => Ok(Self { path: path.to_owned() }),
                Some(unknown) => {
                    let accepted = format!("PATH takes {}", PLACEHOLDERS.join(", "));
                    Err(Failure::usage(format!("--out {argument} has an unknown placeholder {unknown}"), accepted))
                }
            },
            Some((kind, _)) => Err(Failure::usage(format!("--out knows no format `{kind}`"), wanted)),
            None => Err(Failure::usage(format!("--out {argument} names no format"), wanted)),
        }
    }

    pub(super) fn fill(&self, names: Names<'_>) -> Destination {
        if self.path == "-" {
            return Destination::Stdout;
        }
        let filled = self.path.replace("{seed}", &names.seed.to_string());
        let filled = filled.replace("{repeat}", &names.repeat.to_string());
        Destination::File(filled.replace("{scenario}", &file_name(names.scenario)).into())
    }
}

/// The first part in braces that stands for nothing.
fn unknown_placeholder(path: &str) -> Option<&str> {
    let parts = path.match_indices('{').filter_map(|(start, _)| {
        let part = &path[start..];
        Some(&part[..=part.find('}')?])
    });
    parts.into_iter().find(|part| !PLACEHOLDERS.contains(part))
}

/// A name that is one part of a path on any system.
fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    name.chars().map(safe).collect()
}

// === impl Claims ===

impl Claims {
    /// Takes note of a file to be written. What is no file, as a device is not, takes the results of any number of runs.
    pub(super) fn claim(&mut self, destination: &Destination) -> Result<(), Failure> {
        let Destination::File(path) = destination else { return Ok(()) };
        let place = Place::at(path).map_err(|error| unwritable(path, &error))?;
        if let Place::File(file) = &place
            && !self.paths.insert(file.clone())
        {
            let message = format!("two runs would write {}", path.display());
            return Err(Failure::usage(message, "let the path differ with {scenario}, {seed} or {repeat}"));
        }
        self.places.push(place);
        Ok(())
    }

    /// Makes the folders that are missing, and tries whether everything can be written.
    pub(super) fn try_to_write(&self) -> Result<(), Failure> {
        self.places.iter().try_for_each(|place| place.try_to_write().map_err(|error| unwritable(place.path(), &error)))
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("cannot write {}: {error}", path.display()), "nothing was run; take another --out")
}

// === impl Destination ===

impl Destination {
    /// Writes the result. A file appears whole or not at all.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Stdout => print_bytes(bytes),
            Self::File(path) => Place::at(path)?.write(bytes),
        }
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdout => f.write_str("standard output"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const NAMES: Names<'_> = Names { scenario: "cold pool/0 → 500", seed: 7, repeat: 2 };

    fn file(text: &str) -> Destination {
        Destination::File(text.into())
    }

    #[test]
    fn placeholders_are_filled_and_names_stay_inside_the_folder() {
        let fill = |path: &str| Template::parse(&format!("json={path}")).unwrap().fill(NAMES);
        assert_eq!(fill("out/{scenario}-{seed}-{repeat}.json"), file("out/cold-pool-0---500-7-2.json"));
        assert_eq!(fill("-"), Destination::Stdout);
        assert_eq!(fill("a=b.json"), file("a=b.json"));
    }

    #[test]
    fn what_is_no_output_says_what_is_wanted() {
        for argument in ["", "json", "json=", "xml=a", "a.json", "json={nosuch}.json", "json={seed}/{}.json"] {
            assert!(matches!(Template::parse(argument), Err(Failure::Usage { .. })), "{argument}");
        }
    }

    #[test]
    fn two_runs_may_not_write_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = Destination::File(folder.path().join("a.json"));
        let mut claims = Claims::default();
        assert!(claims.claim(&path).is_ok());
        assert!(claims.claim(&path).is_err());
        assert!(claims.claim(&Destination::Stdout).is_ok() && claims.claim(&Destination::Stdout).is_ok());
    }

    #[test]
    fn an_unknown_placeholder_is_named_with_those_that_are_known() {
        let Err(Failure::Usage { message, help }) = Template::parse("json=a-{seed}-{nosuch}.json") else { panic!() };
        assert!(message.contains("{nosuch}"), "{message}");
        assert_eq!(help.as_deref(), Some("PATH takes {scenario}, {seed}, {repeat}"));
        assert!(Template::parse("json={scenario}-{seed}-{repeat}.json").is_ok());
    }

    #[test]
    fn a_claim_leaves_no_file_behind_and_makes_the_folders_that_are_missing() {
        let folder = tempfile::tempdir().unwrap();
        let mut claims = Claims::default();
        claims.claim(&Destination::File(folder.path().join("a.json"))).unwrap();
        claims.claim(&Destination::File(folder.path().join("new/er/a.json"))).unwrap();
        assert!(!folder.path().join("new").exists(), "nothing is made before everything is claimed");
        claims.try_to_write().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(fs::read_dir(folder.path().join("new/er")).unwrap().count(), 0);
        assert!(claims.claim(&Destination::File(folder.path().to_owned())).is_err());
    }
}
