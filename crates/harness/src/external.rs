//! A service at a URL, before time zero: made cold, and waited for until it is ready.

use crate::{HarnessError, Options};
use coldfront_generator::wire::Http;
use coldfront_generator::{Request, Transport};
use coldfront_rt::{Either, Rt, race};
use coldfront_scenarios::{External, Reset, Route, Scenario};
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long a service may take to become ready.
pub const READY_LIMIT: Duration = Duration::from_secs(60);
/// How often it is asked.
const READY_INTERVAL: Duration = Duration::from_millis(100);
/// How long one answer may take.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
/// How long a reset command may take.
const COMMAND_LIMIT: Duration = Duration::from_secs(600);
/// How often it is looked at.
const COMMAND_INTERVAL: Duration = Duration::from_millis(5);

/// Resets the service, then waits until it is ready, as far as the scenario asks for it.
pub(crate) async fn prepare(
    rt: &Rt,
    scenario: &Scenario,
    target: &External,
    options: &Options,
) -> Result<(), HarnessError> {
    match &target.reset {
        Some(Reset::Post(path)) => {
            let outcome = ask(rt, scenario, target, ("POST", path), options).await?;
            if !outcome.is_success() {
                return Err(HarnessError::Preparation(format!("reset: POST {path} {}", outcome.text())));
            }
        }
        Some(Reset::Command(words)) => run_command(rt, words, options).await?,
        None => {}
    }
    match &target.ready {
        Some(path) => wait_until_ready(rt, scenario, target, path, options).await,
        None => Ok(()),
    }
}

async fn wait_until_ready(
    rt: &Rt,
    scenario: &Scenario,
    target: &External,
    path: &str,
    options: &Options,
) -> Result<(), HarnessError> {
    let limit = rt.now() + READY_LIMIT;
    loop {
        let outcome = ask(rt, scenario, target, ("GET", path), options).await?;
        if outcome.is_success() {
            return Ok(());
        }
        if rt.now() >= limit {
            let text = outcome.text();
            let message =
                format!("the target at {} is not ready: waited {READY_LIMIT:?}, GET {path} {text}", target.url);
            return Err(HarnessError::Preparation(message));
        }
        race(rt.sleep(READY_INTERVAL), std::pin::pin!(options.stop.requested())).await;
    }
}

/// What came of one request.
enum Outcome {
    Status(u16),
    Error(String),
}

// === impl Outcome ===

impl Outcome {
    fn is_success(&self) -> bool {
        matches!(self, Self::Status(200..300))
    }

    fn text(&self) -> String {
        match self {
            Self::Status(status) => format!("answered {status}; 2xx is wanted"),
            Self::Error(error) => format!("got no answer: {error}"),
        }
    }
}

/// One request outside the load, over the load's own client.
async fn ask(
    rt: &Rt,
    scenario: &Scenario,
    target: &External,
    (method, path): (&str, &str),
    options: &Options,
) -> Result<Outcome, HarnessError> {
    let mut one = scenario.clone();
    one.traffic.truncate(1);
    one.traffic[0].mix = vec![Route {
        method: method.to_owned(),
        path: path.to_owned(),
        weight: 1.0,
        keys: None,
        headers: Vec::new(),
        body: (method == "POST").then(Vec::new),
        expect: Vec::new(),
    }];
    let http = Http::new(rt.clone(), &target.url, &one).map_err(|error| unreachable_target(target, &error))?;
    let exchange = async {
        let mut connection = http.connect().await?;
        http.exchange(&mut connection, &Request { traffic: 0, route: 0, id: u64::MAX, key: 0 }).await
    };
    let answered = rt.timeout_at(rt.now() + ANSWER_LIMIT, exchange);
    let Either::First(answered) = race(std::pin::pin!(answered), std::pin::pin!(options.stop.requested())).await else {
        return Err(HarnessError::Interrupted);
    };
    Ok(match answered {
        Ok(Ok(answer)) => Outcome::Status(answer.status),
        Ok(Err(error)) => Outcome::Error(error.to_string()),
        Err(_) => Outcome::Error(format!("nothing came within {ANSWER_LIMIT:?}")),
    })
}

/// The error of a URL that cannot be used at all, with its causes.
pub(crate) fn unreachable_target(target: &External, error: &dyn std::error::Error) -> HarnessError {
    let mut reason = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        reason = format!("{reason}: {error}");
        cause = error.source();
    }
    HarnessError::Unreachable { url: target.url.clone(), reason }
}

/// Runs the reset command to its end; what it prints goes to standard error, because standard output may be a result.
async fn run_command(rt: &Rt, words: &[String], options: &Options) -> Result<(), HarnessError> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(HarnessError::Unsupported("reset: the command is empty".to_owned()));
    };
    if !options.allow_commands {
        let message = format!("reset: the scenario wants to run `{program}`; allow it with --allow-commands");
        return Err(HarnessError::Unsupported(message));
    }
    let failed = |what: String| HarnessError::Preparation(format!("reset: {what}"));
    let started = Command::new(program).args(arguments).stdin(Stdio::null()).stdout(std::io::stderr()).spawn();
    let mut child = started.map_err(|error| failed(format!("cannot run `{program}`: {error}")))?;
    let limit = rt.now() + COMMAND_LIMIT;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(failed(format!("`{program}` ended with {status}"))),
            Ok(None) if rt.now() < limit && !options.stop.is_requested() => {}
            Ok(None) => {
                // It may have ended in this moment; then there is nothing to kill.
                let _ = child.kill();
                let _ = child.wait();
                let stopped = options.stop.is_requested();
                return Err(if stopped {
                    HarnessError::Interrupted
                } else {
                    failed(format!("`{program}` did not end within {COMMAND_LIMIT:?}"))
                });
            }
            Err(error) => return Err(failed(format!("cannot wait for `{program}`: {error}"))),
        }
        rt.sleep(COMMAND_INTERVAL).await;
    }
}
