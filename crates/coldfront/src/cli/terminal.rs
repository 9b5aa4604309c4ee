//! The two streams of the process, and whether they take colour.

use super::failure::Failure;
use coldfront_report::{Colour, Width};
use std::env;
use std::io::{self, IsTerminal, Write};

/// Writes to standard output. A reader that went away (`| head`) is no error and no panic.
///
/// # Errors
/// If it cannot be written otherwise: what was asked for is not there then.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes()).map_err(|error| unwritten(&error))
}

/// As [`print`], for bytes.
pub(super) fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    unless_closed(stdout.write_all(bytes).and_then(|()| stdout.flush()))
}

/// A failure to write standard output, in words.
pub(super) fn unwritten(error: &io::Error) -> Failure {
    Failure::Internal(format!("cannot write to standard output: {error}"))
}

/// Without the error of a reader that went away.
pub(super) fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes to standard error; nobody is told if that fails.
pub(super) fn complain(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether standard output takes colour.
pub(super) fn colour_of_stdout() -> Colour {
    colour(io::stdout().is_terminal())
}

/// Whether standard error takes colour.
pub(super) fn colour_of_stderr() -> Colour {
    colour(io::stderr().is_terminal())
}

/// How long lines on standard output may be.
pub(super) fn width_of_stdout() -> Width {
    width(io::stdout().is_terminal())
}

/// How long lines on standard error may be.
pub(super) fn width_of_stderr() -> Width {
    width(io::stderr().is_terminal())
}

fn width(is_terminal: bool) -> Width {
    if is_terminal { Width::Terminal } else { Width::Whole }
}

fn colour(is_terminal: bool) -> Colour {
    let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = env::var_os("TERM").is_some_and(|value| value == "dumb");
    if is_terminal && !refused && !dumb { Colour::Always } else { Colour::Never }
}
