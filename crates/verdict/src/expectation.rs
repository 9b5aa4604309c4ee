//! The verdict on one expectation.

use crate::bound::{holds, holds_between, margin, plain};
use crate::words::{distance, duration, number, share};
use crate::{Judgement, distribution, recovery};
use coldfront_measure::{Bounds, ExpectationRecord, LevelSummary, Measurement, Recording, TrailingSummary};
use coldfront_scenarios::expectation::{Comparison, Expectation, Extreme, Measure, Statistic};
use coldfront_scenarios::{Kind, Scenario, Scope};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What became of one expectation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectationVerdict {
    /// Its key in the file.
    pub name: String,
    /// As the file wrote it.
    pub text: String,
    /// Whether it holds.
    pub outcome: Judgement,
    /// What was found, in `unit`; `None`: nothing, or infinity (a run that never recovers, a ratio to 0).
    pub measured: Option<f64>,
    /// What it is compared with, in `unit`.
    pub bound: f64,
    /// The unit of both.
    pub unit: Unit,
    /// How much room is left to the bound, as a fraction of it: positive is room to spare, negative is beyond. `None` without a
    /// measured value, or if the bound is 0 and the value is not.
    pub margin: Option<f64>,
    /// Why, in one sentence.
    pub reason: String,
}

/// The unit of a measured value and its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A plain number: counts, levels, ratios.
    Number,
    /// Milliseconds.
    Milliseconds,
    /// Seconds.
    Seconds,
    /// Events per second.
    PerSecond,
}

/// A measurement that can be compared.
pub(crate) struct Finding {
    /// In the bound's base unit: nanoseconds, or the number itself.
    pub(crate) value: f64,
    /// Whether the comparison holds; `None`: only bounds are known and it depends.
    pub(crate) holds: Option<bool>,
    /// What was measured, as a noun: `p95 of latency`.
    pub(crate) what: String,
    /// The value in words, and more if that helps.
    pub(crate) detail: String,
}

/// Why nothing can be told.
pub(crate) type CannotTell = String;

/// The part of the run that an expectation looks at, in nanoseconds.
pub(crate) fn length_ns(scope: &Scope, recording: &Recording) -> u64 {
    let end = if scope.to == Duration::MAX { recording.end() } else { coldfront_clock::Instant::after_start(scope.to) };
    end.as_nanos().saturating_sub(coldfront_clock::nanos_of(scope.from))
}

// === impl ===

impl Unit {
    /// The sign in reports: nothing, `ms`, `s` or `/s`.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Number => "",
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
            Self::PerSecond => "/s",
        }
    }

    fn of(measure: &Measure) -> Self {
        match measure {
            Measure::Recovery { .. } => Self::Seconds,
            Measure::Statistic(Statistic::Rate, _) => Self::PerSecond,
            Measure::Statistic(Statistic::Count, _) => Self::Number,
            Measure::Statistic(_, selection) if selection.series.kind() == Kind::Histogram => Self::Milliseconds,
            Measure::Statistic(..) | Measure::Extreme { .. } | Measure::Ratio(..) => Self::Number,
        }
    }

    /// From the base unit.
    fn scaled(self, value: f64) -> f64 {
        match self {
            Self::Number | Self::PerSecond => value,
            Self::Milliseconds => value / 1e6,
            Self::Seconds => value / 1e9,
        }
    }

    pub(crate) fn words(self, value: f64) -> String {
        match self {
            Self::Number => number(value),
            Self::PerSecond => format!("{}/s", number(value)),
            Self::Milliseconds | Self::Seconds => duration(value),
        }
    }
}

