//! Columns, wrapping and colour.

use super::COLUMNS;
use crate::model::Judgement;

/// Whether the text may carry ANSI colour codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Never,
    /// With codes, for a terminal.
    Always,
}

/// Puts colour on words, or not.
#[derive(Clone, Copy)]
pub(super) struct Paint {
    on: bool,
}

/// A table whose first column is left-aligned and whose other columns are right-aligned.
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

// === impl Paint ===

impl Paint {
    pub(super) fn new(colour: Colour) -> Self {
        Self { on: colour == Colour::Always }
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    /// In the colour of a verdict: green, red, or yellow for what cannot tell.
    pub(super) fn verdict(self, text: &str, verdict: Judgement, interrupted: bool) -> String {
        let code = match (interrupted, verdict) {
            (true, _) | (_, Judgement::Invalid) => "1;33",
            (_, Judgement::Pass) => "1;32",
            (_, Judgement::Fail) => "1;31",
        };
        self.wrap(code, text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.on { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

// === impl Table ===

impl Table {
    pub(super) fn new(head: &[&str]) -> Self {
        Self { rows: vec![head.iter().map(|&cell| cell.to_owned()).collect()] }
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The lines, indented by two, two blanks between columns; the head dimmed.
    pub(super) fn render(&self, paint: Paint) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|cell| width_of(cell)).max();
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
        let mut lines: Vec<String> = self.rows.iter().map(|row| aligned(row, &widths)).collect();
        if let Some(head) = lines.first_mut() {
            *head = paint.dim(head);
        }
        lines
    }
}

fn aligned(row: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
        let blanks = " ".repeat(width - width_of(cell));
        let parts = if column == 0 { ["  ", cell, &blanks] } else { ["  ", &blanks, cell] };
        line.extend(parts);
    }
    line.trim_end().to_owned()
}

/// The columns that `text` takes, one per character.
pub(super) fn width_of(text: &str) -> usize {
    text.chars().count()
}

/// A line `name  value`, the value wrapped beside its name.
pub(super) fn entry(name: &str, value: &str, paint: Paint) -> Vec<String> {
    const INDENT: usize = 14;
    let blanks = " ".repeat(INDENT.saturating_sub(width_of(name)).max(1));
    hang(&format!("{}{blanks}", paint.bold(name)), INDENT, wrap(value, COLUMNS - INDENT))
}

/// Puts `lead` before the first line and as many blanks as it is wide (`indent`) before the others.
pub(super) fn hang(lead: &str, indent: usize, lines: Vec<String>) -> Vec<String> {
    let blanks = " ".repeat(indent);
    let lead_of = |index| if index == 0 { lead } else { &blanks };
    lines
        .into_iter()
        .enumerate()
        .map(|(index, line)| format!("{}{line}", lead_of(index)).trim_end().to_owned())
        .collect()
}

/// Breaks `text` at blanks into lines of at most `width` columns; a longer word stays whole.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("it starts with one line");
        if line.is_empty() {
            line.push_str(word);
        } else if width_of(line) + 1 + width_of(word) <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}
