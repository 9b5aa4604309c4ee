//! How long until things are well again and stay so.
//!
//! Windows of one length tile the scope from its start; those wholly within it are asked for their statistic. A window without
//! data (no request to take a quantile of) says neither yes nor no. The recovery time is the time from the scope's start to the
//! start of the first window with data after the last one that does not hold; 0 if every window holds. If no window with data
//! follows, the run never recovered: longer than any bound.

use crate::bound::{holds, plain};
use crate::distribution;
use crate::expectation::{CannotTell, Finding, length_ns, mismatch, rate, reached, statistic_name};
use crate::words::{duration, number, percent};
use coldfront_measure::statistics::{least_count_for_quantile, supports_quantile};
use coldfront_measure::{ExpectationRecord, Measurement, Recording, WindowValues};
use coldfront_scenarios::expectation::{Comparison, Expectation, Goal, Measure, Selection, Statistic};
use coldfront_scenarios::{Kind, Scenario, Scope};

/// What a window's value is compared with, and that in words.
struct Threshold {
    value: f64,
    words: String,
}

pub(crate) fn find(
    scenario: &Scenario,
    expectation: &Expectation,
    record: &ExpectationRecord,
    recording: &Recording,
) -> Result<Finding, CannotTell> {
    let (Measure::Recovery { statistic, selection, goal, per }, Measurement::Windows(windows)) =
        (&expectation.measure, &record.measured)
    else {
        return Err(mismatch());
    };
    if windows.is_given_up {
        return Err("it needs more memory than a recording may take; longer windows or a shorter scope fit".to_owned());
    }
    if windows.values.is_empty() {
        let (per, scope) = (per.as_nanos() as f64, length_ns(&expectation.scope, recording) as f64);
        return Err(format!("the window of {} is longer than its scope of {}", duration(per), duration(scope)));
    }
    let asked = Asked { statistic: *statistic, selection, per_ns: windows.per_ns };
    let threshold = threshold(scenario, goal, &asked, record, recording)?;
    if windows.values.iter().all(Option::is_none) {
        return Err(format!("no window has a {} to look at", asked.what()));
    }
    let finding = recovered(windows, &asked, &threshold, expectation);
    // Values of merged recordings are upper bounds: they prove recovery, not the want of it.
    let is_proof = !windows.is_bound || finding.holds == Some(true);
    Ok(if is_proof { finding } else { Finding { holds: None, ..finding } })
}

/// What is asked of each window.
struct Asked<'a> {
    statistic: Statistic,
    selection: &'a Selection,
    per_ns: u64,
}

impl Asked<'_> {
    fn what(&self) -> String {
        format!("{} of {}", statistic_name(self.statistic), self.selection.series.name())
    }

    fn words(&self, value: f64) -> String {
        match (self.selection.series.kind(), self.statistic) {
            (_, Statistic::Rate) => format!("{}/s", number(value)),
            (Kind::Histogram, statistic) if statistic != Statistic::Count => duration(value),
            _ => number(value),
        }
    }

    /// A window's value: of a rate it is stored as a count.
    fn value(&self, stored: f64) -> f64 {
        if self.statistic == Statistic::Rate { stored / (self.per_ns as f64 / 1e9) } else { stored }
    }
}

fn threshold(
    scenario: &Scenario,
    goal: &Goal,
    asked: &Asked<'_>,
    record: &ExpectationRecord,
    recording: &Recording,
) -> Result<Threshold, CannotTell> {
    match goal {
        Goal::AtMost(bound) => {
            let value = plain(*bound);
            Ok(Threshold { value, words: asked.words(value) })
        }
        Goal::Within { fraction, baseline } => {
            let of = record.second.as_ref().ok_or_else(mismatch)?;
            let name = baseline_name(scenario, baseline);
            let told = baseline_value(of, asked, baseline, recording);
            let base = told.map_err(|reason| format!("the baseline {name} {reason}"))?;
            let value = base * (1.0 + fraction);
            let words = format!("{} ({} over {} in {name})", asked.words(value), percent(*fraction), asked.words(base));
            Ok(Threshold { value, words })
        }
    }
}

fn baseline_name(scenario: &Scenario, baseline: &Scope) -> String {
    let stage = baseline.traffic.zip(baseline.stage).and_then(|(traffic, stage)| {
        let stage = scenario.traffic.get(traffic)?.stages.get(stage)?;
        Some(stage.name.clone())
    });
    stage.unwrap_or_else(|| "run".to_owned())
}

/// The same statistic over the baseline; a count is scaled to the length of a window.
fn baseline_value(
    of: &Measurement,
    asked: &Asked<'_>,
    baseline: &Scope,
    recording: &Recording,
) -> Result<f64, CannotTell> {
    if let Some(at) = recording.interrupted() {
        reached(baseline, at).map_err(|_| "was not over when the run was interrupted".to_owned())?;
    }
    let nothing = || "holds no data".to_owned();
    match of {
        Measurement::Count { count: 0 } => Err(nothing()),
        Measurement::Count { count } => {
            let per_second = rate(*count, length_ns(baseline, recording)).map_err(|_| nothing())?;
            let is_rate = asked.statistic == Statistic::Rate;
            Ok(if is_rate { per_second } else { per_second * (asked.per_ns as f64 / 1e9) })
        }
        Measurement::Distribution(split) => {
            let count = split.distribution().count();
            if let Statistic::Quantile(q) = asked.statistic
                && count > 0
                && !supports_quantile(q, count)
            {
                return Err(format!("has {count} values, its quantile takes {}", least_count_for_quantile(q)));
            }
            let value = distribution::plain_statistic(split.distribution(), asked.statistic).ok_or_else(nothing)?;
            let length = length_ns(baseline, recording) as f64;
            let is_count = asked.statistic == Statistic::Count;
            Ok(if is_count { value * asked.per_ns as f64 / length } else { value })
        }
        Measurement::Level(level) => {
            let extremes = level.extremes.ok_or_else(nothing)?;
            Ok(match asked.statistic {
                Statistic::Min => extremes.min.low as f64,
                Statistic::Max => extremes.max.high as f64,
                Statistic::Mean => level.mean().ok_or_else(nothing)?,
                _ => level.last as f64,
            })
        }
        _ => Err(mismatch()),
    }
}

fn recovered(windows: &WindowValues, asked: &Asked<'_>, threshold: &Threshold, expectation: &Expectation) -> Finding {
    let with_data = windows.values.iter().enumerate().filter_map(|(at, stored)| Some((at, asked.value((*stored)?))));
    let mut last_bad = None;
    let mut recovered_at = Some(0);
    for (at, value) in with_data {
        if !holds(value, Comparison::AtMost, threshold.value) {
            last_bad = Some((at, value));
            recovered_at = None;
        } else if recovered_at.is_none() {
            recovered_at = Some(at);
        }
    }
    let value = recovered_at.map_or(f64::INFINITY, |at| (at as u64 * windows.per_ns) as f64);
    let what = format!("the recovery time of {} to {}", asked.what(), threshold.words);
    let bad = last_bad.map_or_else(String::new, |(at, value)| {
        let from = duration((at as u64 * windows.per_ns) as f64);
        format!("the last window above it begins {from} after the start with {}", asked.words(value))
    });
    let detail = match (recovered_at, last_bad) {
        (Some(_), None) => "0s: every window holds".to_owned(),
        (Some(_), Some(_)) => format!("{}: {bad}", duration(value)),
        (None, _) => format!("not within the run: {bad} and none with data follows that holds"),
    };
    let holds = holds(value, expectation.comparison, plain(expectation.bound));
    Finding { value, holds: Some(holds), what, detail }
}
