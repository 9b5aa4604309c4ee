//! The verdict on a run: does it count, and what do its expectations say together.

use crate::Judgement;
use crate::expectation::{ExpectationVerdict, judge_expectation};
use crate::words::{Plural, duration, number, percent};
use coldfront_measure::statistics::quantile_rank;
use coldfront_measure::{DeliveryRecord, LATE_NS, Recording};
use coldfront_scenarios::Scenario;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The quantile of lateness that decides whether the load was delivered.
const LATENESS_QUANTILE: f64 = 0.99;

/// What a run means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// All together: invalid if the run does not count; otherwise any fail beats invalid, and any invalid beats pass.
    pub outcome: Judgement,
    /// Whether the load was delivered as planned.
    pub stimulus: Stimulus,
    /// Whether the run was interrupted; it is invalid then.
    pub is_interrupted: bool,
    /// An error in this program, if one shows: requests without an outcome, or with two.
    pub internal_error: Option<String>,
    /// One per expectation, in the scenario's order. They stand by themselves, also when the run does not count.
    pub expectations: Vec<ExpectationVerdict>,
}

/// Whether the load was delivered as planned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stimulus {
    /// Whether the run counts.
    pub is_delivered: bool,
    /// Why not, one sentence each.
    pub reasons: Vec<String>,
    /// The largest `sup |N_sent(t) − N_planned(t)| / N` of the streams; `None` without arrivals.
    pub delivery_error: Option<f64>,
    /// The 99 % quantile of the generator's own delay, over all requests; `None` without requests.
    pub lateness_p99: Option<Duration>,
}

/// Judges a run. Pure: the same scenario and recording give the same verdict.
pub fn judge(scenario: &Scenario, recording: &Recording) -> Verdict {
    let judged =
        |(index, expectation)| judge_expectation(scenario, expectation, recording.expectations().get(index), recording);
    let expectations: Vec<_> = scenario.expectations.iter().enumerate().map(judged).collect();
    let stimulus = stimulus(recording);
    let internal_error = unaccounted(recording);
    let counts = stimulus.is_delivered && internal_error.is_none();
    let has = |outcome| expectations.iter().any(|one| one.outcome == outcome);
    let outcome = match counts {
        false => Judgement::Invalid,
        true if has(Judgement::Fail) => Judgement::Fail,
        true if has(Judgement::Invalid) => Judgement::Invalid,
        true => Judgement::Pass,
    };
    Verdict { outcome, stimulus, is_interrupted: recording.interrupted().is_some(), internal_error, expectations }
}

fn stimulus(recording: &Recording) -> Stimulus {
    let mut reasons = Vec::new();
    if let Some(at) = recording.interrupted() {
        // The rest of the plan was not sent for that reason, and says nothing of the generator.
        reasons.push(format!("the run was interrupted at {}", duration(at.as_nanos() as f64)));
    } else {
        let behind = recording.streams().iter().filter(|stream| is_undelivered(stream.delivery));
        reasons.extend(behind.map(|stream| undelivered(&stream.name, stream.delivery)));
        reasons.extend(unreached(recording));
    }
    reasons.extend(late(recording));
    let errors = recording.streams().iter().filter(|stream| stream.delivery.arrivals > 0);
    Stimulus {
        is_delivered: reasons.is_empty(),
        reasons,
        delivery_error: errors.map(|stream| stream.delivery.error()).reduce(f64::max),
        lateness_p99: recording.lateness().quantile(LATENESS_QUANTILE),
    }
}

/// Streams of which not one request was ever sent: whatever was measured then, nobody was pressed.
fn unreached(recording: &Recording) -> impl Iterator<Item = String> {
    recording.streams().iter().enumerate().filter_map(|(index, stream)| {
        let counts = recording.stages().iter().filter(|stage| stage.traffic == index).map(|stage| stage.counts);
        let (due, sent) = counts.fold((0, 0), |(due, sent), of| (due + of.offered - of.dropped, sent + of.sent));
        let reason = || format!("not one of {} of {} could be sent", Plural(due, "request"), stream.name);
        (due > 0 && sent == 0).then(reason)
    })
}

/// backlog / N > 0.05 + 2 / N, in whole numbers.
fn is_undelivered(delivery: DeliveryRecord) -> bool {
    u128::from(delivery.backlog) * 20 > u128::from(delivery.arrivals) + 40
}

fn undelivered(stream: &str, delivery: DeliveryRecord) -> String {
    let most = 0.05 + 2.0 / delivery.arrivals as f64;
    format!(
        "the load of {stream} was not delivered: at one moment {} of {} were due and not sent, {} (at most {})",
        Plural(delivery.backlog, "request"),
        number(delivery.arrivals as f64),
        percent(delivery.error()),
        percent(most),
    )
}

/// Whether more than 1 % of requests were taken up more than 5 ms late, counted exactly.
fn late(recording: &Recording) -> Option<String> {
    let requests = recording.totals().resolved();
    let late: u64 = recording.stages().iter().map(|stage| stage.late).sum();
    let is_late = requests.saturating_sub(late) < quantile_rank(LATENESS_QUANTILE, requests);
    let p99 = recording.lateness().quantile(LATENESS_QUANTILE).map_or(LATE_NS as f64, |p99| p99.as_nanos() as f64);
    is_late.then(|| {
        format!(
            "the generator was late: {} of {} were sent more than {} after their time (p99 of lateness {}, at most {})",
            number(late as f64),
            Plural(requests, "request"),
            duration(LATE_NS as f64),
            duration(p99),
            duration(LATE_NS as f64),
        )
    })
}

fn unaccounted(recording: &Recording) -> Option<String> {
    let totals = recording.totals();
    (totals.unaccounted > 0).then(|| {
        format!(
            "{} of {} offered have no outcome, or more than one: an error in this program",
            number(totals.unaccounted as f64),
            Plural(totals.offered, "request"),
        )
    })
}
