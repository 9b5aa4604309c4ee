//! The events of a scenario, played to the embedded target at their moments.

use coldfront_clock::Instant;
use coldfront_mock_target::Target;
use coldfront_rt::{Class, Rt};
use coldfront_scenarios::Scenario;
use std::sync::Arc;

/// Starts a daemon that plays the events; the run's end drops what has not come.
pub(crate) fn play(rt: &Rt, scenario: &Arc<Scenario>, target: &Target) {
    if scenario.events.is_empty() {
        return;
    }
    let (timer, scenario, target) = (rt.clone(), Arc::clone(scenario), target.clone());
    rt.spawn_daemon("timeline", async move {
        for event in &scenario.events {
            timer.sleep_until_class(Instant::after_start(event.at), Class::Event).await;
            target.apply(&event.action);
        }
    });
}
