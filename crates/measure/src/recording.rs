//! What a run left behind.

use crate::distribution::Distribution;
use crate::first_wave::FirstWaveRow;
use crate::not_ok::NotOk;
use crate::rows::Rows;
use coldfront_clock::Instant;
use coldfront_scenarios::{Outcome, Series};
use serde::{Deserialize, Serialize};
use std::time::Duration;

mod measurement;
mod merge;
#[cfg(test)]
mod tests;

pub use measurement::{Measurement, TrailingSummary, WindowValues};
pub use merge::MergeError;

/// Entries that the log of a run holds.
pub const MAX_EVENTS: usize = 4096;

/// Everything measured in one run: what verdict and reports read.
///
/// It serialises with serde; [`Recording::merge`] puts the recordings of one run together: the generator's and the
/// target's, or those of several generators.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    pub(crate) shape: u64,
    pub(crate) end_ns: u64,
    pub(crate) interrupted_ns: Option<u64>,
    pub(crate) streams: Vec<StreamRecord>,
    pub(crate) stages: Vec<StageRecord>,
    #[serde(with = "crate::encoding::by_series")]
    pub(crate) counters: Vec<u64>,
    #[serde(with = "crate::encoding::by_series")]
    pub(crate) gauges: Vec<Option<GaugeTotal>>,
    #[serde(with = "crate::encoding::by_series")]
    pub(crate) histograms: Vec<Option<Distribution>>,
    pub(crate) expectations: Vec<ExpectationRecord>,
    pub(crate) limiter: Option<LimiterPeak>,
    pub(crate) rows: Rows,
    pub(crate) first_wave: Vec<FirstWaveRow>,
    pub(crate) first_wave_budgets: Vec<usize>,
    pub(crate) events: Vec<LogEntry>,
    pub(crate) events_lost: u64,
    pub(crate) not_ok: Vec<NotOk>,
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
    /// Breaches of `offered = ok + rejected + shed + timed_out + failed + dropped + unfinished`: arrivals that never got an
    /// outcome, and outcomes told twice or without an arrival. Not 0: an error in this program.
    pub unaccounted: u64,
}

/// One stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamRecord {
    /// Its name.
    pub name: String,
    /// How well its schedule was kept, over all its stages.
    pub delivery: DeliveryRecord,
}

/// One stage of a stream. It covers (from, to].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageRecord {
    /// Its stream: index into [`Recording::streams`].
    pub traffic: usize,
    /// Its name.
    pub name: String,
    /// Start, in nanoseconds after time zero.
    pub from_ns: u64,
    /// End, in nanoseconds after time zero.
    pub to_ns: u64,
    /// Arrivals of the drawn schedule, if the generator told; `None`: as many as were offered.
    pub planned: Option<u64>,
    /// What became of its requests.
    pub counts: Counts,
    /// How well its schedule was kept.
    pub delivery: DeliveryRecord,
    /// Requests that were taken up more than [`LATE_NS`] late.
    pub late: u64,
    /// Intended time to end, over ok, timed-out and failed requests.
    pub latency: Distribution,
    /// Intended time to the moment the generator took the request up, over all requests.
    pub lateness: Distribution,
    /// Waiting for a client connection; over the requests of `latency`, as the two below.
    pub connect: Distribution,
    /// First byte sent to first byte received.
    pub first_byte: Distribution,
    /// First byte received to last.
    pub transfer: Distribution,
}

/// A live run is valid while 99 % of requests are taken up no later than this.
pub const LATE_NS: u64 = 5_000_000;

/// How far a generator fell behind, over arrivals that the in-flight policy let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DeliveryRecord {
    /// The largest number of arrivals due and not taken up, or never offered; of merged recordings an upper bound.
    pub backlog: u64,
    /// How many arrivals there are: N.
    pub arrivals: u64,
}

/// A gauge over the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GaugeTotal {
    /// Its largest level; of recordings that both reported it, the sum, an upper bound.
    pub max: u64,
    /// When it first had it, in nanoseconds after time zero.
    pub max_at_ns: u64,
    /// Its level at the end.
    pub last: u64,
}

/// The largest number of admissions in any trailing window of the limiter's own length, over the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimiterPeak {
    /// The window in nanoseconds: the limiter's `per`, or 1 s for a token bucket.
    pub per_ns: u64,
    /// What was found.
    pub admitted: TrailingSummary,
}

/// What an expectation's verdict is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectationRecord {
    /// Its name.
    pub name: String,
    /// Its measurement.
    pub measured: Measurement,
    /// A ratio's second counter, a recovery's baseline.
    pub second: Option<Measurement>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LogEntry {
    /// When, in nanoseconds after time zero.
    pub at_ns: u64,
    /// What.
    pub text: String,
}

// === impl ===

impl Recording {
    /// The run's end.
    pub const fn end(&self) -> Instant {
        Instant::from_nanos(self.end_ns)
    }

    /// When the run was interrupted, if it was.
    pub fn interrupted(&self) -> Option<Instant> {
        self.interrupted_ns.map(Instant::from_nanos)
    }

