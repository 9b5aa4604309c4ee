//! The seam between the database and the pool implementations.
//!
//! What every kind of pool shares is here: one absolute deadline per acquire, the books that the gauges show, the warm-ups,
//! and the server on the other side that accepts so many connections. A kind only decides who gets which connection and who
//! opens one.

mod connect;
mod deadpool_kind;
mod fill;
mod server;

use super::DbFailure;
use crate::meter::Meter;
use coldfront_clock::Instant;
use coldfront_protection::pool::{FillPlan, Levels};
use coldfront_rt::Rt;
use coldfront_scenarios::{Pool as PoolSpec, PoolKind, Series};
use deadpool_kind::{DeadpoolKind, DeadpoolLease};
use fill::OnRefusal;
use server::Server;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

/// A pool with its warm-up. Dropping it ends the warm-up.
#[derive(Debug)]
pub(crate) struct Pool {
    rt: Rt,
    meter: Meter,
    acquire_timeout: Option<Duration>,
    plan: Option<FillPlan>,
    server: Arc<Server>,
    kind: Kind,
}

/// The implementations.
#[derive(Debug)]
enum Kind {
    Deadpool(DeadpoolKind),
}

/// A connection in use. Dropping it gives it back, or closes it if the database has closed it meanwhile.
#[derive(Debug)]
pub(crate) enum Lease<'a> {
    Deadpool(DeadpoolLease<'a>),
}

/// An acquire that has to wait. Dropping it is an acquire that ends without a connection.
struct AcquireWaits<'a>(Option<&'a Server>);

impl Pool {
    /// An empty pool at `now`, whose warm-up has begun.
    pub(crate) fn new(
        spec: &PoolSpec,
        max_connections: Option<u32>,
        rt: &Rt,
        meter: &Meter,
        now: Instant,
        ready: &Arc<AtomicBool>,
    ) -> Self {
        let server = Arc::new(Server::new(spec, max_connections, rt, meter, now));
        let kind = match spec.kind {
            PoolKind::Deadpool => Kind::Deadpool(DeadpoolKind::new(Arc::clone(&server), spec.max)),
        };
        let plan = FillPlan::of(spec.warm_up, spec.max);
        match plan {
            Some(plan) if plan.keep => fill::keep(&server, plan),
            Some(plan) if plan.gate => {
                ready.store(false, Ordering::Relaxed);
                fill::behind_gate(&server, plan, Arc::clone(ready));
            }
            Some(plan) => fill::once(&server, plan, OnRefusal::TryAgain),
            None => {}
        }
        let (rt, meter) = (rt.clone(), meter.clone());
        Self { rt, meter, acquire_timeout: spec.acquire_timeout, plan, server, kind }
    }

    /// A connection for a request that asks at `asked`, within the acquire timeout counted from then.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the place in the queue or the connect it runs, and nothing else.
    pub(crate) async fn acquire(&self, asked: Instant) -> Result<Lease<'_>, DbFailure> {
        let deadline = self.acquire_timeout.map_or(Instant::MAX, |timeout| asked + timeout);
        let Kind::Deadpool(kind) = &self.kind;
        let mut get = pin!(kind.get());
        // Nearly always there is an idle connection; only what has to wait pays for a timer and for the books of waiting.
        let (got, waits) = match poll_fn(|cx| Poll::Ready(get.as_mut().poll(cx))).await {
            Poll::Ready(got) => (got, None),
            Poll::Pending => {
                let waits = AcquireWaits::new(&self.server);
                let got = self.rt.timeout_at(deadline, get).await;
                (got.map_err(|_elapsed| self.timed_out(asked))?, Some(waits))
            }
        };
        let Ok(mut lease) = got else {
            if waits.is_none() {
                self.server.acquire_failed(false);
            }
            return Err(DbFailure::ConnectRefused);
        };
        match waits {
            None => self.server.acquired(lease.begin(), false),
            Some(waits) => waits.succeed(lease.begin()),
        }
        Ok(Lease::Deadpool(lease))
    }

    /// Opens connections until the pool holds `to` (`None`: its maximum), beside the traffic.
    pub(crate) fn warm(&self, to: Option<u32>) {
        let parallel = self.plan.map_or(u32::MAX, |plan| plan.parallel);
        let plan = FillPlan { watermark: to.unwrap_or(u32::MAX), parallel, gate: false, keep: false };
        fill::once(&self.server, plan, OnRefusal::GiveUp);
    }

    /// The database closes every connection: idle ones now, those in use when they come back.
    pub(crate) fn kill(&self) {
        let Kind::Deadpool(kind) = &self.kind;
        self.server.kill(|| kind.drop_idle());
    }

    /// Ends the warm-up.
    pub(crate) fn retire(&self) {
        self.server.retire();
    }

    pub(crate) fn levels(&self) -> Levels {
        self.server.levels()
    }

    fn timed_out(&self, asked: Instant) -> DbFailure {
        let now = self.rt.now();
        let mut report = self.meter.at(now);
        report.count(Series::DbPoolTimeouts);
        report.observe(Series::DbPoolWait, now.since(asked));
        DbFailure::PoolTimeout
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.retire();
    }
}

impl Lease<'_> {
    /// How long opening this connection kept the request waiting; zero if somebody else had opened it before.
    pub(crate) fn take_opening(&mut self) -> Duration {
        match self {
            Self::Deadpool(lease) => lease.take_opening(),
        }
    }
}

impl<'a> AcquireWaits<'a> {
    fn new(server: &'a Server) -> Self {
        server.acquire_waits();
        Self(Some(server))
    }

    /// The acquire has got its connection; `was_idle`: out of the idle ones.
    fn succeed(mut self, was_idle: bool) {
        if let Some(server) = self.0.take() {
            server.acquired(was_idle, true);
        }
    }
}

impl Drop for AcquireWaits<'_> {
    fn drop(&mut self) {
        if let Some(server) = self.0 {
            server.acquire_failed(true);
        }
    }
}
