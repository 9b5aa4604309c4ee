//! What the phenomena share: run a scenario given as text, and look at what was measured.

use coldfront_harness::{Options, Run, run};
use coldfront_measure::{Counts, TraceEvent};
use coldfront_report::Report;
use coldfront_report::model::Source;
use coldfront_scenarios::{Mode, Outcome, Scenario};
use coldfront_verdict::{Judgement, Unit};

/// A run that ended.
#[derive(Debug)]
pub(crate) struct Ran {
    run: Run,
}

/// Runs `text` in virtual time.
pub(crate) fn simulate(text: &str) -> Ran {
    with(text, &Options { mode: Some(Mode::Sim), ..Options::default() })
}

/// Runs `text` in virtual time with this seed, keeping every recorded event.
pub(crate) fn simulate_traced(text: &str, seed: u64) -> Ran {
    with(text, &Options { mode: Some(Mode::Sim), seed: Some(seed), trace: true, ..Options::default() })
}

/// Runs `text` in real time over real HTTP. A run that does not count, because the machine was too busy to send on time, says
/// nothing of the target and is tried again, five times in all.
pub(crate) fn live(text: &str) -> Ran {
    let once = || with(text, &Options { mode: Some(Mode::Live), ..Options::default() });
    let mut ran = once();
    for _ in 0..4 {
        if ran.run.verdict.stimulus.is_delivered {
            break;
        }
        ran = once();
    }
    ran
}

fn with(text: &str, options: &Options) -> Ran {
    let scenario = match Scenario::parse(text, "test.toml") {
        Ok(scenario) => scenario,
        Err(error) => panic!("{}\n{text}", error.plain()),
    };
    match run(&scenario, options) {
        Ok(run) => Ran { run },
        Err(error) => panic!("{error:?}\n{text}"),
    }
}

/// What the expectation of this name measured, durations in seconds.
pub(crate) fn measured(ran: &Ran, name: &str) -> f64 {
    ran.measured(name)
}

/// The result as JSON.
pub(crate) fn json(ran: &Ran) -> String {
    let Run { scenario, mode, recording, verdict, notes, interrupted, .. } = &ran.run;
    let report = Report::new(&Source { scenario, recording, verdict, mode: *mode, notes, interrupted: *interrupted });
    String::from_utf8(report.json()).expect("JSON is UTF-8")
}

// === impl Ran ===

impl Ran {
    /// Panics with what does not hold, unless all does.
    #[track_caller]
    pub(crate) fn assert_passed(&self) {
        let verdict = &self.run.verdict;
        assert!(
            verdict.outcome == Judgement::Pass,
            "{}: {:?} {:?} {:?}\n{}\n{:?}",
            self.run.scenario.name,
            verdict.outcome,
            verdict.stimulus.reasons,
            verdict.internal_error,
            self.failed_expectations().join("\n"),
            self.totals(),
        );
    }

    /// One line per expectation that does not hold.
    pub(crate) fn failed_expectations(&self) -> Vec<String> {
        let failed = self.run.verdict.expectations.iter().filter(|one| one.outcome != Judgement::Pass);
        failed.map(|one| format!("{:?} {}: {} — {}", one.outcome, one.name, one.text, one.reason)).collect()
    }

    /// See [`measured`].
    pub(crate) fn measured(&self, name: &str) -> f64 {
        let found = self.run.verdict.expectations.iter().find(|one| one.name == name);
        let one = found.unwrap_or_else(|| panic!("no expectation is called {name}"));
        let value = one.measured.unwrap_or_else(|| panic!("{name} measured nothing: {}", one.reason));
        if one.unit == Unit::Milliseconds { value / 1e3 } else { value }
    }

    pub(crate) fn totals(&self) -> Counts {
        self.run.recording.totals()
    }

    pub(crate) fn outcome(&self, outcome: Outcome) -> u64 {
        self.run.recording.count(outcome.series())
    }

    pub(crate) fn notes(&self) -> &[String] {
        &self.run.notes
    }

    pub(crate) fn trace(&self) -> &[TraceEvent] {
        &self.run.trace
    }
}
