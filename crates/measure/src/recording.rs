//! What a run left behind.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Everything measured in one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    pub(crate) end_ns: u64,
    pub(crate) counts: Vec<u64>,
    pub(crate) stages: Vec<Vec<Counts>>,
}

/// How many requests, by what became of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Arrivals that the schedule drew.
    pub offered: u64,
    /// Requests whose first byte was sent.
    pub sent: u64,
    /// Answered with an expected status.
    pub ok: u64,
    /// Ok within the deadline.
    pub good: u64,
    /// Answered 429.
    pub rejected: u64,
    /// Answered 503.
    pub shed: u64,
    /// The client's own timeout.
    pub timed_out: u64,
    /// Any other status, or a transport error.
    pub failed: u64,
    /// Never sent, by policy.
    pub dropped: u64,
    /// Without an answer at the end.
    pub unfinished: u64,
    /// Times on the wire, retries included.
    pub attempts: u64,
}

/// Why two recordings do not merge.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergeError {
    /// They were made for different scenarios.
    #[error("the recordings were made for different scenarios")]
    DifferentPlans,
}

impl Recording {
    /// Adds what `other` recorded.
    pub fn merge(&mut self, other: Self) -> Result<(), MergeError> {
        if self.stages.len() != other.stages.len() {
            return Err(MergeError::DifferentPlans);
        }
        self.end_ns = self.end_ns.max(other.end_ns);
        for (mine, theirs) in self.counts.iter_mut().zip(other.counts) {
            *mine += theirs;
        }
        for (mine, theirs) in self.stages.iter_mut().flatten().zip(other.stages.into_iter().flatten()) {
            mine.add(theirs);
        }
        Ok(())
    }

    /// The total of a counter over the run.
    pub fn count(&self, series: coldfront_scenarios::Series) -> u64 {
        self.counts[series.index()]
    }

    /// The counts of one stage.
    pub fn stage_counts(&self, traffic: usize, stage: usize) -> Counts {
        self.stages[traffic][stage]
    }
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.offered += other.offered;
        self.sent += other.sent;
        self.ok += other.ok;
        self.good += other.good;
        self.rejected += other.rejected;
        self.shed += other.shed;
        self.timed_out += other.timed_out;
        self.failed += other.failed;
        self.dropped += other.dropped;
        self.unfinished += other.unfinished;
        self.attempts += other.attempts;
    }
}
