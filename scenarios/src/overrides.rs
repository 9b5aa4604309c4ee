//! What the command line may change in a scenario, checked again.

use crate::error::Code;
use crate::expectation::Measure;
use crate::file::words::check_url;
use crate::resolve::observable::unobservable;
use crate::{External, Mode, Scenario, ScenarioError, Series, Target};

impl Scenario {
    /// The same scenario with another seed.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The same load aimed at a real service. If the file names one already, its `ready` and `reset` are kept.
    ///
    /// # Errors
    ///
    /// If `url` is not `http://host[:port]` with an optional path prefix; and, all of them, the events, which only the embedded
    /// target can do, and the expectations on series that only the embedded target reports.
    pub fn with_url(self, url: &str) -> Result<Self, ScenarioError> {
        let url = match check_url(url) {
            Ok(url) => url,
            Err((code, message, help)) => {
                return Err(ScenarioError::without_place("--url", vec![(code, message, Some(help))]));
            }
        };
        let (ready, reset) = match &self.target {
            Target::External(external) => (external.ready.clone(), external.reset.clone()),
            Target::Embedded(_) => (None, None),
        };
        let scenario = Self { target: Target::External(External { url, ready, reset }), ..self };
        let problems = scenario.external_problems();
        if problems.is_empty() { Ok(scenario) } else { Err(ScenarioError::without_place(&scenario.file, problems)) }
    }

    /// Whether the scenario can run in this mode.
    ///
    /// # Errors
    ///
    /// A simulation of a real service: it has no wire to it.
    pub fn check_mode(&self, mode: Mode) -> Result<(), ScenarioError> {
        let Target::External(external) = &self.target else { return Ok(()) };
        if mode == Mode::Live {
            return Ok(());
        }
        let message = format!("a simulation has no wire to {}", external.url);
        let help = Some("run it live, or leave out the `url`".to_owned());
        Err(ScenarioError::without_place(&self.file, vec![(Code::Conflict, message, help)]))
    }

    fn external_problems(&self) -> Vec<(Code, String, Option<String>)> {
        let mut problems = Vec::new();
        for event in &self.events {
            let message = format!("a real service cannot do the event `{}` at {}", event.action.name(), event.at_text);
            problems.push((
                Code::Event,
                message,
                Some("run it against the embedded target, or leave it out".to_owned()),
            ));
        }
        for expectation in &self.expectations {
            for series in series_of(&expectation.measure) {
                if let Some(why) = unobservable(series, &self.target) {
                    let message = format!("expectation `{}`: {}", expectation.name, why.reason);
                    problems.push((Code::Unobservable, message, Some(why.help)));
                }
            }
        }
        problems
    }
}

fn series_of(measure: &Measure) -> Vec<Series> {
    match measure {
        Measure::Statistic(_, selection) | Measure::Extreme { selection, .. } | Measure::Recovery { selection, .. } => {
            vec![selection.series]
        }
        Measure::Ratio(upper, lower) => vec![upper.series, lower.series],
    }
}