/// Judges one expectation by its record.
pub(crate) fn judge_expectation(
    scenario: &Scenario,
    expectation: &Expectation,
    record: Option<&ExpectationRecord>,
    recording: &Recording,
) -> ExpectationVerdict {
    let bound = plain(expectation.bound);
    let unit = Unit::of(&expectation.measure);
    let bound_words = if expectation.is_in_percent() { share(bound) } else { unit.words(bound) };
    let wanted = wanted(expectation.comparison, &bound_words);
    let found = find(scenario, expectation, record, recording);
    let verdict = |outcome, value: Option<f64>, reason| ExpectationVerdict {
        name: expectation.name.clone(),
        text: expectation.text.clone(),
        outcome,
        measured: value.filter(|value| value.is_finite()).map(|value| unit.scaled(value)),
        bound: unit.scaled(bound),
        unit,
        margin: value.filter(|value| value.is_finite()).and_then(|value| margin(value, expectation.comparison, bound)),
        reason,
    };
    match found {
        Err(reason) => verdict(Judgement::Invalid, None, reason),
        Ok(Finding { value, holds: None, what, detail }) => {
            let reason = format!(
                "{what} is {detail} in merged recordings, which know it only between bounds that do not decide {wanted}"
            );
            verdict(Judgement::Invalid, Some(value), reason)
        }
        Ok(Finding { value, holds: Some(holds), what, detail }) => {
            let room = room(value, expectation.comparison, bound);
            let reason = format!("{what} is {detail}, {wanted} wanted{room}");
            verdict(if holds { Judgement::Pass } else { Judgement::Fail }, Some(value), reason)
        }
    }
}

fn wanted(comparison: Comparison, bound: &str) -> String {
    let words = match comparison {
        Comparison::AtMost => "at most",
        Comparison::Below => "less than",
        Comparison::AtLeast => "at least",
        Comparison::Above => "more than",
        Comparison::Equal => "exactly",
    };
    format!("{words} {bound}")
}

fn room(value: f64, comparison: Comparison, bound: f64) -> String {
    match margin(value, comparison, bound) {
        Some(margin) if value.is_finite() && margin > 0.0 => format!(": {} to spare", distance(margin)),
        Some(margin) if value.is_finite() && margin < 0.0 => format!(": off by {}", distance(-margin)),
        _ => String::new(),
    }
}

fn find(
    scenario: &Scenario,
    expectation: &Expectation,
    record: Option<&ExpectationRecord>,
    recording: &Recording,
) -> Result<Finding, CannotTell> {
    let record = record.filter(|record| record.name == expectation.name);
    let record = record.ok_or("the recording was made for another scenario")?;
    if let Some(at) = recording.interrupted() {
        reached(&expectation.scope, at)?;
    }
    for measured in std::iter::once(&record.measured).chain(&record.second) {
        if let Measurement::Unsupported { reason } = measured {
            return Err(format!("it cannot be measured: {reason}"));
        }
    }
    match &expectation.measure {
        Measure::Statistic(statistic, selection) => {
            let what = format!("{} of {}", statistic_name(*statistic), selection.series.name());
            statistic_of(expectation, *statistic, &record.measured, &what, recording)
        }
        Measure::Extreme { extreme, selection, per } => {
            let Measurement::Trailing(trailing) = &record.measured else { return Err(mismatch()) };
            let name = if *extreme == Extreme::Max { "largest" } else { "smallest" };
            let per_words = duration(per.as_nanos() as f64);
            let what = format!("the {name} number of {} in any {per_words}", selection.series.name());
            trailing_of(expectation, *extreme, trailing, *per, what, recording)
        }
        Measure::Ratio(over, under) => {
            let what = format!("{} / {}", over.series.name(), under.series.name());
            ratio(expectation, record, what)
        }
        Measure::Recovery { .. } => recovery::find(scenario, expectation, record, recording),
    }
}

pub(crate) fn mismatch() -> CannotTell {
    "the recording was made for another scenario".to_owned()
}

/// Whether a scope was over when the run was interrupted.
pub(crate) fn reached(scope: &Scope, interrupted: coldfront_clock::Instant) -> Result<(), CannotTell> {
    if scope.to > interrupted.since_start() {
        let at = duration(interrupted.as_nanos() as f64);
        return Err(format!("the run was interrupted at {at}, before the end of what it looks at"));
    }
    Ok(())
}

pub(crate) fn statistic_name(statistic: Statistic) -> String {
    match statistic {
        Statistic::Quantile(q) => format!("p{}", quantile_digits(q)),
        Statistic::Min => "min".to_owned(),
        Statistic::Mean => "mean".to_owned(),
        Statistic::Max => "max".to_owned(),
        Statistic::Last => "last level".to_owned(),
        Statistic::Count => "count".to_owned(),
        Statistic::Rate => "rate".to_owned(),
    }
}

