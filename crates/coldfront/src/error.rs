//! Why there is no judged run.

use coldfront_harness::HarnessError;
use coldfront_scenarios::ScenarioError;
use std::fmt;

/// Why there is no judged run.
///
/// Both [`Display`](fmt::Display) and [`Debug`](fmt::Debug) tell a scenario's problems one by one with file, line and
/// column, so that an `unwrap` in a test says what to mend.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The scenario is wrong.
    #[error("{}", .0.plain().trim_end())]
    Scenario(#[from] ScenarioError),
    /// No scenario of this name comes with coldfront.
    #[error("no scenario called {0} comes with coldfront")]
    NotShipped(String),
    /// The scenario could not be run.
    #[error(transparent)]
    Run(HarnessError),
}

impl From<HarnessError> for Error {
    fn from(error: HarnessError) -> Self {
        match error {
            HarnessError::Mode(error) => Self::Scenario(error),
            error => Self::Run(error),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
