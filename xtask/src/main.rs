//! The tasks of this workspace, in Rust so that they run wherever cargo does.
//!
//! ```text
//! cargo xtask check   everything that CI checks, in order; the first failure stops
//! cargo xtask docs    writes the generated pages under docs/ anew
//! ```

mod step;

use std::env;
use std::io::{self, Write as _};
use std::process::ExitCode;
use step::{Failure, Step};

const USAGE: &str = "\
usage: cargo xtask TASK

  check   everything that CI checks, in order; the first failure stops
  docs    write the generated pages under docs/ anew
";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let task: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match task.as_slice() {
        ["check"] => report("check", run(&check())),
        ["docs"] => report("docs", run(&[generate_docs()])),
        ["help" | "--help" | "-h"] => {
            say(USAGE);
            ExitCode::SUCCESS
        }
        _ => {
            say(USAGE);
            ExitCode::from(2)
        }
    }
}

/// The steps of `check`.
///
/// Quick ones first, so that a slip shows within seconds. All compile in the dev and test profiles, whose settings agree:
/// the dependencies are compiled once for lints and docs and once for tests and benches. Every step selects the whole
/// workspace, because another selection means other features and compiles half of the dependencies again.
fn check() -> Vec<Step> {
    vec![
        Step::cargo("format", &["fmt", "--all", "--", "--check"]).hint("run `cargo fmt --all`"),
        Step::cargo("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        Step::cargo("docs", &["doc", "--workspace", "--no-deps"]).with("RUSTDOCFLAGS", "-D warnings"),
        // The catalogue (each scenario checked and simulated) and the generated pages are tests too.
        Step::cargo("tests", &["test", "--workspace", "--no-fail-fast"]),
        Step::cargo("benches compile", &["bench", "--workspace", "--no-run", "--profile", "test"]),
        Step::cargo("dependencies", &["deny", "check", "bans", "licenses", "sources"])
            .installed_by("cargo-deny", "0.20.2"),
    ]
}

/// The tests that compare the generated pages write them instead.
fn generate_docs() -> Step {
    Step::cargo("generated pages", &["test", "--workspace", "--tests", "is_current"]).with("COLDFRONT_BLESS", "1")
}

fn run(steps: &[Step]) -> Result<Vec<String>, Failure> {
    let mut table = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        say(&format!("\n==> {}/{} {}\n", index + 1, steps.len(), step.describe()));
        let seconds = step.run()?.as_secs_f64();
        table.push(format!("  {:<16} {seconds:>7.1} s\n", step.name()));
    }
    Ok(table)
}

fn report(task: &str, outcome: Result<Vec<String>, Failure>) -> ExitCode {
    match outcome {
        Ok(table) => {
            say(&format!("\nxtask {task}: every step passed\n{}", table.concat()));
            ExitCode::SUCCESS
        }
        Err(failure) => {
            say(&format!("\nxtask {task}: FAILED at {failure}\n"));
            ExitCode::FAILURE
        }
    }
}

/// Prints at once, between the output of the steps; a closed pipe is not worth a panic.
fn say(text: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}
