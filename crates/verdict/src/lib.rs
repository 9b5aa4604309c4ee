//! What a run means: expectations × measurements → pass, fail or invalid, with a reason and a margin.
//!
//! [`judge`] is a pure function of a scenario and a recording. First it asks whether the run counts at all: was the load
//! delivered as planned, and does every request have exactly one outcome? Then it judges each expectation by what its
//! accumulators hold. A measurement that cannot tell is *invalid*, never a silent pass.
//!
//! Architecture invariant: nothing here measures, reads a clock or prints; a verdict can be made again from a stored recording.

mod bound;
mod distribution;
mod exit;
mod expectation;
mod recovery;
mod run;
mod words;

pub use exit::Exit;
pub use expectation::{ExpectationVerdict, Unit};
pub use run::{Stimulus, Verdict, judge};

use serde::{Deserialize, Serialize};

/// The three outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// It holds.
    Pass,
    /// It does not hold.
    Fail,
    /// It cannot be told.
    Invalid,
}

impl Judgement {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Invalid => "invalid",
        }
    }
}

#[cfg(test)]
mod tests;
