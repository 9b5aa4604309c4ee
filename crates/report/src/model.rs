//! The data model of a result, `schema: 1`: plain data, in the order in which it is written.
//!
//! Times are in the unit of the field's suffix (`_s` seconds, `_ms` milliseconds) and exact to the nanosecond. What does not
//! exist (the median of nothing, the cache of a target without one) is `None`, and `null` in JSON.

mod build;
mod judged;
mod target;

pub use build::Source;
pub use coldfront_verdict::Judgement;
pub use target::{Gauge, Limiter, Target, Tier};

use serde::Serialize;
use std::collections::BTreeMap;

/// The version of the shape. It changes only if a reader of the old shape would misread the new one; fields may be added.
pub const SCHEMA: u32 = 1;

/// The result of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The version of coldfront that made it.
    pub version: String,
    /// What was run.
    pub scenario: ScenarioInfo,
    /// What this mode could not do or did differently, one sentence each.
    pub mode_notes: Vec<String>,
    /// Whether the run was stopped before its end; everything below then covers the part that ran.
    pub interrupted: bool,
    /// The run's verdict.
    pub verdict: Judgement,
    /// A defect of coldfront, if one shows; the verdict is invalid then.
    pub internal_error: Option<String>,
    /// Whether the planned load was delivered.
    pub stimulus: Stimulus,
    /// One per expectation, in file order.
    pub expectations: Vec<Expectation>,
    /// Counts over the run, all streams.
    pub totals: Counts,
    /// One per stage, stream by stream.
    pub stages: Vec<Stage>,
    /// What happened on the timeline, by time.
    pub events: Vec<Event>,
    /// How many more happened than the log holds.
    pub events_lost: u64,
    /// The first requests after each rise of the rate from one stage to the next, and of the run; at most 1,000.
    pub first_wave: Vec<FirstRequest>,
    /// What the embedded target counted; `None` for a target at a URL.
    pub target: Option<Target>,
    /// The run in slices of time.
    pub windows: Vec<Window>,
    /// What the command that runs the same again takes. It is in no JSON: the path may be one of this machine.
    #[serde(skip)]
    pub again: Again,
}

/// What the command line was given to make this run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Again {
    /// The file or the shipped scenario as the user named it; in angle brackets if there was none.
    pub file: String,
    /// The service that the load was aimed at instead of the file's target.
    pub url: Option<String>,
    /// Whether commands were allowed.
    pub allow_commands: bool,
}

/// What was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScenarioInfo {
    /// The scenario's name.
    pub name: String,
    /// The file as the user named it; only its last part if that was an absolute path.
    pub file: String,
    /// The seed of every draw.
    pub seed: u64,
    /// `live` or `sim`.
    pub mode: &'static str,
}

/// Whether the planned load was delivered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stimulus {
    /// Whether the run counts.
    pub delivered: bool,
    /// Why not, one sentence each.
    pub reasons: Vec<String>,
    /// sup |sent(t) − planned(t)| / planned, over the arrivals that the in-flight policy let through; 0 is perfect.
    pub delivery_error: Option<f64>,
    /// The 99 % quantile of the generator's own delay.
    pub lateness_p99_ms: Option<f64>,
}

/// One judged expectation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Expectation {
    /// Its key in the file.
    pub name: String,
    /// As the file wrote it.
    pub text: String,
    /// Its verdict.
    pub verdict: Judgement,
    /// The value found, in `unit`.
    pub measured: Option<f64>,
    /// The value it is compared with, in `unit`.
    pub bound: f64,
    /// `ms`, `s`, `/s`, or empty for a plain number.
    pub unit: &'static str,
    /// How much room is left to the bound, as a fraction of it; below 0 beyond it.
    pub margin: Option<f64>,
    /// Why, in one sentence.
    pub reason: String,
    /// The part of the run that it looks at.
    pub scope: Scope,
    /// The series that it reads; two for a ratio.
    pub series: Vec<&'static str>,
    /// `<=`, `<`, `>=`, `>` or `==`.
    pub op: &'static str,
    /// Whether the file wrote the bound in percent, for people; in JSON it is the fraction.
    #[serde(skip)]
    pub in_percent: bool,
}

/// A part of the run: (from, to].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scope {
    /// The stream, if it is a stage of one.
    pub traffic: Option<String>,
    /// The stage, if it is one.
    pub stage: Option<String>,
    /// Exclusive start, after time zero.
    pub from_s: f64,
    /// Inclusive end; `None`: the run's end.
    pub to_s: Option<f64>,
    /// Only the first so many requests offered in it.
    pub first: Option<u64>,
}

