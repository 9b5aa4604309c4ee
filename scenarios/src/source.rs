//! The text of a scenario file, and where in it something stands.

use std::ops::Range;
use std::sync::Arc;

/// A range of bytes of the file.
pub(crate) type Span = Range<usize>;

/// A place in a file as people count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// A named text.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The file as the user named it.
    pub(crate) name: String,
    /// All of it.
    pub(crate) text: Arc<str>,
}

impl Source {
    pub(crate) fn new(name: impl Into<String>, text: &str) -> Self {
        Self { name: name.into(), text: Arc::from(text) }
    }

    /// The position of a byte offset; beyond the end it is the end.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Position { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }

    /// Where `part` of the string value `decoded` stands in the file; `string` is the span of the literal, quotes
    /// included. If the literal cannot be followed (it came from a preset), that is the whole literal.
    pub(crate) fn inside(&self, string: &Span, decoded: &str, part: Span) -> Span {
        let Some(map) = self.text.get(string.clone()).and_then(|literal| literal_map(literal, decoded)) else {
            return string.clone();
        };
        let place = |at: usize| string.start + map[at.min(map.len() - 1)];
        place(part.start)..place(part.end).max(place(part.start))
    }
}

/// For each byte of `decoded`, and its end, the offset in `literal` it came from.
fn literal_map(literal: &str, decoded: &str) -> Option<Vec<usize>> {
    let quote = *literal.as_bytes().first()?;
    if quote != b'"' && quote != b'\'' {
        return None;
    }
    let triple = literal.len() >= 6 && literal.as_bytes()[..3] == [quote; 3];
    let mut at = if triple { 3 } else { 1 };
    let end = literal.len().checked_sub(at)?;
    if triple {
        let body = &literal[at..];
        at += if body.starts_with("\r\n") { 2 } else { usize::from(body.starts_with('\n')) };
    }
    let mut map = Vec::with_capacity(decoded.len() + 1);
    for character in decoded.chars() {
        let written = literal.get(at..end)?;
        let length = match written.strip_prefix('\\').filter(|_| quote == b'"') {
            Some(escape) => 1 + escape_length(escape)?,
            None if written.starts_with(character) => character.len_utf8(),
            None => return None,
        };
        map.extend(std::iter::repeat_n(at, character.len_utf8()));
        at += length;
    }
    map.push(at);
    Some(map)
}

/// The length of an escape sequence after its backslash; `None` for one that stands for no character.
fn escape_length(escape: &str) -> Option<usize> {
    match escape.as_bytes().first()? {
        b'x' => Some(3),
        b'u' => Some(5),
        b'U' => Some(9),
        b'b' | b't' | b'n' | b'f' | b'r' | b'e' | b'"' | b'\\' => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
