//! The resolved scenario: what a file means once parsed, defaulted and checked.
//!
//! Everything here is plain data. Illegal combinations cannot be built from a file; a caller who builds a value by hand
//! keeps the ranges stated at each field.

mod load;
mod target;

pub use load::*;
pub use target::*;

use crate::expectation::Expectation;
use std::time::Duration;

/// One scenario, ready to run in either mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its human name, from the file.
    pub name: String,
    /// The first comment block or `about` of the file, if any: one or more sentences.
    pub about: Option<String>,
    /// The file as the user named it, without an absolute prefix: for messages and reports.
    pub file: String,
    /// The seed of every draw. Default 1.
    pub seed: u64,
    /// The mode the file asks for; `None` leaves it to the flags, then to live.
    pub mode: Option<Mode>,
    /// The parallel load streams, in file order; at least one.
    pub traffic: Vec<Traffic>,
    /// What is aimed at.
    pub target: Target,
    /// Events on the timeline, by time, ties in file order.
    pub events: Vec<Event>,
    /// What must hold, in file order.
    pub expectations: Vec<Expectation>,
}

/// Which clock and wire a run uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Real HTTP over TCP, real time.
    Live,
    /// The same target in process, virtual time.
    Sim,
}

/// Something that happens to the embedded target at a moment of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When, after time zero.
    pub at: Duration,
    /// What.
    pub action: Action,
    /// As the file wrote it (`spike+1s`, `3s`), for reports.
    pub at_text: String,
}

/// What an event does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Empties the cache.
    FlushCache,
    /// Opens connections until the pool holds `to` (`None`: its maximum), without the readiness gate.
    WarmPool {
        /// The watermark, at most the pool's maximum.
        to: Option<u32>,
    },
    /// Puts keys `0..keys` into the cache at once (`None`: up to its capacity), as a warm-up job would have.
    WarmCache {
        /// How many keys.
        keys: Option<u64>,
    },
    /// Swaps in a newly constructed, cold target; requests under way finish on the old one.
    Cold,
    /// The database closes every connection: idle ones at once, those in use after their query.
    KillConnections,
    /// Multiplies every query time by `factor` for `lasting`.
    SlowDb {
        /// At least 1.
        factor: f64,
        /// How long; `None`: to the end of the run.
        lasting: Option<Duration>,
    },
}

impl Scenario {
    /// When the last stage of any stream ends, after time zero.
    pub fn stages_end(&self) -> Duration {
        self.traffic.iter().map(Traffic::end).max().unwrap_or_default()
    }

    /// The largest time the run waits for answers after the last stage: the largest timeout, 30 s where a stream has none.
    pub fn drain(&self) -> Duration {
        let of = |traffic: &Traffic| traffic.timeout.unwrap_or(Duration::from_secs(30));
        self.traffic.iter().map(of).max().unwrap_or_default()
    }
}

impl Mode {
    /// The name in files, flags and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Sim => "sim",
        }
    }
}

impl Action {
    /// The name in files and reports.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::FlushCache => "flush-cache",
            Self::WarmPool { .. } => "warm-pool",
            Self::WarmCache { .. } => "warm-cache",
            Self::Cold => "cold",
            Self::KillConnections => "kill-connections",
            Self::SlowDb { .. } => "slow-db",
        }
    }
}
