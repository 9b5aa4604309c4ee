//! Expectations: what must hold, parsed and resolved.
//!
//! `measure cmp bound [ scope ]`, for example `p95(latency) <= 250ms during spike[0s..500ms]`. The grammar is in
//! `docs/scenario-reference.md`.

pub(crate) mod syntax;

use crate::series::Series;
use std::time::Duration;

/// One resolved expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// Its name: the key in the file.
    pub name: String,
    /// As the file wrote it, blanks folded.
    pub text: String,
    /// What is measured.
    pub measure: Measure,
    /// How it is compared.
    pub comparison: Comparison,
    /// With what.
    pub bound: Bound,
    /// Over which part of the run.
    pub scope: Scope,
}

impl Expectation {
    /// Whether the file wrote the bound as a percentage: `>= 99%`. It is kept as a fraction.
    pub fn is_in_percent(&self) -> bool {
        // Nothing after the comparison but the bound can hold the sign.
        let after = self.text.rsplit(['<', '>', '=']).next().unwrap_or_default();
        matches!(self.measure, Measure::Ratio(..)) && after.contains('%')
    }
}

/// What an expectation measures.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// One statistic of a series over the scope.
    Statistic(Statistic, Selection),
    /// The smallest or largest number of events in any trailing window (t − per, t] that lies wholly in the scope.
    Extreme {
        /// Smallest or largest.
        extreme: Extreme,
        /// A counter.
        selection: Selection,
        /// The window's length; above zero.
        per: Duration,
    },
    /// One counter divided by another.
    Ratio(Selection, Selection),
    /// Time from the scope's start until every later window of length `per` satisfies the goal.
    Recovery {
        /// The statistic of each window.
        statistic: Statistic,
        /// Of what.
        selection: Selection,
        /// The window's length; windows tile the scope from its start.
        per: Duration,
        /// What counts as recovered.
        goal: Goal,
    },
}

/// A statistic of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// The q-quantile, 0 < q < 1: the smallest value with at least ⌈qn⌉ values equal or below.
    Quantile(f64),
    /// The smallest.
    Min,
    /// The mean; of a gauge, time-weighted.
    Mean,
    /// The largest.
    Max,
    /// A gauge's value at the scope's end.
    Last,
    /// How many.
    Count,
    /// Count divided by the scope's length in seconds.
    Rate,
}

/// Smallest or largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

/// A series, narrowed by labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The series.
    pub series: Series,
    /// Only this stream (index into the scenario's traffic); client series only.
    pub traffic: Option<usize>,
    /// Only this route, named as [`crate::Route::name`] or the bare path; client series only.
    pub route: Option<String>,
    /// Only this outcome; client series only.
    pub outcome: Option<Outcome>,
    /// Only requests that paid (`true`) or did not pay (`false`) a cold cost; client series only.
    pub cold: Option<bool>,
}

/// How a request ended, as its client sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Outcome {
    /// An expected status.
    Ok,
    /// 429.
    Rejected,
    /// 503.
    Shed,
    /// The client's own timeout.
    TimedOut,
    /// Any other status, or a transport error.
    Failed,
    /// Never sent, by policy.
    Dropped,
    /// Without an answer at the end of the run.
    Unfinished,
}

/// What counts as recovered.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// At most (1 + fraction) × the same statistic over the baseline scope.
    Within {
        /// 0.1 for `10%`.
        fraction: f64,
        /// The stage that gives the baseline.
        baseline: Scope,
    },
    /// At most this value.
    AtMost(Bound),
}

/// The comparison of measured value with bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<=`
    AtMost,
    /// `<`
    Below,
    /// `>=`
    AtLeast,
    /// `>`
    Above,
    /// `==`, integers only.
    Equal,
}

/// A bound with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// A plain number: counts, gauge levels, ratios (a percentage is divided by 100).
    Number(f64),
    /// A duration.
    Duration(Duration),
    /// Events per second.
    PerSecond(f64),
}

/// A part of the run: (from, to] after time zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// The stream whose stage it is; `None`: the whole run, all streams. With a stage, client series count this stream only.
    pub traffic: Option<usize>,
    /// The stage it came from (index into that stream's stages); `None`: the run.
    pub stage: Option<usize>,
    /// Exclusive start.
    pub from: Duration,
    /// Inclusive end; the run's end (stages and drain) is [`Duration::MAX`].
    pub to: Duration,
    /// Only the first so many requests offered in it; client series only.
    pub first: Option<u64>,
}

// === impl ===

impl Outcome {
    /// All outcomes, in the order of the accounting identity.
    pub const ALL: [Self; 7] =
        [Self::Ok, Self::Rejected, Self::Shed, Self::TimedOut, Self::Failed, Self::Dropped, Self::Unfinished];

    /// The name in labels and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Rejected => "rejected",
            Self::Shed => "shed",
            Self::TimedOut => "timed_out",
            Self::Failed => "failed",
            Self::Dropped => "dropped",
            Self::Unfinished => "unfinished",
        }
    }

    /// The counter of this outcome.
    pub const fn series(self) -> Series {
        match self {
            Self::Ok => Series::Ok,
            Self::Rejected => Series::Rejected,
            Self::Shed => Series::Shed,
            Self::TimedOut => Series::TimedOut,
            Self::Failed => Series::Failed,
            Self::Dropped => Series::Dropped,
            Self::Unfinished => Series::Unfinished,
        }
    }

    /// Whether its latency counts: ok, timed out and failed do; a fast refusal would flatter the quantiles.
    pub const fn has_latency(self) -> bool {
        matches!(self, Self::Ok | Self::TimedOut | Self::Failed)
    }
}

impl Comparison {
    /// The sign in files and reports.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::AtMost => "<=",
            Self::Below => "<",
            Self::AtLeast => ">=",
            Self::Above => ">",
            Self::Equal => "==",
        }
    }
}
