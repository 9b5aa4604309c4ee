//! A scripted transport and the run of an attack over it, in virtual time.

use crate::attack::{Attack, AttackSummary};
use crate::transport::{Exchange, Request, Transport, TransportError};
use coldfront_clock::Instant;
use coldfront_measure::{ColdCosts, Plan, Recorder, Sample, Snapshot, TraceEvent};
use coldfront_rt::{Rt, Stop, sim};
use coldfront_scenarios::Scenario;
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(super) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(super) fn at_ms(millis: u64) -> Instant {
    Instant::after_start(ms(millis))
}

/// What a request meets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// An answer of this status after this time.
    Answer(u16, Duration),
    /// A 200 whose first byte comes after this time and whose last after that more.
    InParts(Duration, Duration),
    /// The same as an answer, and the connection closes with it.
    Last(u16, Duration),
    /// An error after this time.
    Fails(TransportError, Duration),
}

/// Something that happened at the transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Connect,
    /// On the connection of this number, from 0.
    Send {
        sequence: u64,
        connection: usize,
    },
    /// A connection was closed.
    Close(usize),
}

type OnRequest = dyn Fn(&Request, usize) -> Step + Send + Sync;
type OnConnect = dyn Fn(usize) -> Result<Duration, TransportError> + Send + Sync;

/// A transport that does as it is told and keeps a log.
#[derive(Clone)]
pub(super) struct Script {
    pub(super) on_request: Arc<OnRequest>,
    pub(super) on_connect: Arc<OnConnect>,
    /// The other side closes a connection that was idle for so long.
    pub(super) idle_for: Option<Duration>,
    rt: Option<Rt>,
    log: Log,
}

#[derive(Clone, Default)]
pub(super) struct Log(Arc<Mutex<Entries>>);

#[derive(Default)]
struct Entries {
    seen: Vec<(Instant, Seen)>,
    connects: usize,
}

/// A scripted connection.
pub(super) struct Wire {
    number: usize,
    log: Log,
    rt: Rt,
}

/// How a run went.
pub(super) struct Ran {
    pub(super) summary: AttackSummary,
    pub(super) totals: Snapshot,
    pub(super) seen: Vec<(Instant, Seen)>,
    /// What was recorded, in order.
    pub(super) trace: Vec<TraceEvent>,
}

impl Script {
    /// Every request is answered 200 after `service`; connecting takes no time.
    pub(super) fn answers_after(service: Duration) -> Self {
        Self::new(move |_, _| Step::Answer(200, service))
    }

    pub(super) fn new(on_request: impl Fn(&Request, usize) -> Step + Send + Sync + 'static) -> Self {
        Self {
            on_request: Arc::new(on_request),
            on_connect: Arc::new(|_| Ok(Duration::ZERO)),
            idle_for: None,
            rt: None,
            log: Log::default(),
        }
    }

    pub(super) fn connecting(
        self,
        on_connect: impl Fn(usize) -> Result<Duration, TransportError> + Send + Sync + 'static,
    ) -> Self {
        Self { on_connect: Arc::new(on_connect), ..self }
    }

    fn rt(&self) -> &Rt {
        self.rt.as_ref().expect("the script is running")
    }
}

impl Transport for Script {
    type Connection = Wire;

    async fn connect(&self) -> Result<Wire, TransportError> {
        let number = {
            let mut log = self.log.0.lock().unwrap();
            log.seen.push((self.rt().now(), Seen::Connect));
            log.connects += 1;
            log.connects - 1
        };
        let takes = (self.on_connect)(number)?;
        self.rt().sleep(takes).await;
        Ok(Wire { number, log: self.log.clone(), rt: self.rt().clone() })
    }

    async fn exchange(&self, connection: &mut Wire, request: &Request) -> Result<Exchange, TransportError> {
        let sequence = request.id & ((1 << 48) - 1);
        self.log.push(self.rt().now(), Seen::Send { sequence, connection: connection.number });
        let (status, takes, transfer, reusable) = match (self.on_request)(request, connection.number) {
            Step::Answer(status, takes) => (status, takes, Duration::ZERO, true),
            Step::InParts(takes, transfer) => (200, takes, transfer, true),
            Step::Last(status, takes) => (status, takes, Duration::ZERO, false),
            Step::Fails(error, takes) => {
                self.rt().sleep(takes).await;
                return Err(error);
            }
        };
        self.rt().sleep(takes).await;
        let first_byte_at = self.rt().now();
        self.rt().sleep(transfer).await;
        let completed_at = self.rt().now();
        Ok(Exchange { status, first_byte_at, completed_at, cold: ColdCosts::default(), reusable })
    }