/// Where the requests went. `offered` is the sum of `ok` and the six after `good`, with `unaccounted` 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
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
    /// The client's own timeout expired.
    pub timed_out: u64,
    /// Any other status, or a transport error.
    pub failed: u64,
    /// Never sent, by the in-flight policy.
    pub dropped: u64,
    /// Without an answer at the end.
    pub unfinished: u64,
    /// Arrivals without exactly one outcome: 0, or coldfront has a defect.
    pub unaccounted: u64,
}

/// One stage of one stream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stage {
    /// The stream.
    pub traffic: String,
    /// The stage.
    pub name: String,
    /// Exclusive start, after time zero.
    pub from_s: f64,
    /// Inclusive end.
    pub to_s: f64,
    /// Arrivals in the drawn schedule.
    pub planned: u64,
    /// Where they went.
    #[serde(flatten)]
    pub counts: Counts,
    /// |sent − planned| / planned at the stage's end, over the arrivals that the in-flight policy let through.
    pub delivery_error: Option<f64>,
    /// Intended time to last byte, over ok, timed-out and failed requests.
    pub latency_ms: Quantiles,
    /// The latency's parts.
    pub parts_ms: Parts,
    /// The latency histogram in nanoseconds: base64 of the HDR histogram's compressed V2 encoding.
    pub histogram: Option<String>,
}

/// The quantiles of a set of durations, by nearest rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Quantiles {
    /// How many values.
    pub count: u64,
    /// The median.
    pub p50: Option<f64>,
    /// 90 %.
    pub p90: Option<f64>,
    /// 95 %.
    pub p95: Option<f64>,
    /// 99 %.
    pub p99: Option<f64>,
    /// 99.9 %.
    pub p999: Option<f64>,
    /// The largest, exact.
    pub max: Option<f64>,
    /// The mean, exact.
    pub mean: Option<f64>,
}

/// What the latency is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Parts {
    /// Intended time to the moment the generator took the request up.
    pub lateness: Quantiles,
    /// Waiting for a client connection.
    pub connect: Quantiles,
    /// First byte sent to first byte received.
    pub first_byte: Quantiles,
    /// First byte received to last byte received.
    pub transfer: Quantiles,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// When, after time zero.
    pub at_s: f64,
    /// What.
    pub text: String,
}

/// One of the first requests after the edge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FirstRequest {
    /// The stream.
    pub traffic: String,
    /// The stage.
    pub stage: String,
    /// Its number within the stream, from 0.
    pub sequence: u64,
    /// Method and path.
    pub route: String,
    /// When the schedule placed it, after time zero.
    pub intended_s: f64,
    /// How it ended; `None`: nobody told, a defect of coldfront.
    pub outcome: Option<&'static str>,
    /// The status answered, if any.
    pub status: Option<u16>,
    /// Intended time to its end, whatever the outcome.
    pub elapsed_ms: f64,
    /// The generator's own delay.
    pub lateness_ms: f64,
    /// Waiting for a client connection.
    pub connect_ms: Option<f64>,
    /// First byte sent to first byte received.
    pub first_byte_ms: Option<f64>,
    /// First byte received to last byte received.
    pub transfer_ms: Option<f64>,
    /// Whether the client opened a connection for it.
    pub new_connection: bool,
    /// Whether it paid a cold cost.
    pub cold: bool,
    /// What it paid, by tier.
    pub cold_ms: ColdCosts,
}

/// Time that a request spent on something cold, by tier; 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ColdCosts {
    /// At the gateway.
    pub gateway: f64,
    /// In the catalog.
    pub catalog: f64,
    /// Filling the cache.
    pub cache: f64,
    /// Opening a database connection.
    pub db: f64,
}

/// A slice of the run: (from, to].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Window {
    /// Exclusive start, after time zero.
    pub from_s: f64,
    /// Inclusive end.
    pub to_s: f64,
    /// Arrivals intended in it.
    pub offered: u64,
    /// The ok among them.
    pub ok: u64,
    /// The rejected among them.
    pub rejected: u64,
    /// The shed among them.
    pub shed: u64,
    /// The timed-out among them.
    pub timed_out: u64,
    /// The failed among them.
    pub failed: u64,
    /// Median latency.
    pub p50_ms: Option<f64>,
    /// 95 % latency.
    pub p95_ms: Option<f64>,
    /// 99 % latency.
    pub p99_ms: Option<f64>,
    /// The largest latency.
    pub max_ms: Option<f64>,
    /// The high-water mark of each level in it, the level carried in included.
    pub levels_max: BTreeMap<&'static str, u64>,
}
