//! The run in real time, over real TCP: generator and embedded target on a thread each, on one clock.

use crate::run::{Measured, drive};
use crate::{HarnessError, Options, external, threads, timeline};
use coldfront_clock::Instant;
use coldfront_generator::wire::Http;
use coldfront_generator::{Attack, AttackSummary};
use coldfront_measure::{Plan, Recorder};
use coldfront_mock_target::{AdminAccess, Target, serve};
use coldfront_rt::live::{self, Clock};
use coldfront_rt::{Rt, Stop};
use coldfront_scenarios::{External, MockSpec, Scenario};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::sync::oneshot;

pub(crate) fn run(scenario: &Arc<Scenario>, options: &Options) -> Result<Measured, HarnessError> {
    let plan = Arc::new(Plan::compile(scenario));
    let clock = Clock::start();
    match &scenario.target {
        coldfront_scenarios::Target::Embedded(spec) => embedded(scenario, spec, &plan, &clock, options),
        coldfront_scenarios::Target::External(target) => {
            let load = Load::new(scenario, target.clone(), &plan, &clock, options);
            let ended = threads::join(threads::start("coldfront-generator", move || load.run(None))?)??;
            let trace = ended.recorder.take_trace();
            let recording = ended.recorder.finish(ended.end);
            Ok(Measured { recording, summary: Some(ended.summary), trace })
        }
    }
}

/// A recorder for one side of the run.
fn recorder(plan: &Arc<Plan>, options: &Options) -> Recorder {
    if options.trace { Recorder::traced(Arc::clone(plan)) } else { Recorder::new(Arc::clone(plan)) }
}

fn embedded(
    scenario: &Arc<Scenario>,
    spec: &MockSpec,
    plan: &Arc<Plan>,
    clock: &Clock,
    options: &Options,
) -> Result<Measured, HarnessError> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(HarnessError::Listen)?;
    let address = listener.local_addr().map_err(HarnessError::Listen)?;
    let (server, start) = Server::start(scenario, spec, listener, plan, clock, options)?;
    let at = External { url: format!("http://{address}"), ready: None, reset: None };
    let load = Load::new(scenario, at, plan, clock, options);
    let attacked = threads::start("coldfront-generator", move || load.run(Some(start))).and_then(threads::join);
    // Whatever became of the load, the server ends before its recording is read.
    let served = server.stop();
    let (ended, served) = (attacked??, served??);
    let mut trace = ended.recorder.take_trace();
    trace.extend(served.take_trace());
    let mut recording = ended.recorder.finish(ended.end);
    recording.merge(served.finish(ended.end)).expect("both recordings are of one plan");
    Ok(Measured { recording, summary: Some(ended.summary), trace })
}

/// The embedded target on its thread.
struct Server {
    thread: JoinHandle<Result<Recorder, HarnessError>>,
    stop: Stop,
}

/// Time zero, told to the target's thread by the generator's.
struct Start {
    now: oneshot::Sender<()>,
    is_cold: oneshot::Receiver<()>,
}

// === impl Server ===

impl Server {
    /// Accepts connections at once; the cold target behind them is made at time zero.
    fn start(
        scenario: &Arc<Scenario>,
        spec: &MockSpec,
        listener: TcpListener,
        plan: &Arc<Plan>,
        clock: &Clock,
        options: &Options,
    ) -> Result<(Self, Start), HarnessError> {
        let (now, at_zero) = oneshot::channel();
        let (tell, is_cold) = oneshot::channel();
        let stop = Stop::new();
        let (scenario, spec, clock) = (Arc::clone(scenario), Arc::new(spec.clone()), clock.clone());
        let (recorder, until) = (recorder(plan, options), stop.clone());
        let thread = threads::start("coldfront-target", move || {
            let recorded = recorder.clone();
            let seed = scenario.seed;
            live::run(&clock, seed, |rt| async move {
                let cold = {
                    let rt = rt.clone();
                    async move {
                        // The generator's end of the channel goes only when the run is given up.
                        at_zero.await.ok()?;
                        let target = Target::cold(spec, rt.clone(), recorded);
                        timeline::play(&rt, &scenario, &target);
                        tell.send(()).ok()?;
                        Some(target)
                    }
                };
                serve(&rt, listener, cold, AdminAccess::Loopback, until).await
            })
            .map_err(HarnessError::Listen)?;
            Ok(recorder)
        })?;
        Ok((Self { thread, stop }, Start { now, is_cold }))
    }

    fn stop(self) -> Result<Result<Recorder, HarnessError>, HarnessError> {
        self.stop.request();
        threads::join(self.thread)
    }
}

/// The generator on its thread.
struct Load {
    scenario: Arc<Scenario>,
    at: External,
    recorder: Recorder,
    clock: Clock,
    options: Options,
}

/// How the load ended.
struct Ended {
    recorder: Recorder,
    end: Instant,
    summary: AttackSummary,
}

// === impl Load ===

impl Load {
    fn new(scenario: &Arc<Scenario>, at: External, plan: &Arc<Plan>, clock: &Clock, options: &Options) -> Self {
        Self {
            scenario: Arc::clone(scenario),
            at,
            recorder: recorder(plan, options),
            clock: clock.clone(),
            options: options.clone(),
        }
    }

    fn run(self, start: Option<Start>) -> Result<Ended, HarnessError> {
        let (clock, seed) = (self.clock.clone(), self.scenario.seed);
        live::run(&clock, seed, |rt| self.attack(rt, start))
    }

    async fn attack(self, rt: Rt, start: Option<Start>) -> Result<Ended, HarnessError> {
        let Self { scenario, at, recorder, clock, options } = self;
        external::prepare(&rt, &scenario, &at, &options).await?;
        let http =
            Http::new(rt.clone(), &at.url, &scenario).map_err(|error| external::unreachable_target(&at, &error))?;
        let mut attack = Attack::new(rt.clone(), Arc::clone(&scenario), http, recorder.clone());
        attack.prepare().await.map_err(|error| external::unreachable_target(&at, &error))?;
        clock.restart();
        if let Some(Start { now, is_cold }) = start {
            let told = now.send(()).is_ok() && is_cold.await.is_ok();
            if !told {
                return Err(HarnessError::Panicked("the embedded target ended before the load began".to_owned()));
            }
        }
        let (end, summary) = drive(&rt, &scenario, attack, &recorder, options.stop).await;
        Ok(Ended { recorder, end, summary })
    }
}
