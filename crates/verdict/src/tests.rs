//! Each rule on recordings made for it.

use crate::{Exit, ExpectationVerdict, Judgement, Unit, Verdict, judge};
use coldfront_clock::Instant;
use coldfront_measure::{Arrival, ColdCosts, Parts, Plan, Recorder, Recording, Sample};
use coldfront_scenarios::{Outcome, Scenario, Series};
use std::sync::Arc;
use std::time::Duration;

mod expectations;
mod random;
mod recoveries;
mod runs;

/// One stream: `quiet` (0, 1 s], `spike` (1 s, 2 s], `after` (2 s, 3 s].
fn scenario(expectations: &str) -> Scenario {
    let text = format!(
        r#"
        name = "one stream"
        [[traffic]]
        name = "load"
        timeout = "1s"
        mix = [{{ get = "/catalog" }}]
        stage = [
          {{ name = "quiet", for = "1s", rate = "10/s" }},
          {{ name = "spike", for = "1s", rate = "100/s" }},
          {{ name = "after", for = "1s", rate = "10/s" }},
        ]
        [target.db]
        query = "1ms"
        pool = {{ kind = "deadpool", max = 2, connect = "1ms" }}
        [expect]
        {expectations}
        "#
    );
    Scenario::parse(&text, "test.toml").unwrap_or_else(|error| panic!("{error:?}"))
}

/// A scenario with one expectation, and a recorder for it.
struct Case {
    scenario: Scenario,
    recorder: Recorder,
    sequence: u64,
    /// Whether its requests can be sent at all.
    reaches: bool,
}

impl Case {
    fn new(expectation: &str) -> Self {
        Self::of(&format!("it = '{expectation}'"))
    }

    fn of(expectations: &str) -> Self {
        let scenario = scenario(expectations);
        let recorder = Recorder::new(Arc::new(Plan::compile(&scenario)));
        Self { scenario, recorder, sequence: 0, reaches: true }
    }

    /// A request due at `at` ms that ends after `latency`, taken up `lateness` late.
    fn request(&mut self, at: u64, outcome: Outcome, latency: Duration, lateness: Duration) {
        let stage = at.saturating_sub(1).min(2999) / 1000;
        let arrival =
            Arrival { traffic: 0, stage: stage as u16, route: 0, sequence: self.sequence, intended_at: ms(at) };
        self.sequence += 1;
        self.recorder.offered(&arrival);
        if self.reaches {
            self.recorder.sent(&arrival, arrival.intended_at + lateness);
        }
        self.recorder.outcome(&Sample {
            arrival,
            outcome,
            status: None,
            ended_at: arrival.intended_at + latency,
            parts: Parts { lateness, ..Parts::default() },
            cold: ColdCosts::default(),
            new_connection: false,
        });
    }

    fn ok(&mut self, at: u64, latency_ms: u64) {
        self.request(at, Outcome::Ok, millis(latency_ms), Duration::ZERO);
    }

    fn query(&self, value: Duration) {
        self.recorder.observe(Series::DbQuery, ms(10), value);
    }

    fn recording(self) -> (Scenario, Recording) {
        self.recording_until(4000)
    }

    fn recording_until(self, end: u64) -> (Scenario, Recording) {
        (self.scenario, self.recorder.finish(ms(end)))
    }

    fn judge(self) -> Verdict {
        let (scenario, recording) = self.recording();
        judge(&scenario, &recording)
    }

    /// The verdict on the one expectation of a run that counts.
    fn verdict(self) -> ExpectationVerdict {
        let verdict = self.judge();
        assert!(verdict.stimulus.is_delivered, "{:?}", verdict.stimulus.reasons);
        assert_eq!(verdict.outcome, verdict.expectations[0].outcome);
        verdict.expectations.into_iter().next().unwrap()
    }
}

fn ms(ms: u64) -> Instant {
    Instant::after_start(millis(ms))
}

const fn millis(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Outcome, measured value and reason.
fn told(verdict: &ExpectationVerdict) -> (Judgement, Option<f64>, &str) {
    (verdict.outcome, verdict.measured, verdict.reason.as_str())
}

#[track_caller]
fn assert_invalid(verdict: &ExpectationVerdict, reason: &str) {
    assert_eq!((verdict.outcome, verdict.measured, verdict.margin), (Judgement::Invalid, None, None), "{verdict:?}");
    assert!(verdict.reason.contains(reason), "{}", verdict.reason);
}
