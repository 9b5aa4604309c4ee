//! The command line: arguments in, exit code out. The only place that prints and the only one that ends the process.

mod arguments;
mod check;
mod describe;
mod diagnostic;
mod failure;
mod find;
mod list;
mod load;
mod output;
mod plan;
mod run;
mod seeds;
mod signal;
mod target;
mod terminal;

use arguments::{Arguments, Command};
use clap::Parser as _;
use coldfront_verdict::Exit;
use failure::Failure;
use std::panic::catch_unwind;
use std::process::ExitCode;
use terminal::{colour_of_stderr, complain};

/// Runs the command line of this process and returns its exit code: 0 all expectations hold, 1 one does not, 2 the command
/// line or a scenario is wrong and nothing ran, 3 a run is invalid or could not be made, 4 an internal error or a result that
/// could not be written, 130 interrupted.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are "errors" too; a reader that went away is none.
            let printed = terminal::unless_closed(error.print());
            if error.use_stderr() {
                return ExitCode::from(Exit::Usage.code());
            }
            return ExitCode::from(ended(printed.map(|()| Exit::Holds).map_err(|error| terminal::unwritten(&error))));
        }
    };
    // A panic has told its message by then; what is left is the exit code of an internal error instead of Rust's own.
    let outcome = catch_unwind(|| dispatch(arguments.command)).unwrap_or(Ok(Exit::Internal));
    ExitCode::from(ended(outcome))
}

/// The exit code, with a failure told.
fn ended(outcome: Result<Exit, Failure>) -> u8 {
    let exit = outcome.unwrap_or_else(|failure| {
        complain(&failure.render(colour_of_stderr()));
        failure.exit()
    });
    exit.code()
}

fn dispatch(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Run(flags) => run::run(plan::of_files(&flags)?),
        Command::Load(flags) => run::run(plan::of_flags(&flags)?),
        Command::Target(flags) => target::serve(&flags),
        Command::List => list::list(),
        Command::Check(flags) => check::check(&flags),
    }
}
