//! The command line as it was typed: parsed, and nothing resolved yet.

use super::seeds::Seeds;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  coldfront list                                  the scenarios that come with it
  coldfront run cold-pool-spike --sim             one of them, in virtual time: seconds at most
  coldfront run my.toml --seeds 1..20 --sim       your own, once for each of 20 seeds
  coldfront run my.toml --url http://localhost:3000
                                                  the same load at a service of yours
  coldfront load http://localhost:3000/ --rate 500/s --duration 10s

Exit codes:
  0  every expectation holds          3    the run is invalid: it cannot tell, or could not be made
  1  an expectation does not hold          because the target is not there or not ready
  2  the command line or a scenario   4    an internal error, or a result could not be written
     is wrong, and nothing ran        130  interrupted; the report covers the part that ran";

/// When traffic jumps from nothing to a flood, do your cold-start protections hold?
///
/// coldfront runs a scenario (load, target, expectations) and judges it: live over real HTTP, or simulated in virtual time.
#[derive(Debug, Parser)]
#[command(name = "coldfront", bin_name = "coldfront", version, after_help = EXAMPLES, max_term_width = 100, subcommand_required = true)]
#[command(arg_required_else_help = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run scenarios and judge them
    #[command(after_help = RUN_EXAMPLES)]
    Run(Run),
    /// Put load on a URL, without a scenario file
    #[command(after_help = LOAD_EXAMPLES)]
    Load(Load),
    /// Serve the mock service alone, for a load generator of your own
    #[command(after_help = TARGET_EXAMPLES)]
    Target(Target),
    /// List the scenarios that come with coldfront
    List,
    /// Check scenario files and say what they would do, without running them
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Check),
}

// === run ===

const RUN_EXAMPLES: &str = "\
All files are checked before anything runs: if one is wrong, nothing does.

Examples:
  coldfront run spike.toml                        in the file's mode, live if it names none
  coldfront run spike.toml --sim --seed 7         the same bytes every time
  coldfront run *.toml --sim -q                   one line each
  coldfront run spike.toml --live --repeat 5      how much the result varies
  coldfront run spike.toml --seeds 1..20 --sim --out 'json=out/{scenario}-{seed}.json'
  coldfront run spike.toml --sim --out json=- | jq .verdict";

/// What to run, and how.
#[derive(Debug, Args)]
pub(super) struct Run {
    /// A scenario file, or the name of a scenario that comes with coldfront
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) mode: ModeFlags,
    /// The seed of every draw, instead of the file's
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// One run for each of these seeds: 1..20 (both included), or 1,2,3
    #[arg(long, value_name = "SEEDS", conflicts_with = "seed")]
    pub(super) seeds: Option<Seeds>,
    /// Run each N times
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) repeat: u32,
    /// Aim at this service instead of the file's target (live only)
    #[arg(long, value_name = "URL", conflicts_with = "sim")]
    pub(super) url: Option<String>,
    /// Let a scenario run commands on this machine to reset its target
    #[arg(long)]
    pub(super) allow_commands: bool,
    #[command(flatten)]
    pub(super) output: OutputFlags,
}

/// Which clock and wire.
#[derive(Clone, Copy, Debug, Args)]
#[group(multiple = false)]
pub(super) struct ModeFlags {
    /// Virtual time, in process: the same bytes for the same file and seed
    #[arg(long)]
    pub(super) sim: bool,
    /// Real time, real HTTP
    #[arg(long)]
    pub(super) live: bool,
}

/// Where results go.
#[derive(Clone, Debug, Args)]
pub(super) struct OutputFlags {
    /// Write the result to a file, `-` for standard output; with several runs PATH takes {scenario}, {seed} and {repeat}.
    /// Missing folders are made
    #[arg(short, long = "out", value_name = "json=PATH")]
    pub(super) out: Vec<String>,
    /// Print one line per run instead of the summary
    #[arg(short, long)]
    pub(super) quiet: bool,
}

// === load ===

const LOAD_EXAMPLES: &str = "\
The load is open loop: requests leave when they are due, however slow the answers are, and latency
counts from the time they were due.

Examples:
  coldfront load http://localhost:3000/ -r 500/s -d 30s
  coldfront load http://localhost:3000/ --stage 5s:0/s --stage 10s:500/s --stage 5s:0/s
  coldfront load http://localhost:3000/items -r 100/s -n 1000 --method POST --json '{\"sku\": 7}'
  coldfront load http://localhost:3000/ -r 500/s -d 10s --expect 'p95(latency) <= 250ms'";

