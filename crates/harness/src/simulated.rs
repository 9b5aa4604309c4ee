//! The run in virtual time.

use crate::in_process::InProcess;
use crate::run::{Measured, drive};
use crate::{HarnessError, Options, threads, timeline};
use coldfront_generator::Attack;
use coldfront_measure::{Plan, Recorder};
use coldfront_mock_target::Target;
use coldfront_rt::sim::{self, SimError};
use coldfront_rt::{Rt, Stop};
use coldfront_scenarios::{MockSpec, Scenario};
use std::sync::Arc;

/// Simulates `scenario` on a thread of its own, as the executor must not share one with another runtime.
pub(crate) fn run(scenario: &Arc<Scenario>, options: &Options) -> Result<Measured, HarnessError> {
    let coldfront_scenarios::Target::Embedded(spec) = &scenario.target else {
        unreachable!("a simulation of a service at a URL was refused by the check of the mode");
    };
    let (scenario, spec, options) = (Arc::clone(scenario), Arc::new((**spec).clone()), options.clone());
    threads::join(threads::start("coldfront-sim", move || simulate(&scenario, spec, &options))?)?
}

fn simulate(scenario: &Arc<Scenario>, spec: Arc<MockSpec>, options: &Options) -> Result<Measured, HarnessError> {
    let plan = Arc::new(Plan::compile(scenario));
    // Everything happens on this thread, so recording needs no lock; a trace is worth one.
    let recorder = if options.trace { Recorder::traced(plan) } else { Recorder::local(plan) };
    let stop = options.stop.clone();
    let outcome =
        sim::run(scenario.seed, stop.clone(), |rt| story(rt, Arc::clone(scenario), spec, recorder.clone(), stop));
    let (end, summary) = match outcome {
        Ok((end, summary)) => (end, Some(summary)),
        Err(SimError::Interrupted { at }) => {
            recorder.interrupted(at);
            (at, None)
        }
        Err(error) => return Err(error.into()),
    };
    let trace = recorder.take_trace();
    Ok(Measured { recording: recorder.finish(end), summary, trace })
}

async fn story(
    rt: Rt,
    scenario: Arc<Scenario>,
    spec: Arc<MockSpec>,
    recorder: Recorder,
    stop: Stop,
) -> (coldfront_clock::Instant, coldfront_generator::AttackSummary) {
    let network = spec.network;
    let target = Target::cold(spec, rt.clone(), recorder.clone());
    let transport = InProcess::new(rt.clone(), target.clone(), &scenario, network);
    let mut attack = Attack::new(rt.clone(), Arc::clone(&scenario), transport.clone(), recorder.clone());
    attack.prepare().await.expect("a connect in process cannot fail");
    transport.start();
    timeline::play(&rt, &scenario, &target);
    drive(&rt, &scenario, attack, &recorder, stop).await
}
