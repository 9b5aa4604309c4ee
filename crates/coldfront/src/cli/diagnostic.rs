//! Errors as text: file, line and column, the line itself, what is wrong under it, and what to write instead.
//!
//! ```text
//! error: unknown key `limt` [scenario::unknown-key]
//!  --> cold.toml:3:1
//!   |
//! 3 | limt = 400
//!   | ^^^^ the gateway has no such key
//!   = help: did you mean `limit`?
//! ```
//!
//! The layout is that of the compiler, which editors and CI systems already link to the place. Miette's own graphical
//! renderer would bring a text-shaping stack of some thirty crates for the same content.

use coldfront_report::Colour;
use miette::{Diagnostic, LabeledSpan, SourceCode};

/// Renders a diagnostic with its place in a file.
pub(super) fn render(diagnostic: &dyn Diagnostic, colour: Colour) -> String {
    let code = diagnostic.code().map(|code| format!(" [{code}]")).unwrap_or_default();
    let mut lines = vec![format!("{} {}{code}", error(colour), bold(&diagnostic.to_string(), colour))];
    let mut gutter = 1;
    if let Some(source) = diagnostic.source_code() {
        for place in diagnostic.labels().into_iter().flatten().filter_map(|label| Place::of(source, &label)) {
            gutter = place.line.to_string().len();
            lines.extend(place.render(gutter, colour));
        }
    }
    if let Some(help) = diagnostic.help() {
        let blanks = " ".repeat(gutter + 1);
        lines.push(format!("{blanks}= {} {help}", bold("help:", colour)));
    }
    lines.join("\n") + "\n"
}

/// Renders an error that has no place in a file.
pub(super) fn plain(message: &str, help: Option<&str>, colour: Colour) -> String {
    let help = help.map(|help| format!("  {} {help}\n", bold("help:", colour))).unwrap_or_default();
    format!("{} {message}\n{help}", error(colour))
}

/// A span of a file as people count it.
struct Place {
    file: String,
    /// From 1.
    line: usize,
    /// In characters, from 1.
    column: usize,
    /// The whole line.
    text: String,
    /// How many characters are meant, at least 1.
    width: usize,
    label: String,
}

impl Place {
    fn of(source: &dyn SourceCode, label: &LabeledSpan) -> Option<Self> {
        let (offset, len) = (label.offset(), label.len());
        // One line more on each side, because the contents begin in the middle of a line without it.
        let contents = source.read_span(label.inner(), 1, 1).ok()?;
        let data = std::str::from_utf8(contents.data()).ok()?;
        let at = offset.checked_sub(contents.span().offset())?;
        let start = data.get(..at)?.rfind('\n').map_or(0, |newline| newline + 1);
        let text = data[start..].lines().next().unwrap_or_default();
        let within = data[at..].chars().take(data.get(at..at + len)?.chars().count());
        Some(Self {
            file: contents.name().unwrap_or("input").to_owned(),
            line: contents.line() + data[..at].matches('\n').count() + 1,
            column: data[start..at].chars().count() + 1,
            width: within.take_while(|&c| c != '\n').count().max(1),
            text: one_column_each(text),
            label: label.label().unwrap_or_default().to_owned(),
        })
    }

    fn render(&self, gutter: usize, colour: Colour) -> Vec<String> {
        let blanks = " ".repeat(gutter);
        let before = " ".repeat(self.column - 1);
        let marks = mark(format!("{} {}", "^".repeat(self.width), self.label).trim_end(), colour);
        vec![
            format!("{blanks}{} {}:{}:{}", dim("-->", colour), self.file, self.line, self.column),
            format!("{blanks} {}", dim("|", colour)),
            format!("{} {} {}", self.line, dim("|", colour), self.text).trim_end().to_owned(),
            format!("{blanks} {} {before}{marks}", dim("|", colour)),
        ]
    }
}

/// The line with every character one column wide, so that the marks below it fit.
fn one_column_each(text: &str) -> String {
    let shown = |c: char| {
        if c == '\t' {
            ' '
        } else if c.is_control() {
            '\u{fffd}'
        } else {
            c
        }
    };
    text.chars().map(shown).collect()
}

fn error(colour: Colour) -> String {
    paint("1;31", "error:", colour)
}

fn mark(text: &str, colour: Colour) -> String {
    paint("1;31", text, colour)
}

fn bold(text: &str, colour: Colour) -> String {
    paint("1", text, colour)
}

fn dim(text: &str, colour: Colour) -> String {
    paint("1;34", text, colour)
}

fn paint(code: &str, text: &str, colour: Colour) -> String {
    match colour {
        Colour::Always => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        Colour::Never => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use miette::NamedSource;

    #[derive(Debug, thiserror::Error, Diagnostic)]
    #[error("unknown key `limt`")]
    #[diagnostic(code(scenario::unknown_key), help("did you mean `limit`?"))]
    struct Sample {
        #[source_code]
        file: NamedSource<String>,
        #[label("the gateway has no such key")]
        at: miette::SourceSpan,
    }

    fn rendered(source: &str, needle: &str) -> String {
        let at = source.find(needle).unwrap();
        let sample = Sample { file: NamedSource::new("cold.toml", source.to_owned()), at: (at, needle.len()).into() };
        render(&sample, Colour::Never)
    }

    #[test]
    fn the_line_and_the_column_are_those_of_the_file() {
        let expected = "\
error: unknown key `limt` [scenario::unknown_key]
  --> cold.toml:12:3
   |
12 |   limt = 400
   |   ^^^^ the gateway has no such key
   = help: did you mean `limit`?
";
        let source = format!("{}  limt = 400\nper = \"1s\"\n", "# é\n".repeat(11));
        assert_eq!(rendered(&source, "limt"), expected);
    }

    #[test]
    fn a_place_at_the_start_at_the_end_and_over_several_lines() {
        assert!(rendered("limt", "limt").contains(" --> cold.toml:1:1\n  |\n1 | limt\n  | ^^^^ "));
        assert!(rendered("a = 1\nb", "b").contains("--> cold.toml:2:1\n"));
        assert!(rendered("\n\n\nb", "b").contains("--> cold.toml:4:1\n"));
        let over = rendered("x = \"ab\ncd\"\n", "ab\ncd");
        assert!(over.contains("--> cold.toml:1:6\n") && over.contains("| x = \"ab\n  |      ^^ the"), "{over}");
    }

    #[test]
    fn characters_count_as_people_see_them() {
        let text = rendered("né\té = limt", "limt");
        assert!(text.contains(":1:8\n") && text.contains("1 | né é = limt\n  |        ^^^^"), "{text}");
        let text = rendered("\u{1b}[2J limt", "limt");
        assert!(text.contains("1 | \u{fffd}[2J limt\n  |      ^^^^") && !text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn colour_is_only_there_when_asked_for() {
        assert!(!plain("nothing", Some("try again"), Colour::Never).contains('\u{1b}'));
        assert!(plain("nothing", None, Colour::Always).starts_with("\u{1b}[1;31merror:\u{1b}[0m nothing"));
    }
}
