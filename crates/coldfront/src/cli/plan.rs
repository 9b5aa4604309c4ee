//! What will be run, resolved: every file read, every seed and path filled in, before anything starts.

use super::arguments::{Load, ModeFlags, OutputFlags, Run};
use super::failure::Failure;
use super::output::{Claims, Destination, Names, Template};
use super::{find, load};
use crate::{Mode, Options, Scenario};
use coldfront_scenarios::{External, Reset, Target};
use std::env;
use std::path::Path;

/// At most so many runs by one command.
const MOST_RUNS: usize = 100_000;

/// Every run of a command, in order.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) jobs: Vec<Job>,
    pub(super) quiet: bool,
}

/// One run.
#[derive(Debug)]
pub(super) struct Job {
    /// As it was typed: a file, or the name of a shipped scenario.
    pub(super) file: String,
    pub(super) scenario: Scenario,
    pub(super) options: Options,
    pub(super) destinations: Vec<Destination>,
}

impl Plan {
    /// Whether the summaries have to leave standard output to a result.
    pub(super) fn takes_stdout(&self) -> bool {
        self.jobs.iter().any(|job| job.destinations.contains(&Destination::Stdout))
    }
}

/// The runs of `run FILE…`: every file with every seed, each as often as asked.
pub(super) fn of_files(flags: &Run) -> Result<Plan, Failure> {
    let templates = templates(&flags.output)?;
    let scenarios = find::all(&flags.files)?;
    let scenarios = aimed(scenarios, flags.url.as_deref())?;
    let mode = mode(flags.mode);
    find::every(scenarios.iter().map(|scenario| Ok(scenario.checked_for(mode)?)))?;
    let options = Options { mode, allow_commands: flags.allow_commands, ..Options::default() };
    let live = scenarios.iter().filter(|scenario| scenario.mode_for(mode) == Mode::Live);
    find::every(live.map(|scenario| preparable(scenario, flags.allow_commands)))?;
    let mut jobs = Vec::new();
    let mut claims = Claims::default();
    for (file, scenario) in flags.files.iter().zip(&scenarios) {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        for seed in seeds(flags, scenario) {
            for repeat in 1..=flags.repeat {
                let names = Names { scenario: &stem, seed, repeat };
                let destinations: Vec<Destination> = templates.iter().map(|template| template.fill(names)).collect();
                destinations.iter().try_for_each(|destination| claims.claim(destination))?;
                jobs.push(Job {
                    file: file.to_string_lossy().into_owned(),
                    scenario: scenario.clone().seed(seed),
                    options: options.clone(),
                    destinations,
                });
                within_bounds(&jobs)?;
            }
        }
    }
    claims.try_to_write()?;
    Ok(Plan { jobs, quiet: flags.output.quiet })
}

/// The one run of `load URL`.
pub(super) fn of_flags(flags: &Load) -> Result<Plan, Failure> {
    let templates = templates(&flags.output)?;
    let scenario = load::scenario(flags)?;
    let names = Names { scenario: "load", seed: flags.seed, repeat: 1 };
    let destinations: Vec<Destination> = templates.iter().map(|template| template.fill(names)).collect();
    let mut claims = Claims::default();
    destinations.iter().try_for_each(|destination| claims.claim(destination))?;
    claims.try_to_write()?;
    let job = Job { file: flags.url.clone(), scenario, options: Options::default(), destinations };
    Ok(Plan { jobs: vec![job], quiet: flags.output.quiet })
}

fn templates(flags: &OutputFlags) -> Result<Vec<Template>, Failure> {
    flags.out.iter().map(|argument| Template::parse(argument)).collect()
}

fn mode(flags: ModeFlags) -> Option<Mode> {
    match flags {
        ModeFlags { sim: true, .. } => Some(Mode::Sim),
        ModeFlags { live: true, .. } => Some(Mode::Live),
        _ => None,
    }
}

fn aimed(scenarios: Vec<Scenario>, url: Option<&str>) -> Result<Vec<Scenario>, Failure> {
    let Some(url) = url else { return Ok(scenarios) };
    find::every(scenarios.into_iter().map(|scenario| Ok(scenario.at(url)?)))
}

/// Whether the command that resets the target may run, and is there; what it does is only seen when it runs.
fn preparable(scenario: &Scenario, allow_commands: bool) -> Result<(), Failure> {
    let Target::External(External { reset: Some(Reset::Command(words)), .. }) = &scenario.resolved().target else {
        return Ok(());
    };
    let file = &scenario.resolved().file;
    let program = words.first().map_or("", String::as_str);
    if !allow_commands {
        let message = format!("{file}: the scenario wants to run `{program}` to reset its target");
        return Err(Failure::usage(message, "allow it with --allow-commands"));
    }
    if is_missing(program) {
        let message = format!("{file}: there is no command `{program}` to reset the target with");
        return Err(Failure::usage(message, "nothing was run; install it, or mend `reset` in the scenario"));
    }
    Ok(())
}

/// Whether there is certainly no such program: no such file or, for a bare name, none in any folder of the path.
fn is_missing(program: &str) -> bool {
    if cfg!(not(unix)) {
        return false;
    }
    if program.contains('/') {
        return !Path::new(program).exists();
    }
    env::var_os("PATH").is_some_and(|path| !env::split_paths(&path).any(|folder| folder.join(program).exists()))
}

fn seeds(flags: &Run, scenario: &Scenario) -> Vec<u64> {
    match &flags.seeds {
        Some(seeds) => seeds.0.clone(),
        None => vec![flags.seed.unwrap_or(scenario.resolved().seed)],
    }
}

fn within_bounds(jobs: &[Job]) -> Result<(), Failure> {
    if jobs.len() <= MOST_RUNS {
        return Ok(());
    }
    Err(Failure::usage(format!("these are more than {MOST_RUNS} runs"), "take fewer files, seeds or repeats"))
}