/// 0.999 as `99.9`.
fn quantile_digits(q: f64) -> String {
    let text = format!("{:.8}", q * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn statistic_of(
    expectation: &Expectation,
    statistic: Statistic,
    measured: &Measurement,
    what: &str,
    recording: &Recording,
) -> Result<Finding, CannotTell> {
    let (comparison, bound) = (expectation.comparison, plain(expectation.bound));
    match measured {
        Measurement::Count { count } => {
            let (value, detail) = if statistic == Statistic::Rate {
                let rate = rate(*count, length_ns(&expectation.scope, recording))?;
                (rate, Unit::PerSecond.words(rate))
            } else {
                (*count as f64, number(*count as f64))
            };
            Ok(Finding { value, holds: Some(holds(value, comparison, bound)), what: what.to_owned(), detail })
        }
        Measurement::Distribution(split) => distribution::find(split, statistic, comparison, bound, what),
        Measurement::Level(level) => level_of(level, statistic, comparison, bound, what),
        _ => Err(mismatch()),
    }
}

/// Events per second.
pub(crate) fn rate(count: u64, length_ns: u64) -> Result<f64, CannotTell> {
    if length_ns == 0 {
        return Err("the run ended before what it looks at began".to_owned());
    }
    Ok(count as f64 / (length_ns as f64 / 1e9))
}

fn level_of(
    level: &LevelSummary,
    statistic: Statistic,
    comparison: Comparison,
    bound: f64,
    what: &str,
) -> Result<Finding, CannotTell> {
    let nothing = || "no level was reported in or before what it looks at".to_owned();
    let extremes = level.extremes.ok_or_else(nothing)?;
    let what = what.to_owned();
    match statistic {
        Statistic::Min => Ok(between(extremes.min, extremes.min.low, comparison, bound, what)),
        Statistic::Max => Ok(between(extremes.max, extremes.max.high, comparison, bound, what)),
        _ => {
            let value =
                if statistic == Statistic::Mean { level.mean().ok_or_else(nothing)? } else { level.last as f64 };
            Ok(Finding { value, holds: Some(holds(value, comparison, bound)), what, detail: number(value) })
        }
    }
}

fn between(value: Bounds, reported: u64, comparison: Comparison, bound: f64, what: String) -> Finding {
    let detail = if value.is_exact() {
        number(reported as f64)
    } else {
        format!("between {} and {}", number(value.low as f64), number(value.high as f64))
    };
    Finding { value: reported as f64, holds: holds_between(value, comparison, bound), what, detail }
}

fn trailing_of(
    expectation: &Expectation,
    extreme: Extreme,
    found: &TrailingSummary,
    per: Duration,
    what: String,
    recording: &Recording,
) -> Result<Finding, CannotTell> {
    if found.is_given_up {
        return Err(format!(
            "{what} needs more memory than a recording may take; a shorter window or a lower rate fits"
        ));
    }
    if found.disordered > 0 {
        let events = number(found.disordered as f64);
        return Err(format!("{what} cannot be told exactly: {events} came out of order"));
    }
    let Some(extremes) = found.extremes else {
        let (per, scope) = (per.as_nanos() as f64, length_ns(&expectation.scope, recording) as f64);
        return Err(format!("the window of {} is longer than its scope of {}", duration(per), duration(scope)));
    };
    let (value, reported) = match extreme {
        Extreme::Min => (extremes.min, extremes.min.low),
        Extreme::Max => (extremes.max, extremes.max.high),
    };
    Ok(between(value, reported, expectation.comparison, plain(expectation.bound), what))
}

fn ratio(expectation: &Expectation, record: &ExpectationRecord, what: String) -> Result<Finding, CannotTell> {
    let (Measurement::Count { count: over }, Some(Measurement::Count { count: under })) =
        (&record.measured, &record.second)
    else {
        return Err(mismatch());
    };
    if *over == 0 && *under == 0 {
        return Err(format!("{what} is 0 / 0"));
    }
    // Something to nothing is infinite, and compares like that.
    let value = *over as f64 / *under as f64;
    let words = if expectation.is_in_percent() { share } else { number };
    let counts = format!("{} / {}", number(*over as f64), number(*under as f64));
    let detail =
        if value.is_finite() { format!("{} ({counts})", words(value)) } else { format!("infinite ({counts})") };
    let holds = holds(value, expectation.comparison, plain(expectation.bound));
    Ok(Finding { value, holds: Some(holds), what, detail })
}
