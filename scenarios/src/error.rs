//! What is wrong with a scenario, where, and what to write instead.

mod code;

pub use code::Code;

use crate::source::{Position, Source, Span};
use miette::{Diagnostic, LabeledSpan, NamedSource, Severity, SourceCode};
use std::fmt;
use std::sync::Arc;

/// At most so many problems are shown for one file; the rest is counted.
pub const MOST_PROBLEMS: usize = 20;

/// Everything that was found wrong with one scenario; at least one problem.
///
/// It is a [`Diagnostic`] whose related diagnostics are the problems; each [`Problem`] is a diagnostic by itself.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", self.headline())]
#[non_exhaustive]
pub struct ScenarioError {
    /// The file as the user named it.
    pub file: String,
    /// The problems by their place in the file, at most [`MOST_PROBLEMS`].
    pub problems: Vec<Problem>,
    /// How many more were found.
    pub more: usize,
}

/// One thing that is wrong.
#[derive(Clone, Debug)]
pub struct Problem {
    code: Code,
    message: String,
    help: Option<String>,
    labels: Vec<LabeledSpan>,
    file: String,
    position: Option<Position>,
    source: Option<NamedSource<Arc<str>>>,
}

// === impl ScenarioError ===

impl ScenarioError {
    /// A problem that has no place in a file: it cannot be read, or an override does not fit.
    pub(crate) fn without_place(file: &str, problems: Vec<(Code, String, Option<String>)>) -> Self {
        let problem = |(code, message, help)| Problem {
            code,
            message,
            help,
            labels: Vec::new(),
            file: file.to_owned(),
            position: None,
            source: None,
        };
        let mut problems: Vec<Problem> = problems.into_iter().map(problem).collect();
        let more = problems.len().saturating_sub(MOST_PROBLEMS);
        problems.truncate(MOST_PROBLEMS);
        Self { file: file.to_owned(), problems, more }
    }

    fn headline(&self) -> String {
        match self.problems.len() + self.more {
            1 => format!("{} has an error", self.file),
            count => format!("{} has {count} errors", self.file),
        }
    }

    /// All problems as plain text, a line or two each, without colours.
    pub fn plain(&self) -> String {
        let mut lines: Vec<String> = self.problems.iter().map(Problem::plain).collect();
        if self.more > 0 {
            lines.push(format!("and {} more", self.more));
        }
        lines.join("\n") + "\n"
    }
}

impl Diagnostic for ScenarioError {
    fn severity(&self) -> Option<Severity> {
        Some(Severity::Error)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (self.more > 0).then(|| Box::new(format!("{} more are not shown", self.more)) as Box<dyn fmt::Display>)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.problems.iter().map(|problem| problem as &dyn Diagnostic)))
    }
}

// === impl Problem ===

impl Problem {
    /// What kind of problem it is.
    pub fn code(&self) -> Code {
        self.code
    }

    /// What is wrong, a fragment without a full stop.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to write instead.
    pub fn help_text(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Where it stands; `None` if it has no place in a file.
    pub fn position(&self) -> Option<Position> {
        self.position
    }

    /// The line from 1, or 0 without a place.
    pub fn line(&self) -> usize {
        self.position.map_or(0, |position| position.line)
    }

    /// The column in characters from 1, or 0 without a place.
    pub fn column(&self) -> usize {
        self.position.map_or(0, |position| position.column)
    }

    /// `file:line:column: message [code]` and an indented help line.
    pub fn plain(&self) -> String {
        let place = match self.position {
            Some(position) => format!("{}:{}:{}", self.file, position.line, position.column),
            None => self.file.clone(),
        };
        let help = self.help.as_ref().map(|help| format!("\n  help: {help}")).unwrap_or_default();
        format!("{place}: {} [{}]{help}", self.message, self.code)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

impl Diagnostic for Problem {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code))
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity::Error)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty()).then(|| Box::new(self.labels.iter().cloned()) as Box<_>)
    }
}

// === collecting ===

/// A problem while it is being described.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    code: Code,
    span: Span,
    message: String,
    label: Option<String>,
    help: Option<String>,
    also: Vec<(Span, String)>,
}

impl Finding {
    pub(crate) fn new(code: Code, span: &Span, message: impl Into<String>) -> Self {
        Self { code, span: span.clone(), message: message.into(), label: None, help: None, also: Vec::new() }
    }

    /// The words under the place itself.
    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// What to write instead.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Another place that matters.
    pub(crate) fn also(mut self, span: &Span, label: impl Into<String>) -> Self {
        self.also.push((span.clone(), label.into()));
        self
    }
}

/// The problems of one file, as they are found.
#[derive(Debug)]
pub(crate) struct Problems {
    pub(crate) source: Source,
    findings: Vec<Finding>,
    more: usize,
}

impl Problems {
    pub(crate) fn new(source: Source) -> Self {
        Self { source, findings: Vec::new(), more: 0 }
    }

    /// Notes a problem; returns `None` so that a decoder can end with it.
    pub(crate) fn add<T>(&mut self, finding: Finding) -> Option<T> {
        /// Kept before sorting, so that the first of the file are shown.
        const KEPT: usize = 10 * MOST_PROBLEMS;
        if self.findings.len() < KEPT {
            self.findings.push(finding);
        } else {
            self.more += 1;
        }
        None
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// `value` if nothing was found wrong.
    pub(crate) fn finish<T>(mut self, value: Option<T>) -> Result<T, ScenarioError> {
        if let (Some(value), true) = (value, self.findings.is_empty()) {
            return Ok(value);
        }
        self.findings.sort_by_key(|finding| finding.span.start);
        let more = self.more + self.findings.len().saturating_sub(MOST_PROBLEMS);
        self.findings.truncate(MOST_PROBLEMS);
        let findings = std::mem::take(&mut self.findings);
        let problems = findings.into_iter().map(|finding| self.problem(finding)).collect();
        Err(ScenarioError { file: self.source.name, problems, more })
    }

    fn problem(&self, finding: Finding) -> Problem {
        let first = LabeledSpan::new_primary_with_span(finding.label, self.within(finding.span.clone()));
        let others =
            finding.also.into_iter().map(|(span, label)| LabeledSpan::new_with_span(Some(label), self.within(span)));
        Problem {
            code: finding.code,
            message: finding.message,
            help: finding.help,
            labels: std::iter::once(first).chain(others).collect(),
            file: self.source.name.clone(),
            position: Some(self.source.position(finding.span.start)),
            source: Some(NamedSource::new(&self.source.name, Arc::clone(&self.source.text)).with_language("TOML")),
        }
    }

    fn within(&self, span: Span) -> Span {
        let end = self.source.text.len();
        span.start.min(end)..span.end.clamp(span.start.min(end), end)
    }
}