    async fn closed(&self, _connection: &mut Wire) {
        match self.idle_for {
            Some(time) => self.rt().sleep(time).await,
            None => std::future::pending().await,
        }
    }
}

impl Log {
    fn push(&self, at: Instant, seen: Seen) {
        self.0.lock().unwrap().seen.push((at, seen));
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.log.push(self.rt.now(), Seen::Close(self.number));
    }
}

impl Ran {
    /// When and on which connection each request was sent, in order.
    pub(super) fn sends(&self) -> Vec<(Instant, u64, usize)> {
        let send = |(at, seen): &(Instant, Seen)| match seen {
            Seen::Send { sequence, connection } => Some((*at, *sequence, *connection)),
            _ => None,
        };
        self.seen.iter().filter_map(send).collect()
    }

    /// How each request ended, in the order of their numbers.
    pub(super) fn samples(&self) -> Vec<Sample> {
        let outcome = |event: &TraceEvent| match event {
            TraceEvent::Outcome(sample) => Some(*sample),
            _ => None,
        };
        let mut samples: Vec<Sample> = self.trace.iter().filter_map(outcome).collect();
        samples.sort_by_key(|sample| sample.arrival.sequence);
        samples
    }
}

/// The scenario of one stream `t` with these lines, and stages.
pub(super) fn scenario(lines: &str, stages: &[(&str, &str)]) -> Scenario {
    let head =
        format!("name = \"test\"\n[target]\n[[traffic]]\nname = \"t\"\nmix = [{{ get = \"/catalog\" }}]\n{lines}\n");
    let stage = |(index, (time, rate)): (usize, &(&str, &str))| {
        let rate = if rate.starts_with('{') { (*rate).to_owned() } else { format!("\"{rate}\"") };
        format!("[[traffic.stage]]\nname = \"s{index}\"\nfor = \"{time}\"\nrate = {rate}\n")
    };
    let text = stages.iter().enumerate().map(stage).fold(head, |text, stage| text + &stage);
    match Scenario::parse(&text, "test.toml") {
        Ok(scenario) => scenario,
        Err(error) => panic!("{}", error.plain()),
    }
}

/// How a run is started and ended.
pub(super) struct How {
    /// When the schedule began, before the attack starts at time `late_by`.
    pub(super) late_by: Duration,
    pub(super) stop_at: Option<Duration>,
    pub(super) prepare: bool,
}

impl Default for How {
    fn default() -> Self {
        Self { late_by: Duration::ZERO, stop_at: None, prepare: true }
    }
}

pub(super) fn run(scenario: Scenario, script: Script) -> Ran {
    run_how(scenario, script, &How::default())
}

pub(super) fn run_how(scenario: Scenario, script: Script, how: &How) -> Ran {
    let scenario = Arc::new(scenario);
    let recorder = Recorder::traced(Arc::new(Plan::compile(&scenario)));
    let horizon = Instant::after_start(scenario.stages_end() + scenario.drain());
    let (log, records, seed, stop) = (script.log.clone(), recorder.clone(), scenario.seed, Stop::new());
    let (late_by, stop_at, prepare) = (how.late_by, how.stop_at, how.prepare);
    let summary = sim::run(seed, Stop::new(), move |rt| async move {
        let script = Script { rt: Some(rt.clone()), ..script };
        let mut attack = Attack::new(rt.clone(), scenario, script, records);
        if prepare {
            attack.prepare().await.expect("the script lets the first connections open");
        }
        if let Some(at) = stop_at {
            let (rt, stop) = (rt.clone(), stop.clone());
            rt.clone().spawn_daemon("stop", async move {
                rt.sleep(at).await;
                stop.request();
            });
        }
        rt.sleep(late_by).await;
        attack.run(Instant::ZERO, stop, horizon).await
    });
    let summary = summary.expect("the run ends");
    let seen = std::mem::take(&mut log.0.lock().unwrap().seen);
    Ran { summary, totals: recorder.snapshot(), seen, trace: recorder.take_trace() }
}

/// Only prepares.
pub(super) fn prepare(scenario: Scenario, script: Script) -> Result<(), crate::attack::PrepareError> {
    let recorder = Recorder::new(Arc::new(Plan::compile(&scenario)));
    let prepared = sim::run(1, Stop::new(), move |rt| async move {
        let script = Script { rt: Some(rt.clone()), ..script };
        Attack::new(rt, Arc::new(scenario), script, recorder).prepare().await
    });
    prepared.expect("the run ends")
}
