//! The embedded target alone, for whoever wants to press it with a tool of their own.

use crate::{HarnessError, threads};
use coldfront_measure::{Plan, Recorder};
use coldfront_mock_target::{AdminAccess, Target};
use coldfront_rt::Stop;
use coldfront_rt::live::{self, Clock};
use coldfront_scenarios::Scenario;
use std::net::TcpListener;
use std::sync::Arc;

/// Serves the scenario's embedded target on `listener` until `stop` is requested; blocks until then.
///
/// # Errors
///
/// If the scenario aims at a URL, or the listener fails.
pub fn serve(scenario: &Scenario, listener: TcpListener, stop: Stop) -> Result<(), HarnessError> {
    let coldfront_scenarios::Target::Embedded(spec) = &scenario.target else {
        return Err(HarnessError::Unsupported(format!("{} aims at a URL and has no target of its own", scenario.file)));
    };
    let (spec, seed) = (Arc::new((**spec).clone()), scenario.seed);
    let recorder = Recorder::new(Arc::new(Plan::compile(scenario)));
    let thread = threads::start("coldfront-target", move || {
        live::run(&Clock::start(), seed, |rt| async move {
            let target = Target::cold(spec, rt.clone(), recorder);
            coldfront_mock_target::serve(&rt, listener, async { Some(target) }, AdminAccess::Loopback, stop).await
        })
    })?;
    threads::join(thread)?.map_err(HarnessError::Listen)
}
