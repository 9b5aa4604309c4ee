//! Why a run could not be carried out.

use coldfront_rt::sim::SimError;
use coldfront_scenarios::ScenarioError;
use std::io;

/// Why a run has no result. An expectation that does not hold is a result, not an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HarnessError {
    /// The scenario cannot be run in the chosen mode.
    #[error(transparent)]
    Mode(#[from] ScenarioError),
    /// The scenario asks for something that cannot be done.
    #[error("{0}")]
    Unsupported(String),
    /// The simulation ended before the scenario did: a defect of coldfront or of a strategy.
    #[error("the simulation ended early")]
    Sim(#[from] SimError),
    /// The embedded target could not listen on loopback.
    #[error("the embedded target cannot listen on 127.0.0.1")]
    Listen(#[source] io::Error),
    /// The external target's URL cannot be used.
    #[error("cannot reach the target at {url}: {reason}")]
    Unreachable {
        /// As the scenario or the flag gave it.
        url: String,
        /// What was tried and what came of it.
        reason: String,
    },
    /// The external target did not become ready, or could not be reset, before time zero.
    #[error("{0}")]
    Preparation(String),
    /// It was stopped before time zero: there is nothing to report on.
    #[error("interrupted before the load began")]
    Interrupted,
    /// A thread of the run panicked: a defect of coldfront.
    #[error("a thread of the run panicked: {0}")]
    Panicked(String),
}

impl HarnessError {
    /// Whether the scenario or the options ask for what cannot be done: the user mends it there.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Mode(_) | Self::Unsupported(_))
    }

    /// Whether the target was not there, or not as the scenario wants it: nothing was measured, and nothing says that
    /// coldfront or the scenario is wrong.
    pub fn is_environment(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Preparation(_))
    }
}
