//! One step of a task: a cargo command with its environment.
#![expect(clippy::disallowed_methods, reason = "a build task is timed by the real clock")]

use std::env;
use std::fmt;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

/// A cargo command that must succeed.
#[derive(Debug)]
pub(crate) struct Step {
    name: &'static str,
    arguments: &'static [&'static str],
    variable: Option<(&'static str, &'static str)>,
    hint: Option<&'static str>,
    needs: Option<Tool>,
}

/// A cargo subcommand that may have to be installed first.
#[derive(Debug)]
struct Tool {
    package: &'static str,
    version: &'static str,
}

/// Which step failed, and how.
#[derive(Debug)]
pub(crate) struct Failure {
    step: String,
    reason: String,
    hint: Option<&'static str>,
}

// === impl Step ===

impl Step {
    pub(crate) const fn cargo(name: &'static str, arguments: &'static [&'static str]) -> Self {
        Self { name, arguments, variable: None, hint: None, needs: None }
    }

    /// Sets an environment variable for the command.
    pub(crate) const fn with(mut self, variable: &'static str, value: &'static str) -> Self {
        self.variable = Some((variable, value));
        self
    }

    /// What to do when it fails.
    pub(crate) const fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    /// The package to install if cargo does not know the subcommand.
    pub(crate) const fn installed_by(mut self, package: &'static str, version: &'static str) -> Self {
        self.needs = Some(Tool { package, version });
        self
    }

    pub(crate) const fn name(&self) -> &'static str {
        self.name
    }

    /// The name and the command as one would type it.
    pub(crate) fn describe(&self) -> String {
        let variable = self.variable.map(|(name, value)| format!("{name}=\"{value}\" ")).unwrap_or_default();
        format!("{}: {variable}cargo {}", self.name, self.arguments.join(" "))
    }

    /// Runs it and says how long it took.
    pub(crate) fn run(&self) -> Result<Duration, Failure> {
        let began = SystemTime::now();
        if let Some(tool) = &self.needs {
            self.install(tool)?;
        }
        let mut command = cargo(self.arguments);
        if let Some((name, value)) = self.variable {
            command.env(name, value);
        }
        self.must_succeed(command)?;
        Ok(began.elapsed().unwrap_or_default())
    }

    fn install(&self, tool: &Tool) -> Result<(), Failure> {
        let subcommand = self.arguments.first().copied().unwrap_or_default();
        let mut probe = cargo(&[subcommand, "--version"]);
        let present = probe.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        if present {
            return Ok(());
        }
        let Tool { package, version } = tool;
        super::say(&format!("    {package} is not installed: cargo install {package} --locked --version {version}\n"));
        self.must_succeed(cargo(&["install", package, "--locked", "--version", version]))
    }

    fn must_succeed(&self, mut command: Command) -> Result<(), Failure> {
        let reason = match command.status() {
            Ok(status) if status.success() => return Ok(()),
            Ok(status) => status.to_string(),
            Err(error) => format!("cannot run {}: {error}", command.get_program().display()),
        };
        Err(Failure { step: self.describe(), reason, hint: self.hint })
    }
}

fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

// === impl Failure ===

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.step, self.reason)?;
        self.hint.map_or(Ok(()), |hint| write!(f, "\n  {hint}"))
    }
}
