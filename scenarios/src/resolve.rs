//! From the file as written to the scenario as meant: names looked up, defaults filled in, everything checked that can be
//! checked without a run.

mod events;
mod expectations;
mod json;
mod load;
pub(crate) mod observable;
mod stages;
mod target;

use crate::error::{Code, Finding, Problems};
use crate::file::ScenarioFile;
use crate::{Mode, Scenario, Target};

/// Resolves a decoded file.
pub(crate) fn scenario(file: ScenarioFile, about: Option<String>, problems: &mut Problems) -> Option<Scenario> {
    let traffic = load::traffic(&file.traffic, problems);
    let resolved_target = target::target(file.target.as_ref(), problems);
    let (traffic, target) = (traffic?, resolved_target?);
    if let (Target::External(_), Some(mode)) = (&target, &file.mode)
        && **mode == Mode::Sim
    {
        let finding = Finding::new(Code::Conflict, &mode.span, "a simulation has no wire to a real service");
        problems.add::<()>(finding.help("leave out `mode`, or the `url` of the target"));
    }
    load::check_routes(&file.traffic, &traffic, &target, problems);
    let mut scenario = Scenario {
        name: file.name.value,
        about,
        file: problems.source.name.clone(),
        seed: *file.seed,
        mode: file.mode.map(|mode| *mode),
        traffic,
        target,
        events: Vec::new(),
        expectations: Vec::new(),
    };
    let events = events::events(&file.event, &scenario, problems);
    let expectations = expectations::expectations(&file.expect, &scenario, problems);
    scenario.events = events?;
    scenario.expectations = expectations?;
    Some(scenario)
}