/// One stream of requests at a URL.
#[derive(Debug, Args)]
pub(super) struct Load {
    /// Where to: http://host:port/path; without a port, 80
    #[arg(value_name = "URL")]
    pub(super) url: String,
    /// Requests per second, in all: 500/s, 30/m
    #[arg(short, long, value_name = "RATE", required_unless_present = "stages")]
    pub(super) rate: Option<String>,
    /// For how long: 30s, 1m30s
    #[arg(short, long, value_name = "DURATION", conflicts_with_all = ["stages", "requests"])]
    #[arg(required_unless_present_any = ["stages", "requests"])]
    pub(super) duration: Option<String>,
    /// How many requests, instead of a duration (uniform arrivals only)
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "stages")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(super) requests: Option<u64>,
    /// A stretch of time at a rate, instead of --rate and --duration; repeat it: 10s:500/s
    #[arg(long = "stage", value_name = "DURATION:RATE", conflicts_with = "rate")]
    pub(super) stages: Vec<String>,
    /// The law of the gaps between requests
    #[arg(long, value_enum, default_value_t = Arrivals::Uniform)]
    pub(super) arrivals: Arrivals,
    /// Connections at most
    #[arg(short, long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65_535))]
    pub(super) connections: u32,
    /// Requests without an answer at most; what is due beyond is counted as dropped
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) max_in_flight: u32,
    /// Give a request up after this, from the time it was due
    #[arg(long, value_name = "DURATION")]
    pub(super) timeout: Option<String>,
    /// The request's method [default: GET, POST with a body]
    #[arg(long, value_name = "METHOD", ignore_case = true, hide_possible_values = true)]
    #[arg(value_parser = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"])]
    pub(super) method: Option<String>,
    /// A header; repeat it: 'accept: text/html'
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    pub(super) headers: Vec<String>,
    /// The request's body
    #[arg(long, value_name = "TEXT", conflicts_with = "json")]
    pub(super) body: Option<String>,
    /// The request's body as JSON; sets content-type
    #[arg(long, value_name = "JSON")]
    pub(super) json: Option<String>,
    /// What must hold; repeat it: 'p95(latency) <= 250ms'
    #[arg(long = "expect", value_name = "EXPECTATION")]
    pub(super) expect: Vec<String>,
    /// The seed of every draw
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    #[command(flatten)]
    pub(super) output: OutputFlags,
}

/// The law of the gaps between requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Arrivals {
    /// Even gaps
    Uniform,
    /// Random, independent arrivals: the count varies too
    Poisson,
}

// === target, check ===

const TARGET_EXAMPLES: &str = "\
Routes:
  GET /catalog, GET /items/{key}, GET /api/v1/feed, POST /import, POST /api/v1/seckill/order
  GET /healthz, GET /readyz, GET /metrics
  from this machine also POST /admin/cold, /admin/warm-pool, /admin/warm-cache; GET /admin/state

Examples:
  coldfront target                                     every protection on, on 127.0.0.1:8080
  coldfront target cold-pool-spike                     the target of a scenario
  coldfront target my.toml --listen 127.0.0.1:0        on a free port, which it prints
  curl -X POST http://127.0.0.1:8080/admin/cold        cold again

Ctrl-C ends it with exit code 130.";

/// Which service to serve, and where.
#[derive(Debug, Args)]
pub(super) struct Target {
    /// A scenario file, or the name of a shipped one: its target is served [default: burst-0-500-0]
    #[arg(value_name = "FILE")]
    pub(super) file: Option<PathBuf>,
    /// Address and port; port 0 picks a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub(super) listen: SocketAddr,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  coldfront check my.toml
  coldfront check scenarios/*.toml                exit code 2 if one is wrong";

/// What to check.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// A scenario file, or the name of a scenario that comes with coldfront
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn help_needs_no_more_than_100_columns() {
        let mut command = Arguments::command();
        command.build();
        let mut helps = vec![command.render_long_help().to_string()];
        helps.extend(command.get_subcommands_mut().map(|sub| sub.render_long_help().to_string()));
        // Written by hand and wrapped by clap if it is too long: then a line starts without its indentation.
        helps.extend([EXAMPLES, RUN_EXAMPLES, LOAD_EXAMPLES, TARGET_EXAMPLES, CHECK_EXAMPLES].map(str::to_owned));
        for line in helps.iter().flat_map(|help| help.lines()) {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}
