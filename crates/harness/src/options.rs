//! What a caller may decide about a run.

use coldfront_rt::Stop;
use coldfront_scenarios::Mode;

/// How to run a scenario. The default: the scenario's own mode and seed, no commands, no trace.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Overrides the scenario's mode; without either, live.
    pub mode: Option<Mode>,
    /// Overrides the scenario's seed.
    pub seed: Option<u64>,
    /// Ends the run early when requested; the recording so far is judged and marked as interrupted.
    pub stop: Stop,
    /// Whether `reset = { command = […] }` may start a program.
    pub allow_commands: bool,
    /// Whether every recorded event is kept, to compare two runs event by event; memory grows with the run.
    pub trace: bool,
}
