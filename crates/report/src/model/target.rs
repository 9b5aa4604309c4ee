//! What the embedded target counted, tier by tier.

use super::Quantiles;
use serde::Serialize;
use std::collections::BTreeMap;

/// What the embedded target counted. A tier that is switched off is `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Target {
    /// Limiter, queue, workers.
    pub gateway: Option<Tier>,
    /// The circuit breaker.
    pub breaker: Option<Tier>,
    /// The application.
    pub catalog: Option<Tier>,
    /// The cache.
    pub cache: Option<Tier>,
    /// The database and its pool.
    pub db: Option<Tier>,
    /// The gateway's limiter against its promise; `None` without one that promises a window.
    pub limiter: Option<Limiter>,
}

/// The series of one tier, named as in the registry without the tier's own prefix (`pool.size` of `db.pool.size`).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tier {
    /// Events over the whole run.
    pub counters: BTreeMap<&'static str, u64>,
    /// Levels.
    pub gauges: BTreeMap<&'static str, Gauge>,
    /// Durations.
    pub histograms_ms: BTreeMap<&'static str, Quantiles>,
}

/// A level over the run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Gauge {
    /// The lowest.
    pub min: Option<u64>,
    /// The high-water mark.
    pub max: Option<u64>,
    /// The time-weighted mean.
    pub mean: Option<f64>,
    /// The level at the end.
    pub last: Option<u64>,
}

/// The limiter's promise and the largest number of admissions in any trailing window of its length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limiter {
    /// `sliding-window` and so on, as in the file.
    pub kind: &'static str,
    /// Admissions per window that the file allows.
    pub limit: u64,
    /// The window's length.
    pub per_s: f64,
    /// The largest number of admissions in any (t − per, t].
    pub admitted_max: Option<u64>,
}

impl Target {
    /// The tiers that are on, with their names, from the outside in.
    pub fn tiers(&self) -> impl Iterator<Item = (&'static str, &Tier)> {
        [
            ("gateway", &self.gateway),
            ("breaker", &self.breaker),
            ("catalog", &self.catalog),
            ("cache", &self.cache),
            ("db", &self.db),
        ]
        .into_iter()
        .filter_map(|(name, tier)| Some((name, tier.as_ref()?)))
    }
}

impl Tier {
    /// A counter's value; 0 if the tier has none of this name.
    pub fn counter(&self, name: &str) -> u64 {
        self.counters.get(name).copied().unwrap_or(0)
    }

    /// A gauge's high-water mark; 0 if it never moved or there is none of this name.
    pub fn high_water(&self, name: &str) -> u64 {
        self.gauges.get(name).and_then(|gauge| gauge.max).unwrap_or(0)
    }
}
