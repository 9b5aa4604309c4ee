//! The command line as the tests start it: the same entry as the binary `coldfront`, built with the tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    coldfront::cli::main()
}
