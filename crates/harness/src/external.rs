//! A service at a URL, before time zero: made cold, and waited for until it is ready.

use crate::{HarnessError, Options};
use coldfront_generator::wire::Http;
use coldfront_generator::{Request, Transport};
use coldfront_rt::Rt;
use coldfront_scenarios::{External, Reset, Route, Scenario};
use std::process::Command;
use std::time::Duration;

/// How long a service may take to become ready.
const READY_LIMIT: Duration = Duration::from_secs(60);
/// How often it is asked.
const READY_INTERVAL: Duration = Duration::from_millis(100);
/// How long one answer may take.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// Resets the service, then waits until it is ready, as far as the scenario asks for it.
pub(crate) async fn prepare(
    rt: &Rt,
    scenario: &Scenario,
    target: &External,
    options: &Options,
) -> Result<(), HarnessError> {
    match &target.reset {
        Some(Reset::Post(path)) => {
            let outcome = ask(rt, scenario, target, "POST", path).await?;
            if !outcome.is_success() {
                return Err(HarnessError::Preparation(format!("reset: POST {path} {}", outcome.text())));
            }
        }
        Some(Reset::Command(words)) => run_command(words, options)?,
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
        let outcome = ask(rt, scenario, target, "GET", path).await?;
        if outcome.is_success() {
            return Ok(());
        }
        let stopped = options.stop.is_requested();
        if stopped || rt.now() >= limit {
            let waited = if stopped { "until it was stopped".to_owned() } else { format!("{READY_LIMIT:?}") };
            let text = outcome.text();
            let message = format!("the target at {} is not ready: waited {waited}, GET {path} {text}", target.url);
            return Err(HarnessError::Preparation(message));
        }
        rt.sleep(READY_INTERVAL).await;
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
    method: &str,
    path: &str,
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
    Ok(match rt.timeout_at(rt.now() + ANSWER_LIMIT, exchange).await {
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

fn run_command(words: &[String], options: &Options) -> Result<(), HarnessError> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(HarnessError::Preparation("reset: the command is empty".to_owned()));
    };
    if !options.allow_commands {
        let message = format!("reset: the scenario wants to run `{program}`; allow it with --allow-commands");
        return Err(HarnessError::Preparation(message));
    }
    let status = Command::new(program).args(arguments).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(HarnessError::Preparation(format!("reset: `{program}` ended with {status}"))),
        Err(error) => Err(HarnessError::Preparation(format!("reset: cannot run `{program}`: {error}"))),
    }
}
