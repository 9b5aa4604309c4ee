//! The gateway: readiness gate → limiter → queue and workers → own work → the tiers below.
//!
//! Refusals are made here and nowhere else. The limiter reads the clock, decides and is recorded under one lock, so that the
//! instants of admissions are those it decided on, in the order in which it decided.

mod visit;

pub(crate) use visit::Visit;

use crate::call::{Body, Cost};
use crate::law::Sampler;
use crate::meter::{Meter, Report};
use crate::wait_list::WaitList;
use coldfront_clock::Instant;
use coldfront_protection::limiter::{Decision, Limiter};
use coldfront_protection::queue::{Arrived, Station};
use coldfront_protection::warm_up::Penalty;
use coldfront_rt::{Rt, Stream};
use coldfront_scenarios::{Gateway as GatewaySpec, Law, Series};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const SERVICE: Stream = Stream::named("gateway.service");

/// When to come back after a refusal that does not know better: the smallest value that `Retry-After` can carry.
pub(crate) const COME_BACK: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct Gateway {
    rt: Rt,
    meter: Meter,
    service: Sampler,
    cold: Option<Mutex<Penalty>>,
    pub(crate) upstream_timeout: Option<Duration>,
    door: Mutex<Door>,
}

/// Who is inside, who waits, and who is let in.
#[derive(Debug)]
struct Door {
    limiter: Option<Limiter>,
    station: Option<Station<usize>>,
    waits: WaitList<Turn>,
    in_flight: u64,
    /// The depth that the gauge shows.
    depth: u32,
}

/// What a waiter is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// A worker has been handed over.
    Served,
    /// The wait took too long.
    Expired,
}

/// A request that is turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) retry_after: Duration,
    pub(crate) body: Body,
}

impl Refusal {
    /// 429, until the limiter would let a request in again.
    const fn limited(retry_after: Duration) -> Self {
        Self { status: 429, retry_after, body: Body::Problem("rate limit reached") }
    }

    /// 503.
    pub(crate) const fn shed(reason: &'static str) -> Self {
        Self { status: 503, retry_after: COME_BACK, body: Body::Problem(reason) }
    }
}

impl Gateway {
    /// The gateway of an instance that starts at `now`; `None` as its spec: everybody passes at no cost.
    pub(crate) fn new(spec: Option<&GatewaySpec>, rt: &Rt, meter: &Meter, now: Instant) -> Self {
        let limiter = spec.and_then(|spec| spec.limiter.as_ref()).map(|limiter| Limiter::new(limiter, now));
        let station = spec.and_then(|spec| Some(Station::new(spec.workers?, spec.queue.as_ref())));
        let mut report = meter.at(now);
        report.gauge(Series::GatewayInFlight, 0);
        if station.is_some() {
            report.gauge(Series::GatewayQueueDepth, 0);
        }
        if let Some(limiter) = &limiter {
            report.gauge(Series::GatewayLimit, u64::from(limiter.limit()));
        }
        drop(report);
        let cold = spec.and_then(|spec| spec.cold).map(|cold| Mutex::new(Penalty::new(cold, now)));
        Self {
            rt: rt.clone(),
            meter: meter.clone(),
            service: Sampler::new(spec.map_or(&Law::Fixed(Duration::ZERO), |spec| &spec.service)),
            cold,
            upstream_timeout: spec.and_then(|spec| spec.upstream_timeout),
            door: Mutex::new(Door { limiter, station, waits: WaitList::new(), in_flight: 0, depth: 0 }),
        }
    }

    /// Lets a request in, after it has waited for a worker if need be.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the queue at once; a worker that was handed over at that instant goes to the next waiter.
    pub(crate) async fn enter(&self, is_ready: bool, cost: &mut Cost) -> Result<Visit<'_>, Refusal> {
        let (mut visit, deadline) = self.knock(is_ready)?;
        if let Some(deadline) = deadline {
            let waited = visit.wait(deadline).await?;
            cost.gateway.total += waited;
        }
        Ok(visit)
    }

    /// The gateway's own work for a request that is inside.
    pub(crate) async fn work(&self, id: u64, cost: &mut Cost) {
        let started = self.rt.now();
        let cold = self.cold.as_ref().map_or(Duration::ZERO, |cold| lock(cold).pay(started));
        let work = self.service.draw(|| self.rt.random(SERVICE, id)) + cold;
        if !work.is_zero() {
            self.rt.sleep_until(started + work).await;
            cost.gateway.total += self.rt.now().since(started);
            cost.gateway.cold += cold;
        }
    }

    /// Requests inside, and those that wait.
    pub(crate) fn levels(&self) -> (u64, u32) {
        let door = self.lock();
        (door.in_flight, door.depth)
    }

    /// Decides about a request that arrives: refused, inside, or waiting until the given instant at most.
    fn knock(&self, is_ready: bool) -> Result<(Visit<'_>, Option<Instant>), Refusal> {
        let mut door = self.lock();
        // Read under the lock: what the limiter decides on is what is recorded, in this order.
        let now = self.rt.now();
        let mut report = self.meter.at(now);
        report.count(Series::GatewayReceived);
        if !is_ready {
            report.count(Series::GatewayShed);
            return Err(Refusal::shed("not ready"));
        }
        if let Some(Decision::Refused { until }) = door.limiter.as_mut().map(|limiter| limiter.decide(now)) {
            report.count(Series::GatewayRejected);
            return Err(Refusal::limited(until.since(now)));
        }
        report.count(Series::GatewayAdmitted);
        let Door { station, waits, .. } = &mut *door;
        let mut number = usize::MAX;
        let arrived = station.as_mut().map(|station| {
            station.arrive(now, || {
                number = waits.enter();
                number
            })
        });
        let (visit, deadline) = match arrived {
            None => (Visit::without_worker(self), None),
            Some(Arrived::Served) => {
                report.observe(Series::GatewayQueueWait, Duration::ZERO);
                (Visit::served(self), None)
            }
            Some(Arrived::Waits { ticket, deadline }) => (Visit::waiting(self, number, ticket, now), Some(deadline)),
            Some(Arrived::Full) => {
                report.count(Series::GatewayShed);
                return Err(Refusal::shed("queue full"));
            }
        };
        door.in_flight += 1;
        door.show(&mut report);
        Ok((visit, deadline))
    }

    fn lock(&self) -> MutexGuard<'_, Door> {
        lock(&self.door)
    }
}

impl Door {
    /// Brings the gauges up to date after a request has come or gone.
    fn show(&mut self, report: &mut Report<'_>) {
        report.gauge(Series::GatewayInFlight, self.in_flight);
        let depth = self.station.as_ref().map_or(0, Station::waiting);
        if depth != self.depth {
            self.depth = depth;
            report.gauge(Series::GatewayQueueDepth, u64::from(depth));
        }
    }
}

/// Locks, also after a panic elsewhere: the run ends with that panic anyway.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
