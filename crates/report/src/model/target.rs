//! What the embedded target counted, tier by tier.

use super::Quantiles;
use super::build::{quantiles, seconds};
use coldfront_clock::nanos_of;
use coldfront_measure::Recording;
use coldfront_scenarios::{Kind, MockSpec, Scenario, Series, Side};
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
    /// The gateway's limiter against its promise; `None` without one.
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
    /// The high-water mark.
    pub max: u64,
    /// When it was first reached, after time zero.
    pub max_at_s: f64,
    /// The level at the end.
    pub last: u64,
}

/// The limiter's promise and the largest number of admissions in any trailing window of its length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limiter {
    /// `sliding-window` and so on, as in the file.
    pub kind: &'static str,
    /// Admissions per window that the file allows; of a token bucket what its rate and burst let through in one second.
    pub limit: u64,
    /// The window's length; 1 s for a token bucket.
    pub per_s: f64,
    /// The rate at which a token bucket fills; `None` for the other kinds.
    pub rate_per_s: Option<f64>,
    /// The tokens that a bucket holds; `None` for the other kinds.
    pub burst: Option<u64>,
    /// The largest number of admissions in any (t − per, t].
    pub admitted_max: Option<u64>,
}

impl Target {
    /// What the recording holds of the embedded target; `None` for a target at a URL.
    pub(super) fn of(scenario: &Scenario, recording: &Recording) -> Option<Self> {
        let coldfront_scenarios::Target::Embedded(spec) = &scenario.target else { return None };
        let tier = |is_on: bool, name: &str| is_on.then(|| Tier::of(name, recording));
        Some(Self {
            gateway: tier(spec.gateway.is_some(), "gateway"),
            breaker: None,
            catalog: tier(spec.catalog.is_some(), "catalog"),
            cache: tier(spec.cache.is_some(), "cache"),
            db: tier(spec.db.is_some(), "db"),
            limiter: limiter(spec, recording),
        })
    }

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

/// The limiter's promise.
fn limiter(spec: &MockSpec, recording: &Recording) -> Option<Limiter> {
    use coldfront_scenarios::Limiter as Spec;
    let window = |kind, limit: u32, per| (kind, u64::from(limit), seconds(nanos_of(per)), None);
    let (kind, limit, per_s, bucket) = match spec.gateway.as_ref()?.limiter? {
        Spec::FixedWindow { limit, per } => window("fixed-window", limit, per),
        Spec::SlidingWindow { limit, per } => window("sliding-window", limit, per),
        Spec::SlidingWindowCounter { limit, per } => window("sliding-window-counter", limit, per),
        // A full bucket is emptied at once, and what a second brings after it.
        Spec::TokenBucket { rate, burst } => {
            ("token-bucket", u64::from(burst) + rate.floor() as u64, 1.0, Some((rate, u64::from(burst))))
        }
    };
    let most = recording.limiter_peak().and_then(|peak| peak.admitted.extremes).map(|extremes| extremes.max.high);
    let (rate_per_s, burst) = bucket.unzip();
    Some(Limiter { kind, limit, per_s, rate_per_s, burst, admitted_max: most })
}

impl Tier {
    /// Every series of the registry whose name starts with the tier's.
    fn of(name: &str, recording: &Recording) -> Self {
        let of_tier = Series::ALL.iter().filter(|series| series.side() == Side::Target);
        let mut tier = Self::default();
        for series in of_tier {
            let Some(short) = series.name().strip_prefix(name).and_then(|rest| rest.strip_prefix('.')) else {
                continue;
            };
            match series.kind() {
                Kind::Counter => {
                    tier.counters.insert(short, recording.count(*series));
                }
                Kind::Gauge => {
                    let gauge = |total: coldfront_measure::GaugeTotal| Gauge {
                        max: total.max,
                        max_at_s: seconds(total.max_at_ns),
                        last: total.last,
                    };
                    tier.gauges.extend(recording.gauge(*series).map(|total| (short, gauge(total))));
                }
                Kind::Histogram => {
                    let values = recording.histogram(*series).map(quantiles).unwrap_or_default();
                    tier.histograms_ms.insert(short, values);
                }
            }
        }
        tier
    }

    /// A counter's value; 0 if the tier has none of this name.
    pub fn counter(&self, name: &str) -> u64 {
        self.counters.get(name).copied().unwrap_or(0)
    }

    /// A gauge's high-water mark; 0 if there is none of this name.
    pub fn high_water(&self, name: &str) -> u64 {
        self.gauges.get(name).map_or(0, |gauge| gauge.max)
    }
}
