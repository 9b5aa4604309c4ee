//! Runs a plan, tells each result, and closes with the exit code.

use super::failure::Failure;
use super::plan::{Job, Plan};
use super::signal;
use super::terminal::{colour_of_stderr, colour_of_stdout, complain, print, width_of_stderr, width_of_stdout};
use crate::judged::Judged;
use coldfront_harness::READY_LIMIT;
use coldfront_report::{Colour, Overview, Width};
use coldfront_scenarios::{External, Mode, Target};
use coldfront_verdict::Exit;

/// Where the words go: to standard output, unless a result takes it.
#[derive(Clone, Copy)]
struct Voice {
    say: fn(&str) -> Result<(), Failure>,
    colour: Colour,
    width: Width,
}

/// Runs every job, until one is interrupted.
pub(super) fn run(plan: Plan) -> Result<Exit, Failure> {
    let stop = signal::watch()?;
    let voice = Voice::of(&plan);
    let total = plan.jobs.len();
    let mut exit = Exit::default();
    let mut overview = Overview::default();
    for (index, mut job) in plan.jobs.into_iter().enumerate() {
        if stop.is_requested() {
            exit = exit.max(Exit::Interrupted);
            overview.add_not_started(total - index);
            break;
        }
        job.options.stop = stop.clone();
        announce(&job, plan.quiet);
        match job.scenario.run(&job.options) {
            Ok(judged) => {
                exit = exit.max(tell(&judged, voice, plan.quiet, total > 1));
                exit = exit.max(judged.exit()).max(deliver(&judged, &job));
                overview.add(judged.report());
            }
            Err(error) => exit = exit.max(missed(&Failure::from(error), &job, &mut overview)),
        }
    }
    if total > 1 || plan.quiet {
        exit = exit.max(told((voice.say)(&overview.text(voice.colour, voice.width))));
    }
    Ok(exit)
}

/// Tells of a run without a result.
fn missed(failure: &Failure, job: &Job, overview: &mut Overview) -> Exit {
    complain(&failure.render(colour_of_stderr()));
    match failure {
        Failure::Unmade(reason) => {
            let mode = job.scenario.mode_for(job.options.mode).name();
            overview.add_unmade(&job.file, mode, job.scenario.resolved().seed, reason);
        }
        Failure::Interrupted(_) => overview.add_not_started(1),
        _ => {}
    }
    failure.exit()
}

/// What a failure to write means for the exit code, said on standard error.
fn told(written: Result<(), Failure>) -> Exit {
    let Err(failure) = written else { return Exit::default() };
    complain(&failure.render(colour_of_stderr()));
    failure.exit()
}

/// Says what takes its time, and how much.
fn announce(job: &Job, quiet: bool) {
    let scenario = job.scenario.resolved();
    if quiet || job.options.mode.or(scenario.mode) == Some(Mode::Sim) {
        return;
    }
    if let Target::External(External { url, ready: Some(path), .. }) = &scenario.target {
        let limit = READY_LIMIT.as_secs();
        complain(&format!("coldfront: waits up to {limit} s until GET {path} of {url} answers 2xx\n"));
    }
    let (stages, drain) = (scenario.stages_end().as_secs_f64(), scenario.drain().as_secs_f64());
    complain(&format!(
        "coldfront: {:?} runs live for {stages} s, then waits up to {drain} s for answers\n",
        scenario.name
    ));
}

fn tell(judged: &Judged, voice: Voice, quiet: bool, several: bool) -> Exit {
    if quiet {
        return Exit::default();
    }
    let gap = if several { "\n" } else { "" };
    told((voice.say)(&(judged.report().text(voice.colour) + gap)))
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
            let say = |text: &str| {
                complain(text);
                Ok(())
            };
            Self { say, colour: colour_of_stderr(), width: width_of_stderr() }
        } else {
            Self { say: print, colour: colour_of_stdout(), width: width_of_stdout() }
        }
    }
}
