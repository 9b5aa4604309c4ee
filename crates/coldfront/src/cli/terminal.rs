//! The two streams of the process, and whether they take colour.

use coldfront_report::Colour;
use std::env;
use std::io::{self, IsTerminal, Write};

/// Writes to standard output. A reader that went away (`| head`) is no error and no panic.
pub(super) fn print(text: &str) {
    print_bytes(text.as_bytes());
}

/// As [`print`], for bytes.
pub(super) fn print_bytes(bytes: &[u8]) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
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

fn colour(is_terminal: bool) -> Colour {
    let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = env::var_os("TERM").is_some_and(|value| value == "dumb");
    if is_terminal && !refused && !dumb { Colour::Always } else { Colour::Never }
}
