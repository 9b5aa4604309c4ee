//! The order of a run: choose the mode, record, judge.

use crate::{HarnessError, Options, real, simulated};
use coldfront_clock::Instant;
use coldfront_generator::{Attack, AttackEnd, AttackSummary, Transport};
use coldfront_measure::{NotOk, Recorder, Recording, TraceEvent};
use coldfront_rt::{Class, Rt, Stop, race};
use coldfront_scenarios::{Mode, Outcome, Scenario, Target};
use coldfront_verdict::{Verdict, judge};
use std::sync::Arc;

/// Lines about failed answers among the notes of a run.
const FAILED_NOTES: usize = 5;

/// One run and what came of it.
#[derive(Debug)]
pub struct Run {
    /// What was run, with the seed that was used.
    pub scenario: Arc<Scenario>,
    /// The mode that was used.
    pub mode: Mode,
    /// What was measured.
    pub recording: Recording,
    /// What it means.
    pub verdict: Verdict,
    /// What a reader should know about how the mode bears on this result, as sentences; may be empty.
    pub notes: Vec<String>,
    /// Whether the run was stopped before its end.
    pub interrupted: bool,
    /// Every recorded call in order, if [`Options::trace`] asked for it; in live the generator's, then the target's.
    pub trace: Vec<TraceEvent>,
}

/// What a mode hands back.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) recording: Recording,
    pub(crate) summary: Option<AttackSummary>,
    pub(crate) trace: Vec<TraceEvent>,
}

/// Runs `scenario` and judges it.
///
/// Blocks until the run is over: in sim as long as it takes to compute, in live as long as its stages and the answers to
/// their last requests take. May be called from any thread, inside a tokio runtime too.
///
/// # Errors
///
/// If there is no result to judge; see [`HarnessError`].
pub fn run(scenario: &Scenario, options: &Options) -> Result<Run, HarnessError> {
    let mode = options.mode.or(scenario.mode).unwrap_or(Mode::Live);
    scenario.check_mode(mode)?;
    let mut scenario = scenario.clone();
    scenario.seed = options.seed.unwrap_or(scenario.seed);
    let scenario = Arc::new(scenario);
    let Measured { recording, summary, trace } = match mode {
        Mode::Sim => simulated::run(&scenario, options)?,
        Mode::Live => real::run(&scenario, options)?,
    };
    let verdict = judge(&scenario, &recording);
    let mut notes = notes(&scenario, mode, summary.as_ref());
    notes.extend(failed_answers(&scenario, &recording));
    Ok(Run { interrupted: recording.interrupted().is_some(), scenario, mode, recording, verdict, notes, trace })
}

/// Drives a prepared attack from time zero to the end of the run: the last outcome or the end of the last stage, whichever
/// is later, and at most the drain after the last stage.
pub(crate) async fn drive<T: Transport>(
    rt: &Rt,
    scenario: &Scenario,
    attack: Attack<T>,
    recorder: &Recorder,
    stop: Stop,
) -> (Instant, AttackSummary) {
    let stages_end = Instant::after_start(scenario.stages_end());
    let horizon = stages_end + scenario.drain();
    let summary = attack.run(Instant::ZERO, stop.clone(), horizon).await;
    let mut is_stopped = summary.end == AttackEnd::Stopped;
    if summary.end == AttackEnd::Settled && rt.now() < stages_end {
        // A last stage without load is still part of the story: things recover in it.
        let stopped = race(rt.sleep_until_class(stages_end, Class::Arrival), stop.requested()).await;
        is_stopped = matches!(stopped, coldfront_rt::Either::Second(()));
    }
    let end = rt.now();
    if is_stopped {
        recorder.interrupted(end);
    }
    (end, summary)
}

fn notes(scenario: &Scenario, mode: Mode, summary: Option<&AttackSummary>) -> Vec<String> {
    let mut notes = Vec::new();
    if mode == Mode::Sim {
        notes.push("virtual time: waits are the scenario's, and the generator itself costs nothing".to_owned());
    }
    if matches!(scenario.target, Target::External(_)) {
        notes.push("a target at a URL: only what its client sees is measured".to_owned());
    }
    for (error, count) in summary.iter().flat_map(|summary| &summary.errors) {
        notes.push(format!("{count} × no answer: {error}"));
    }
    notes
}

/// The most frequent answers that count as failed, by status and route: what to look at first.
fn failed_answers(scenario: &Scenario, recording: &Recording) -> Vec<String> {
    let mut failed: Vec<_> = recording.not_ok().iter().filter(|row| row.outcome == Outcome::Failed).collect();
    failed.sort_by_key(|row| std::cmp::Reverse(row.count));
    let note = |row: &NotOk| {
        let route = scenario.traffic[usize::from(row.traffic)].mix[usize::from(row.route)].name();
        row.status.map(|status| format!("{} × status {status} to {route}", row.count))
    };
    failed.into_iter().filter_map(note).take(FAILED_NOTES).collect()
}
