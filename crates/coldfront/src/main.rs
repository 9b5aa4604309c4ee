//! The command line of coldfront.

use std::process::ExitCode;

fn main() -> ExitCode {
    coldfront::cli::main()
}
