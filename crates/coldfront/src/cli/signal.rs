//! Ctrl-C and SIGTERM: the first asks the run to end early, the second ends the process.

use super::failure::Failure;
use super::terminal::complain;
use coldfront_rt::Stop;
use coldfront_verdict::Exit;
use std::process;

/// Watches for Ctrl-C, SIGTERM and SIGHUP from now on, in a thread of its own, and passes the first on to the stop that
/// it returns.
///
/// # Errors
/// If the operating system does not let it.
pub(super) fn watch() -> Result<Stop, Failure> {
    let stop = Stop::new();
    let handle = stop.clone();
    ctrlc::set_handler(move || {
        if handle.is_requested() {
            kill();
        }
        handle.request();
        complain("\ncoldfront: ending early; once more to kill it\n");
    })
    .map_err(|error| Failure::Internal(format!("cannot watch for signals: {error}")))?;
    Ok(stop)
}

#[expect(clippy::exit, reason = "the user asked twice: nothing is worth waiting for")]
fn kill() {
    process::exit(i32::from(Exit::Interrupted.code()));
}
