//! A scenario that can be run.

use crate::error::Error;
use crate::judged::Judged;
use coldfront_harness::Options;
use coldfront_report::model::Again;
use coldfront_scenarios::{Mode, catalog};
use std::path::Path;

/// A scenario that was read and checked, ready to run.
///
/// It is a value: running it changes nothing in it, and it may be run from several threads at once.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a scenario does nothing until it is run: `.simulate()` or `.live()`"]
pub struct Scenario {
    resolved: coldfront_scenarios::Scenario,
    /// What it takes to run it again.
    again: Again,
}

impl From<coldfront_scenarios::Scenario> for Scenario {
    /// A scenario made by hand or by [`Builder`](coldfront_scenarios::Builder).
    fn from(resolved: coldfront_scenarios::Scenario) -> Self {
        let again = Again { file: resolved.file.clone(), ..Again::default() };
        Self { resolved, again }
    }
}

impl Scenario {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// Everything that is wrong with it, with line and column.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        // The scenario itself keeps only the last part of an absolute path.
        let again = Again { file: path.as_ref().to_string_lossy().into_owned(), ..Again::default() };
        Ok(Self { resolved: coldfront_scenarios::Scenario::load(path)?, again })
    }

    /// Reads and checks a text; `file` is what messages and reports call it.
    ///
    /// # Errors
    /// Everything that is wrong with it, with line and column.
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        Ok(coldfront_scenarios::Scenario::parse(text, file)?.into())
    }

    /// A scenario that comes with coldfront; see [`catalog`].
    ///
    /// # Errors
    /// If none has this name.
    pub fn shipped(name: &str) -> Result<Self, Error> {
        let shipped = catalog().iter().find(|shipped| shipped.name == name);
        let shipped = shipped.ok_or_else(|| Error::NotShipped(name.to_owned()))?;
        Self::parse(shipped.name, shipped.text)
    }

    /// With this seed instead of the file's: the same arrivals, keys and service times for the same seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.resolved.seed = seed;
        self
    }

    /// Aimed at the service at this URL instead of the file's target; live only.
    ///
    /// # Errors
    /// If it is no URL, or the scenario has expectations or events that only the embedded target can serve.
    pub fn at(self, url: &str) -> Result<Self, Error> {
        let again = Again { url: Some(url.to_owned()), ..self.again };
        Ok(Self { resolved: self.resolved.with_url(url)?, again })
    }

    /// Runs it in virtual time, in process. The same file and seed give the same result on any machine.
    ///
    /// # Errors
    /// If it cannot be simulated, as with a target at a URL.
    pub fn simulate(&self) -> Result<Judged, Error> {
        self.run(&Options { mode: Some(Mode::Sim), ..Options::default() })
    }

    /// Runs it in real time over real HTTP.
    ///
    /// # Errors
    /// If the target cannot be reached, reset or served.
    pub fn live(&self) -> Result<Judged, Error> {
        self.run(&Options { mode: Some(Mode::Live), ..Options::default() })
    }

    /// Runs it as `options` say.
    ///
    /// # Errors
    /// As [`Scenario::simulate`] and [`Scenario::live`].
    pub fn run(&self, options: &Options) -> Result<Judged, Error> {
        let run = coldfront_harness::run(&self.resolved, options)?;
        Ok(Judged::new(run, Again { allow_commands: options.allow_commands, ..self.again.clone() }))
    }

    /// Whether it can run in this mode, or in its own if that is `None`.
    pub(crate) fn checked_for(&self, mode: Option<Mode>) -> Result<(), Error> {
        Ok(self.resolved.check_mode(self.mode_for(mode))?)
    }

    /// The mode that it would run in.
    pub(crate) fn mode_for(&self, mode: Option<Mode>) -> Mode {
        mode.or(self.resolved.mode).unwrap_or(Mode::Live)
    }

    /// What the file means, in full.
    pub fn resolved(&self) -> &coldfront_scenarios::Scenario {
        &self.resolved
    }
}
