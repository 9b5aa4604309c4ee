//! Runs a plan, tells each result, and closes with the exit code.

use super::failure::Failure;
use super::plan::{Job, Plan};
use super::signal;
use super::terminal::{colour_of_stderr, colour_of_stdout, complain, print};
use crate::judged::Judged;
use coldfront_report::{Colour, Overview};
use coldfront_scenarios::Mode;
use coldfront_verdict::Exit;

/// Where the words go: to standard output, unless a result takes it.
#[derive(Clone, Copy)]
struct Voice {
    say: fn(&str),
    colour: Colour,
}

/// Runs every job, until one is interrupted.
pub(super) fn run(plan: Plan) -> Result<Exit, Failure> {
    let stop = signal::watch()?;
    let voice = Voice::of(&plan);
    let several = plan.jobs.len() > 1;
    let mut exit = Exit::default();
    let mut overview = Overview::default();
    for mut job in plan.jobs {
        if stop.is_requested() {
            exit = exit.max(Exit::Interrupted);
            break;
        }
        job.options.stop = stop.clone();
        announce(&job, plan.quiet);
        match job.scenario.run(&job.options) {
            Ok(judged) => {
                tell(&judged, voice, plan.quiet, several);
                exit = exit.max(judged.exit()).max(deliver(&judged, &job));
                overview.add(judged.report());
            }
            Err(error) => {
                let failure = Failure::from(error);
                complain(&failure.render(colour_of_stderr()));
                exit = exit.max(failure.exit());
            }
        }
    }
    if several || plan.quiet {
        (voice.say)(&overview.text(voice.colour));
    }
    Ok(exit)
}

/// Says what takes its time, and how much.
fn announce(job: &Job, quiet: bool) {
    let scenario = job.scenario.resolved();
    if quiet || job.options.mode.or(scenario.mode) == Some(Mode::Sim) {
        return;
    }
    let (stages, drain) = (scenario.stages_end().as_secs_f64(), scenario.drain().as_secs_f64());
    complain(&format!(
        "coldfront: {:?} runs live for {stages} s, then waits up to {drain} s for answers\n",
        scenario.name
    ));
}

fn tell(judged: &Judged, voice: Voice, quiet: bool, several: bool) {
    if quiet {
        return;
    }
    let gap = if several { "\n" } else { "" };
    (voice.say)(&(judged.report().text(voice.colour) + gap));
}

/// Writes the results where they were asked for.
fn deliver(judged: &Judged, job: &Job) -> Exit {
    let mut exit = Exit::default();
    if job.destinations.is_empty() {
        return exit;
    }
    let json = judged.json();
    for destination in &job.destinations {
        if let Err(error) = destination.write(&json) {
            let failure = Failure::Internal(format!("cannot write the result to {destination}: {error}"));
            complain(&failure.render(colour_of_stderr()));
            exit = failure.exit();
        }
    }
    exit
}

impl Voice {
    fn of(plan: &Plan) -> Self {
        if plan.takes_stdout() {
            Self { say: complain, colour: colour_of_stderr() }
        } else {
            Self { say: print, colour: colour_of_stdout() }
        }
    }
}
