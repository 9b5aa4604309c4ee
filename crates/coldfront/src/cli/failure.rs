//! Why a command ended without a verdict.

use super::diagnostic;
use crate::Error;
use coldfront_harness::HarnessError;
use coldfront_report::Colour;
use coldfront_scenarios::{Problem, ScenarioError};
use coldfront_verdict::Exit;

/// Why a command ended without a verdict.
#[derive(Debug)]
pub(super) enum Failure {
    /// The command line is wrong, or cannot be followed.
    Usage { message: String, help: Option<String> },
    /// A scenario is wrong.
    Scenario(ScenarioError),
    /// The run could not be made: its target was not there, or not as the scenario wants it.
    Unmade(String),
    /// It was interrupted before the load began.
    Interrupted(String),
    /// coldfront could not do its work.
    Internal(String),
    /// All of these.
    Several(Vec<Failure>),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Scenario(error) => Self::Scenario(error),
            Error::Run(error) if error.is_usage() => Self::Usage { message: with_causes(&error), help: None },
            Error::Run(error @ HarnessError::Interrupted) => Self::Interrupted(with_causes(&error)),
            Error::Run(error) if error.is_environment() => Self::Unmade(with_causes(&error)),
            Error::Run(error) => Self::Internal(with_causes(&error)),
            Error::NotShipped(_) => Self::usage(error.to_string(), "`coldfront list` shows those that do"),
        }
    }
}

impl Failure {
    pub(super) fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), help: Some(help.into()) }
    }

    pub(super) fn exit(&self) -> Exit {
        match self {
            Self::Usage { .. } | Self::Scenario(_) => Exit::Usage,
            Self::Unmade(_) => Exit::Invalid,
            Self::Interrupted(_) => Exit::Interrupted,
            Self::Internal(_) => Exit::Internal,
            Self::Several(failures) => failures.iter().map(Self::exit).max().unwrap_or_default(),
        }
    }

    /// As text for standard error, with a final newline.
    pub(super) fn render(&self, colour: Colour) -> String {
        match self {
            Self::Usage { message, help } => diagnostic::plain(message, help.as_deref(), colour),
            Self::Unmade(message) => diagnostic::plain(&format!("the run could not be made: {message}"), None, colour),
            Self::Interrupted(message) | Self::Internal(message) => diagnostic::plain(message, None, colour),
            Self::Scenario(error) => problems(error, colour).join("\n"),
            Self::Several(failures) => {
                failures.iter().map(|failure| failure.render(colour)).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

/// What is wrong with one scenario, one by one.
fn problems(error: &ScenarioError, colour: Colour) -> Vec<String> {
    let render = |problem: &Problem| match problem.position() {
        Some(_) => diagnostic::render(problem, colour),
        None => diagnostic::plain(&format!("{}: {problem}", error.file), problem.help_text(), colour),
    };
    let mut rendered: Vec<String> = error.problems.iter().map(render).collect();
    if error.more > 0 {
        rendered.push(format!("{}: {} more are not shown\n", error.file, error.more));
    }
    rendered
}

/// The error and what caused it, from the outside in.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.extend([": ", &error.to_string()]);
        cause = error.source();
    }
    text
}
