//! The embedded target alone, for whoever wants to press it with a tool of their own.

use crate::HarnessError;
use coldfront_rt::Stop;
use coldfront_scenarios::Scenario;
use std::net::TcpListener;

/// Serves the scenario's embedded target on `listener` until `stop` is requested; blocks until then.
///
/// # Errors
///
/// If the scenario aims at a URL, or the listener fails.
pub fn serve(_scenario: &Scenario, _listener: TcpListener, _stop: Stop) -> Result<(), HarnessError> {
    Err(HarnessError::Unsupported("the target's HTTP skin has not landed yet".to_owned()))
}
