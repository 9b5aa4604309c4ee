//! The database: a connection, then the query.

mod pool;
mod slow;

use crate::call::Cost;
use crate::law::Sampler;
use crate::meter::{Level, Meter};
use coldfront_clock::Instant;
use coldfront_protection::pool::Levels;
use coldfront_rt::{Rt, Stream};
use coldfront_scenarios::{Db as DbSpec, Series};
pub(crate) use pool::Pool;
use slow::Slow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const QUERY: Stream = Stream::named("db.query");

#[derive(Debug)]
pub(crate) struct Db {
    rt: Rt,
    meter: Meter,
    query: Sampler,
    slow: Slow,
    in_flight: Level,
    pool: Option<Pool>,
}

/// Why the database did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DbFailure {
    /// No connection within the acquire timeout.
    PoolTimeout,
    /// The server accepts no more connections.
    ConnectRefused,
}

/// A query that runs; dropping it is a query whose client gave up.
struct Running<'a>(Option<&'a Db>);

impl Db {
    /// The database of an instance that starts at `now`; its pool begins to fill. `ready` is set once the instance may take
    /// traffic, if the warm-up has a gate, and left alone otherwise.
    pub(crate) fn new(spec: &DbSpec, rt: &Rt, meter: &Meter, now: Instant, ready: &Arc<AtomicBool>) -> Self {
        let pool = spec.pool.as_ref().map(|pool| Pool::new(pool, spec.max_connections, rt, meter, now, ready));
        Self {
            rt: rt.clone(),
            meter: meter.clone(),
            query: Sampler::new(&spec.query),
            slow: Slow::new(),
            in_flight: Level::new(Series::DbInFlight, meter, now),
            pool,
        }
    }

    /// One query on behalf of request `id`, with a connection acquired for it.
    pub(crate) async fn query(&self, id: u64, cost: &mut Cost) -> Result<(), DbFailure> {
        let asked = self.rt.now();
        let lease = match &self.pool {
            Some(pool) => {
                let mut lease = pool.acquire(asked).await?;
                cost.db.cold += lease.take_opening();
                Some(lease)
            }
            None => None,
        };
        let started = self.rt.now();
        let pool_wait = lease.as_ref().map(|_| started.since(asked));
        let running = Running::begin(self, started, pool_wait);
        let time = self.slow.stretch(started, self.query.draw(|| self.rt.random(QUERY, id)));
        if !time.is_zero() {
            self.rt.sleep_until(started + time).await;
        }
        let now = self.rt.now();
        running.end(now, now.since(started));
        drop(lease);
        cost.db.total += now.since(asked);
        Ok(())
    }

    /// From now on queries take `factor` times as long, for `lasting`.
    pub(crate) fn slow_down(&self, factor: f64, lasting: Option<Duration>) {
        self.slow.set(self.rt.now(), factor, lasting);
    }

    pub(crate) fn pool(&self) -> Option<&Pool> {
        self.pool.as_ref()
    }

    /// Queries running, and the levels of the pool.
    pub(crate) fn levels(&self) -> (u64, Option<Levels>) {
        (self.in_flight.get(), self.pool.as_ref().map(Pool::levels))
    }
}

impl<'a> Running<'a> {
    /// A query starts at `now`, after so long a wait for a connection, if it needs one.
    fn begin(db: &'a Db, now: Instant, pool_wait: Option<Duration>) -> Self {
        let mut report = db.meter.at(now);
        if let Some(wait) = pool_wait {
            report.observe(Series::DbPoolWait, wait);
        }
        report.count(Series::DbQueries);
        report.raise(&db.in_flight);
        Self(Some(db))
    }

    /// It ends by itself, after `time`.
    fn end(mut self, now: Instant, time: Duration) {
        if let Some(db) = self.0.take() {
            let mut report = db.meter.at(now);
            report.observe(Series::DbQuery, time);
            report.lower(&db.in_flight);
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(db) = self.0 {
            db.meter.at(db.rt.now()).lower(&db.in_flight);
        }
    }
}
