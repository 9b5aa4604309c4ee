//! `load`: a scenario made of flags.

use super::arguments::{self as cli, Load};
use super::failure::Failure;
use crate::{Error, Scenario};
use coldfront_scenarios::quantity::{parse_duration, parse_rate};
use coldfront_scenarios::{Arrivals, Builder, InFlight, InFlightPolicy, Open, Problem, Rate};
use std::time::Duration;

/// The name of the scenario's file in messages.
const FILE: &str = "<command line>";

/// The scenario that the flags describe, checked as a file would be.
pub(super) fn scenario(flags: &Load) -> Result<Scenario, Failure> {
    let builder = coldfront_scenarios::Scenario::builder(&flags.url)
        .file(FILE)
        .seed(flags.seed)
        .method(method(flags))
        .arrivals(arrivals(flags.arrivals))
        .connections(flags.connections, Open::Lazy)
        .in_flight(InFlight { max: flags.max_in_flight, policy: InFlightPolicy::Drop });
    with_load(flags, with_request(flags, builder)?)
}

/// The request: its URL, timeout, headers and body.
fn with_request(flags: &Load, builder: Builder) -> Result<Builder, Failure> {
    if flags.url.contains("{key}") {
        let message = format!("{} has a `{{key}}`, and load has no keys", flags.url);
        return Err(Failure::usage(message, "write a scenario: its mix takes `keys`"));
    }
    // Whatever the stages are: so that what is wrong with the URL is said of the URL.
    let mut builder = tried(builder, any, &flags.url)?;
    if let Some(timeout) = &flags.timeout {
        builder = builder.timeout(duration("--timeout", timeout)?);
        builder = tried(builder, any, &format!("--timeout {timeout}"))?;
    }
    for (name, value) in headers(flags)? {
        builder = tried(builder.header(&name, &value), any, &format!("--header '{name}: {value}'"))?;
    }
    if let Some(body) = flags.body.as_ref().or(flags.json.as_ref()) {
        builder = tried(builder.body(body.as_bytes()), any, if flags.json.is_some() { "--json" } else { "--body" })?;
    }
    Ok(builder)
}

/// The stages, and what is expected of them.
fn with_load(flags: &Load, mut builder: Builder) -> Result<Scenario, Failure> {
    for (index, (lasts, per_second)) in stages(flags)?.into_iter().enumerate() {
        let option = flags.stages.get(index).map_or_else(|| "the load".to_owned(), |stage| format!("--stage {stage}"));
        let stage = builder.stage(&format!("stage-{}", index + 1), lasts, Rate::Constant(per_second));
        builder = tried(stage, any, &option)?;
    }
    builder = tried(builder, |builder| builder, "the load")?;
    for (index, expectation) in flags.expect.iter().enumerate() {
        let expecting = builder.expect(&format!("expect-{}", index + 1), expectation);
        builder = tried(expecting, |builder| builder, &format!("--expect '{expectation}'"))?;
    }
    Ok(builder.build().map_err(Error::from)?.into())
}

/// With a stage that sends something.
fn any(builder: Builder) -> Builder {
    builder.stage("any", Duration::from_secs(1), Rate::Constant(1.0))
}

/// The builder if it builds, completed for the trial. The builder's errors point into a file that nobody wrote: they are
/// told of the option that was added last.
fn tried(builder: Builder, complete: impl FnOnce(Builder) -> Builder, option: &str) -> Result<Builder, Failure> {
    match complete(builder.clone()).build() {
        Ok(_) => Ok(builder),
        Err(error) => Err(Failure::Several(error.problems.iter().map(|problem| told_of(option, problem)).collect())),
    }
}

fn told_of(option: &str, problem: &Problem) -> Failure {
    let message = format!("{option}: {}", problem.message());
    Failure::Usage { message, help: problem.help_text().map(str::to_owned) }
}

fn method(flags: &Load) -> &str {
    let has_body = flags.body.is_some() || flags.json.is_some();
    flags.method.as_deref().unwrap_or(if has_body { "POST" } else { "GET" })
}

fn arrivals(arrivals: cli::Arrivals) -> Arrivals {
    match arrivals {
        cli::Arrivals::Uniform => Arrivals::Uniform,
        cli::Arrivals::Poisson => Arrivals::Poisson,
    }
}

/// The stages: how long, and at which rate.
fn stages(flags: &Load) -> Result<Vec<(Duration, f64)>, Failure> {
    let Some(rate) = &flags.rate else {
        return flags.stages.iter().map(|stage| staged(stage)).collect();
    };
    let per_second = parsed_rate("--rate", rate)?;
    let lasts = match (&flags.duration, flags.requests) {
        (Some(text), _) => duration("--duration", text)?,
        (None, Some(requests)) => lasting(requests, per_second, flags.arrivals)?,
        (None, None) => unreachable!("the command line requires one of them"),
    };
    Ok(vec![(lasts, per_second)])
}

/// `10s:500/s`.
fn staged(stage: &str) -> Result<(Duration, f64), Failure> {
    let Some((lasts, rate)) = stage.split_once(':') else {
        return Err(Failure::usage(
            format!("--stage {stage} has no `:`"),
            "write a duration and a rate: --stage 10s:500/s",
        ));
    };
    Ok((duration("--stage", lasts)?, parsed_rate("--stage", rate)?))
}

/// The time in which exactly so many evenly spaced requests are due.
fn lasting(requests: u64, per_second: f64, arrivals: cli::Arrivals) -> Result<Duration, Failure> {
    if arrivals == cli::Arrivals::Poisson {
        let message = "--requests does not go with --arrivals poisson, whose count varies";
        return Err(Failure::usage(message, "give a --duration, or take --arrivals uniform"));
    }
    // Half a gap more than the last request needs, so that rounding cannot lose it.
    Duration::try_from_secs_f64((requests as f64 + 0.5) / per_second).map_err(|_| {
        Failure::usage(format!("{requests} requests never end at this rate"), "give --rate a rate above 0")
    })
}

fn duration(flag: &str, text: &str) -> Result<Duration, Failure> {
    parse_duration(text).map_err(|error| Failure::usage(format!("{flag} {text}: {}", error.message), error.help))
}

fn parsed_rate(flag: &str, text: &str) -> Result<f64, Failure> {
    parse_rate(text).map_err(|error| Failure::usage(format!("{flag} {text}: {}", error.message), error.help))
}

/// The headers that were given, and the one that JSON needs.
fn headers(flags: &Load) -> Result<Vec<(String, String)>, Failure> {
    let mut headers = flags.headers.iter().map(|header| named(header)).collect::<Result<Vec<_>, _>>()?;
    if let Some(json) = &flags.json {
        if let Err(error) = serde_json::from_str::<serde_json::Value>(json) {
            return Err(Failure::usage(
                format!("--json is no JSON: {error}"),
                "quote it for the shell: '{\"sku\": 7}'",
            ));
        }
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
            headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
    }
    Ok(headers)
}

fn named(header: &str) -> Result<(String, String), Failure> {
    match header.split_once(':') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.trim().to_owned())),
        _ => Err(Failure::usage(format!("--header {header} has no `name:`"), "write it as 'accept: text/html'")),
    }
}

#[cfg(test)]
mod tests;
