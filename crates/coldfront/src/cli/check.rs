//! `check`: whether files are right, and what they would do.

use super::arguments::Check;
use super::failure::Failure;
use super::terminal::{colour_of_stderr, complain, print};
use super::{describe, find};
use coldfront_verdict::Exit;

/// Checks every file; the wrong ones do not hide the others.
pub(super) fn check(flags: &Check) -> Result<Exit, Failure> {
    let mut exit = Exit::Holds;
    for file in &flags.files {
        match find::one(file) {
            Ok(scenario) => print(&describe::scenario(scenario.resolved()))?,
            Err(failure) => {
                complain(&failure.render(colour_of_stderr()));
                exit = failure.exit();
            }
        }
    }
    Ok(exit)
}
