//! What the generator reports about one request.

use coldfront_clock::Instant;
use coldfront_scenarios::Outcome;
use std::time::Duration;

/// One arrival of a schedule: a request before anything happened to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its stream: index into the scenario's traffic.
    pub traffic: u16,
    /// Its stage: index into the stream's stages. The stage (start, end] holds `intended_at`.
    pub stage: u16,
    /// Its route: index into the stream's mix.
    pub route: u16,
    /// Its number within the stream, from 0, below 2^48. A shard of a schedule leaves gaps.
    pub sequence: u64,
    /// When it is due.
    pub intended_at: Instant,
}

/// How a request ended, reported once for each arrival offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Which one.
    pub arrival: Arrival,
    /// How it ended, as its client sees it.
    pub outcome: Outcome,
    /// The status of the last answer, if there was one.
    pub status: Option<u16>,
    /// When it ended: last byte, timeout, error, drop, or the end of the run.
    pub ended_at: Instant,
    /// Where its time went.
    pub parts: Parts,
    /// What it paid because something was cold.
    pub cold: ColdCosts,
    /// Whether its (last) attempt opened a client connection.
    pub new_connection: bool,
}

/// Where a request's time went, from its intended time on. A part that never happened is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Parts {
    /// Intended time to the moment the generator took the request up: its own delay. Waiting by policy is not part of it.
    pub lateness: Duration,
    /// Waiting for a client connection.
    pub connect: Option<Duration>,
    /// First byte sent to first byte received.
    pub first_byte: Option<Duration>,
    /// First byte received to last byte received.
    pub transfer: Option<Duration>,
}

/// What the target says was paid because a tier was cold (`Server-Timing`); zero is nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ColdCosts {
    /// At the gateway.
    pub gateway: Duration,
    /// At the catalog.
    pub catalog: Duration,
    /// At the cache.
    pub cache: Duration,
    /// At the database and its pool.
    pub db: Duration,
}

// === impl ===

impl Arrival {
    /// The request id on the wire and for draws: the stream in the upper 16 bits, the sequence below.
    pub const fn id(&self) -> u64 {
        ((self.traffic as u64) << 48) | (self.sequence & ((1 << 48) - 1))
    }
}

impl Parts {
    /// First byte sent to last byte received, if both happened.
    pub fn service(&self) -> Option<Duration> {
        Some(self.first_byte? + self.transfer?)
    }
}

impl ColdCosts {
    /// Whether nothing was paid.
    pub const fn is_zero(&self) -> bool {
        self.gateway.is_zero() && self.catalog.is_zero() && self.cache.is_zero() && self.db.is_zero()
    }

    /// All tiers together.
    pub fn total(&self) -> Duration {
        self.gateway + self.catalog + self.cache + self.db
    }
}
