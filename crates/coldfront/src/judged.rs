//! A run that ended, and its verdict.

use coldfront_harness::Run;
use coldfront_measure::Recording;
use coldfront_report::model::{Again, Expectation, Judgement, Source};
use coldfront_report::{Colour, Report};
use coldfront_verdict::Exit;

/// A run that ended, and its verdict. Nothing is asserted until you ask.
#[derive(Debug)]
#[must_use = "a run is only judged when you ask: `.assert()`, or look at `.verdict()`"]
pub struct Judged {
    run: Run,
    report: Report,
}

impl Judged {
    pub(crate) fn new(run: Run, again: Again) -> Self {
        let mut report = Report::new(&Source {
            scenario: &run.scenario,
            recording: &run.recording,
            verdict: &run.verdict,
            mode: run.mode,
            notes: &run.notes,
            interrupted: run.interrupted,
        });
        report.again = again;
        Self { run, report }
    }

    /// Whether every expectation holds and the run counts.
    pub fn passed(&self) -> bool {
        self.verdict() == Judgement::Pass
    }

    /// Pass, fail or invalid.
    pub fn verdict(&self) -> Judgement {
        self.report.verdict
    }

    /// How the command line would exit.
    pub(crate) fn exit(&self) -> Exit {
        let interrupted = if self.run.interrupted { Exit::Interrupted } else { Exit::Holds };
        Exit::of(&self.run.verdict).max(interrupted)
    }

    /// Panics unless every expectation holds and the run counts.
    ///
    /// # Panics
    /// With the expectations that do not hold, what was measured and what was wanted, the seed, and the command that shows the
    /// same run again.
    #[track_caller]
    pub fn assert(&self) {
        assert!(self.passed(), "{}", self.report.failure());
    }

    /// One row per expectation, in file order.
    pub fn expectations(&self) -> &[Expectation] {
        &self.report.expectations
    }

    /// The expectation of this name.
    pub fn expectation(&self, name: &str) -> Option<&Expectation> {
        self.expectations().iter().find(|row| row.name == name)
    }

    /// What the expectation of this name measured, in its [unit](Expectation::unit); `None` if there is no such expectation
    /// or nothing to measure.
    pub fn measured(&self, name: &str) -> Option<f64> {
        self.expectation(name)?.measured
    }

    /// The whole result as plain data.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Everything measured, for questions that the report does not answer.
    pub fn recording(&self) -> &Recording {
        &self.run.recording
    }

    /// The result as JSON, as `--out json=PATH` writes it.
    pub fn json(&self) -> Vec<u8> {
        self.report.json()
    }

    /// The summary that the command line prints, without colour.
    pub fn text(&self) -> String {
        self.report.text(Colour::Never)
    }
}