    /// The streams, in the scenario's order.
    pub fn streams(&self) -> &[StreamRecord] {
        &self.streams
    }

    /// All streams' stages, one stream after the other.
    pub fn stages(&self) -> &[StageRecord] {
        &self.stages
    }

    /// What became of all requests.
    pub fn totals(&self) -> Counts {
        let mut totals = Counts::default();
        self.stages.iter().for_each(|stage| totals.add(&stage.counts));
        totals
    }

    /// Intended time to end over the run: all stages together.
    pub fn latency(&self) -> Distribution {
        self.sum(|stage| &stage.latency)
    }

    /// The generator's own delay over the run: all stages together.
    pub fn lateness(&self) -> Distribution {
        self.sum(|stage| &stage.lateness)
    }

    fn sum(&self, of: impl Fn(&StageRecord) -> &Distribution) -> Distribution {
        let mut sum = Distribution::new(crate::distribution::Detail::Quantiles);
        self.stages.iter().for_each(|stage| sum.merge(of(stage)));
        sum
    }

    /// The total of a counter over the run; 0 for other kinds of series.
    pub fn count(&self, series: Series) -> u64 {
        match series {
            Series::Sessions => self.totals().offered,
            _ => self.totals().of(series).unwrap_or(self.counters[series.index()]),
        }
    }

    /// A gauge over the run; `None` if it was never reported.
    pub fn gauge(&self, series: Series) -> Option<GaugeTotal> {
        self.gauges[series.index()]
    }

    /// A target's histogram over the run; `None` without values. Requests' own are with their stages.
    pub fn histogram(&self, series: Series) -> Option<&Distribution> {
        self.histograms[series.index()].as_ref()
    }

    /// The expectations' measurements, in the scenario's order.
    pub fn expectations(&self) -> &[ExpectationRecord] {
        &self.expectations
    }

    /// The watch on the limiter; `None` without a limiter.
    pub const fn limiter_peak(&self) -> Option<&LimiterPeak> {
        self.limiter.as_ref()
    }

    /// The run in rows.
    pub const fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The first requests after each edge, by intended time; at most [`crate::FIRST_WAVE_ROWS`].
    pub fn first_wave(&self) -> &[FirstWaveRow] {
        &self.first_wave
    }

    /// What happened, by time; at most [`MAX_EVENTS`] entries.
    pub fn events(&self) -> &[LogEntry] {
        &self.events
    }

    /// How many entries did not fit into the log.
    pub const fn events_lost(&self) -> u64 {
        self.events_lost
    }

    /// Requests that were not ok, by stream, route, outcome and status; at most [`crate::MAX_NOT_OK`] rows.
    pub fn not_ok(&self) -> &[NotOk] {
        &self.not_ok
    }
}

impl Counts {
    /// The number of one outcome.
    pub const fn outcome(&self, outcome: Outcome) -> u64 {
        match outcome {
            Outcome::Ok => self.ok,
            Outcome::Rejected => self.rejected,
            Outcome::Shed => self.shed,
            Outcome::TimedOut => self.timed_out,
            Outcome::Failed => self.failed,
            Outcome::Dropped => self.dropped,
            Outcome::Unfinished => self.unfinished,
        }
    }

    pub(crate) fn outcome_mut(&mut self, outcome: Outcome) -> &mut u64 {
        match outcome {
            Outcome::Ok => &mut self.ok,
            Outcome::Rejected => &mut self.rejected,
            Outcome::Shed => &mut self.shed,
            Outcome::TimedOut => &mut self.timed_out,
            Outcome::Failed => &mut self.failed,
            Outcome::Dropped => &mut self.dropped,
            Outcome::Unfinished => &mut self.unfinished,
        }
    }

    /// The number that a series of requests counts; `None` for others.
    pub fn of(&self, series: Series) -> Option<u64> {
        let outcome = Outcome::ALL.into_iter().find(|outcome| outcome.series() == series);
        match series {
            Series::Offered => Some(self.offered),
            Series::Sent => Some(self.sent),
            Series::Good => Some(self.good),
            Series::Attempts => Some(self.attempts),
            _ => outcome.map(|outcome| self.outcome(outcome)),
        }
    }

    /// Requests with an outcome.
    pub fn resolved(&self) -> u64 {
        Outcome::ALL.iter().map(|outcome| self.outcome(*outcome)).sum()
    }
}

impl StageRecord {
    /// Its start after time zero.
    pub const fn from(&self) -> Duration {
        Duration::from_nanos(self.from_ns)
    }

    /// Its end after time zero.
    pub const fn to(&self) -> Duration {
        Duration::from_nanos(self.to_ns)
    }
}

impl DeliveryRecord {
    /// `sup |N_sent(t) − N_planned(t)| / N`; 0 without arrivals.
    pub fn error(&self) -> f64 {
        if self.arrivals == 0 { 0.0 } else { self.backlog as f64 / self.arrivals as f64 }
    }
}
