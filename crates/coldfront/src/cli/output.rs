//! `--out`: where results go, checked before the run and whole or not there at all.

use super::failure::Failure;
use super::terminal::print_bytes;
use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;

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

/// The files that all runs together will write: each once, each in a folder that takes it.
#[derive(Debug, Default)]
pub(super) struct Claims {
    paths: BTreeSet<PathBuf>,
}

// === impl Template ===

impl Template {
    pub(super) fn parse(argument: &str) -> Result<Self, Failure> {
        let wanted = "json=PATH, or json=- for standard output";
        match argument.split_once('=') {
            Some(("json", "")) => Err(Failure::usage(format!("--out {argument} names no file"), wanted)),
            Some(("json", path)) => Ok(Self { path: path.to_owned() }),
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

/// A name that is one part of a path on any system.
fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    name.chars().map(safe).collect()
}

// === impl Claims ===

impl Claims {
    /// Takes note of a file to be written, and tries whether it can be.
    pub(super) fn claim(&mut self, destination: &Destination) -> Result<(), Failure> {
        let Destination::File(path) = destination else { return Ok(()) };
        if !self.paths.insert(path.clone()) {
            let message = format!("two runs would write {}", path.display());
            return Err(Failure::usage(message, "let the path differ with {scenario}, {seed} or {repeat}"));
        }
        try_to_write(path).map_err(|error| {
            let message = format!("cannot write {}: {error}", path.display());
            Failure::usage(message, "nothing was run; the folder must exist and be writable")
        })
    }
}

fn try_to_write(path: &Path) -> io::Result<()> {
    if path.is_dir() || path.file_name().is_none() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    Unfinished::beside(path).map(drop)
}

// === impl Destination ===

impl Destination {
    /// Writes the result. A file appears whole or not at all.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Stdout => print_bytes(bytes),
            Self::File(path) => {
                let mut unfinished = Unfinished::beside(path)?;
                unfinished.file.write_all(bytes)?;
                unfinished.rename_to(path)?;
            }
        }
        Ok(())
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

/// A file beside the one that is meant, removed unless it is renamed to it.
struct Unfinished {
    file: File,
    path: PathBuf,
}

impl Unfinished {
    fn beside(path: &Path) -> io::Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let unfinished = path.with_file_name(format!(".{name}.{}.unfinished", process::id()));
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(&unfinished)?;
        Ok(Self { file, path: unfinished })
    }

    fn rename_to(self, path: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.path, path)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // After a rename there is nothing of this name any more.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for argument in ["", "json", "json=", "xml=a", "a.json"] {
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
    fn a_claim_leaves_nothing_behind_and_a_missing_folder_is_found_before_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let mut claims = Claims::default();
        claims.claim(&Destination::File(folder.path().join("a.json"))).unwrap();
        assert!(claims.claim(&Destination::File(folder.path().join("none/a.json"))).is_err());
        assert!(claims.claim(&Destination::File(folder.path().to_owned())).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, "a longer old result").unwrap();
        Destination::File(path.clone()).write(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
