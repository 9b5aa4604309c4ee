//! What a run tells its reader: one data model, and the pure functions that turn it into bytes.
//!
//! [`Report`] is the whole result of one run as plain data. [`Report::json`] writes it for machines (documented field by
//! field in `docs/result-json.md`), [`Report::text`] for a person at a glance. Another format is another reader of
//! [`Report`], never another path from the measurements.
//!
//! Architecture invariant: no I/O, no clock, no host name, and no absolute path but the one that a user typed, in the text's
//! replay line. The same recording and verdict give the same bytes.

pub mod format;
pub mod model;
mod text;

#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

pub use model::Report;
pub use text::{COLUMNS, Colour, Overview, Width};

use serde::Serialize as _;

impl Report {
    /// The result as JSON, indented by two blanks, with a final newline.
    ///
    /// Fields come in the order of the data model, maps in the order of their keys, and floats as their shortest decimal:
    /// equal reports are equal bytes.
    pub fn json(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(b"  ");
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
        self.serialize(&mut serializer).expect("plain data with string keys, written to memory, cannot fail");
        bytes.push(b'\n');
        bytes
    }
}
