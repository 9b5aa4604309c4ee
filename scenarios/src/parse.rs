//! From a file to a [`Scenario`].

use crate::error::{Code, Problems, ScenarioError};
use crate::file::ScenarioFile;
use crate::shape::{Shape, nested};
use crate::source::Source;
use crate::{Scenario, resolve, tree};
use std::io::Read;
use std::path::Path;

/// The largest file, in bytes.
pub const LARGEST_FILE: usize = 1 << 20;

impl Scenario {
    /// Reads and checks a file. Messages and reports name it as the user did; of an absolute path, what lies beneath the
    /// working directory, or else the file's name.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, with places.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ScenarioError> {
        let path = path.as_ref();
        let name = shown_name(path);
        let mut bytes = Vec::new();
        let limit = LARGEST_FILE as u64 + 1;
        let read = std::fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes));
        if let Err(error) = read {
            let message = format!("cannot read the file: {error}");
            return Err(ScenarioError::without_place(&name, vec![(Code::Unreadable, message, None)]));
        }
        Self::parse_bytes(&bytes, &name)
    }

    /// As [`Scenario::parse`], of bytes that may not be UTF-8.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, with places.
    pub fn parse_bytes(bytes: &[u8], file_name: &str) -> Result<Self, ScenarioError> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::parse(text, file_name),
            Err(error) => {
                let line = bytes[..error.valid_up_to()].split(|byte| *byte == b'\n').count();
                let message = format!("the file is not UTF-8: line {line} has another encoding");
                let help = Some("save it as UTF-8".to_owned());
                Err(ScenarioError::without_place(file_name, vec![(Code::Unreadable, message, help)]))
            }
        }
    }

    /// Reads and checks a text; `file_name` is what messages and reports call it.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, with places.
    pub fn parse(text: &str, file_name: &str) -> Result<Self, ScenarioError> {
        if text.len() > LARGEST_FILE {
            let message = format!("the file has more than {LARGEST_FILE} bytes");
            return Err(ScenarioError::without_place(file_name, vec![(Code::Unreadable, message, None)]));
        }
        let mut problems = Problems::new(Source::new(file_name, text));
        let scenario = read(&mut problems);
        problems.finish(scenario)
    }
}

/// The path without an absolute prefix, which would differ from machine to machine.
fn shown_name(path: &Path) -> String {
    if path.is_relative() {
        return path.display().to_string();
    }
    let beneath =
        std::env::current_dir().ok().and_then(|directory| path.strip_prefix(directory).ok().map(Path::to_owned));
    let name = || path.file_name().map_or_else(|| path.to_owned(), Into::into);
    beneath.filter(|beneath| !beneath.as_os_str().is_empty()).unwrap_or_else(name).display().to_string()
}

fn read(problems: &mut Problems) -> Option<Scenario> {
    let document = tree::parse_document(problems)?;
    let file = nested::<ScenarioFile>().decode(&document, "", problems)?;
    let about = file.about.as_ref().map(|about| about.value.clone()).or_else(|| leading_comment(&problems.source.text));
    resolve::scenario(file, about, problems)
}

/// The comment block at the top of a file, without its marks; `None` if there is none.
fn leading_comment(text: &str) -> Option<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().skip_while(|line| line.trim().is_empty());
    let comment = lines.map_while(|line| line.trim_start().strip_prefix('#')).map(str::trim);
    let joined = comment.collect::<Vec<_>>().join("\n").trim().to_owned();
    (!joined.is_empty()).then_some(joined)
}
