//! From a name and a JSON body to an action.

use super::Refusal;
use axum::http::StatusCode;
use coldfront_scenarios::{Action, MockSpec};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// The actions there are, by the names that events have.
pub(super) const ACTIONS: [&str; 6] = ["cold", "warm-pool", "warm-cache", "flush-cache", "kill-connections", "slow-db"];

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct WarmPool {
    to: Option<u32>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct WarmCache {
    keys: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SlowDb {
    factor: f64,
    lasting_ms: Option<u64>,
}

/// An action without settings.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// The action called `name`, one of [`ACTIONS`], with what the body says about it.
pub(super) fn action(spec: &MockSpec, name: &str, body: &[u8]) -> Result<Action, Refusal> {
    match name {
        "warm-pool" => warm_pool(spec, body),
        "kill-connections" => {
            pool_max(spec)?;
            nothing(body, Action::KillConnections)
        }
        "warm-cache" => {
            present(spec.cache.as_ref(), "cache")?;
            let WarmCache { keys } = optional(body)?;
            Ok(Action::WarmCache { keys })
        }
        "flush-cache" => {
            present(spec.cache.as_ref(), "cache")?;
            nothing(body, Action::FlushCache)
        }
        "slow-db" => slow_db(spec, body),
        _ => nothing(body, Action::Cold),
    }
}

fn warm_pool(spec: &MockSpec, body: &[u8]) -> Result<Action, Refusal> {
    let max = pool_max(spec)?;
    let WarmPool { to } = optional(body)?;
    match to {
        Some(to) if !(1..=max).contains(&to) => Err(bad(format!("`to` must be 1 to {max}, the pool's maximum"))),
        to => Ok(Action::WarmPool { to }),
    }
}

fn slow_db(spec: &MockSpec, body: &[u8]) -> Result<Action, Refusal> {
    present(spec.db.as_ref(), "database")?;
    let SlowDb { factor, lasting_ms } = json(body)?;
    if !(factor.is_finite() && factor >= 1.0) {
        return Err(bad("`factor` must be a number of at least 1".to_owned()));
    }
    Ok(Action::SlowDb { factor, lasting: lasting_ms.map(Duration::from_millis) })
}

fn pool_max(spec: &MockSpec) -> Result<u32, Refusal> {
    let pool = spec.db.as_ref().and_then(|db| db.pool.as_ref());
    present(pool, "connection pool").map(|pool| pool.max)
}

/// What an action is about must be there.
fn present<'a, T>(tier: Option<&'a T>, what: &str) -> Result<&'a T, Refusal> {
    tier.ok_or_else(|| Refusal(StatusCode::CONFLICT, format!("the target has no {what}")))
}

fn bad(text: String) -> Refusal {
    Refusal(StatusCode::BAD_REQUEST, text)
}

fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body).map_err(|error| bad(format!("the body is not what this action takes: {error}")))
}

/// An empty body says nothing of what may be left out.
fn optional<T: DeserializeOwned + Default>(body: &[u8]) -> Result<T, Refusal> {
    if body.is_empty() { Ok(T::default()) } else { json(body) }
}

/// Takes no body, or an empty object.
fn nothing(body: &[u8], action: Action) -> Result<Action, Refusal> {
    let Nothing {} = optional(body)?;
    Ok(action)
}
