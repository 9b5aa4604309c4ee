//! The verdict, as the report tells it.

use super::build::{duration_ms, seconds};
use super::{Expectation, Scope, Stimulus};
use coldfront_clock::nanos_of;
use coldfront_scenarios::expectation::Measure;
use coldfront_scenarios::{Scenario, Series};
use coldfront_verdict::{ExpectationVerdict, Verdict};
use std::time::Duration;

pub(super) fn stimulus(verdict: &Verdict) -> Stimulus {
    let found = &verdict.stimulus;
    Stimulus {
        delivered: found.is_delivered,
        reasons: found.reasons.clone(),
        delivery_error: found.delivery_error,
        lateness_p99_ms: found.lateness_p99.map(duration_ms),
    }
}

pub(super) fn expectations(scenario: &Scenario, verdict: &Verdict) -> Vec<Expectation> {
    let pairs = scenario.expectations.iter().zip(&verdict.expectations);
    pairs.map(|(meant, judged)| expectation(scenario, meant, judged)).collect()
}

fn expectation(
    scenario: &Scenario,
    meant: &coldfront_scenarios::Expectation,
    judged: &ExpectationVerdict,
) -> Expectation {
    Expectation {
        name: judged.name.clone(),
        text: judged.text.clone(),
        verdict: judged.outcome,
        measured: judged.measured,
        bound: judged.bound,
        unit: judged.unit.sign(),
        margin: judged.margin,
        reason: judged.reason.clone(),
        scope: scope(scenario, &meant.scope),
        series: series(&meant.measure).into_iter().map(Series::name).collect(),
        op: meant.comparison.sign(),
        in_percent: meant.is_in_percent(),
    }
}

fn scope(scenario: &Scenario, scope: &coldfront_scenarios::Scope) -> Scope {
    let traffic = scope.traffic.and_then(|index| scenario.traffic.get(index));
    let stage = traffic.zip(scope.stage).and_then(|(traffic, index)| traffic.stages.get(index));
    Scope {
        traffic: traffic.map(|traffic| traffic.name.clone()),
        stage: stage.map(|stage| stage.name.clone()),
        from_s: seconds(nanos_of(scope.from)),
        to_s: (scope.to != Duration::MAX).then(|| seconds(nanos_of(scope.to))),
        first: scope.first,
    }
}

fn series(measure: &Measure) -> Vec<Series> {
    match measure {
        Measure::Ratio(over, under) => vec![over.series, under.series],
        Measure::Statistic(_, selection) | Measure::Extreme { selection, .. } | Measure::Recovery { selection, .. } => {
            vec![selection.series]
        }
    }
}
