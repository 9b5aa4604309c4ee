//! One service instance: cold when it is constructed, and gone when its last request is.

use crate::RouteKind;
use crate::cache::Cache;
use crate::call::{Body, Call, Cost, Reply, Source};
use crate::catalog::{Catalog, Reservation, StockError};
use crate::db::{Db, DbFailure};
use crate::gateway::{Gateway, Refusal};
use crate::meter::Meter;
use coldfront_measure::Recorder;
use coldfront_protection::pool::Levels;
use coldfront_rt::Rt;
use coldfront_scenarios::{MockSpec, Series};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The tiers of one instance. A tier that is switched off is not there and costs nothing.
#[derive(Debug)]
pub(crate) struct Instance {
    rt: Rt,
    meter: Meter,
    ready: Arc<AtomicBool>,
    gateway: Gateway,
    catalog: Option<Catalog>,
    pub(crate) cache: Option<Cache>,
    pub(crate) db: Option<Db>,
}

/// Why the tiers below the gateway did not do what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    Db(DbFailure),
    Stock(StockError),
}

/// The levels of one instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InstanceLevels {
    pub(crate) is_ready: bool,
    pub(crate) gateway_in_flight: u64,
    pub(crate) gateway_queue_depth: u32,
    pub(crate) catalog_in_flight: u64,
    pub(crate) cache_entries: usize,
    pub(crate) db_in_flight: u64,
    pub(crate) pool: Option<Levels>,
}

impl Instance {
    /// A cold instance, whose warm-up begins now.
    pub(crate) fn cold(spec: &MockSpec, rt: &Rt, recorder: &Recorder) -> Self {
        let now = rt.now();
        let meter = Meter::new(recorder.clone());
        let ready = Arc::new(AtomicBool::new(true));
        Self {
            gateway: Gateway::new(spec.gateway.as_ref(), rt, &meter, now),
            catalog: spec.catalog.as_ref().map(|spec| Catalog::new(spec, rt, &meter, now)),
            cache: spec.cache.as_ref().map(|spec| Cache::new(spec, rt, &meter, now)),
            db: spec.db.as_ref().map(|spec| Db::new(spec, rt, &meter, now, &ready)),
            rt: rt.clone(),
            meter,
            ready,
        }
    }

    /// The whole chain.
    pub(crate) async fn serve(&self, call: Call) -> Reply {
        let mut cost = Cost::default();
        let visit = match self.gateway.enter(self.is_ready(), &mut cost).await {
            Ok(visit) => visit,
            Err(refusal) => return refused(refusal, cost),
        };
        self.gateway.work(call.id, &mut cost).await;
        let done = match self.gateway.upstream_timeout {
            None => Ok(self.below(&call, &mut cost).await),
            Some(timeout) => self.rt.timeout_at(self.rt.now() + timeout, self.below(&call, &mut cost)).await,
        };
        let reply = match done {
            Ok(result) => answer(result, cost),
            Err(_elapsed) => {
                self.meter.at(self.rt.now()).count(Series::GatewayTimeouts);
                failed(504, "upstream timeout", cost)
            }
        };
        drop(visit);
        reply
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Relaxed)
    }

    /// Another instance takes the traffic from now on: gauges stop, warm-ups end, requests inside are finished.
    pub(crate) fn retire(&self) {
        self.meter.retire();
        if let Some(pool) = self.db.as_ref().and_then(Db::pool) {
            pool.retire();
        }
    }

    pub(crate) fn levels(&self) -> InstanceLevels {
        let (gateway_in_flight, gateway_queue_depth) = self.gateway.levels();
        let (db_in_flight, pool) = self.db.as_ref().map_or((0, None), Db::levels);
        InstanceLevels {
            is_ready: self.is_ready(),
            gateway_in_flight,
            gateway_queue_depth,
            catalog_in_flight: self.catalog.as_ref().map_or(0, Catalog::in_flight),
            cache_entries: self.cache.as_ref().map_or(0, Cache::entries),
            db_in_flight,
            pool,
        }
    }

    /// Catalog, cache and database.
    async fn below(&self, call: &Call, cost: &mut Cost) -> Result<Body, Failure> {
        let _inside = match &self.catalog {
            Some(catalog) => {
                let inside = catalog.enter();
                catalog.work(call.id, cost).await;
                Some(inside)
            }
            None => None,
        };
        match call.route {
            RouteKind::Catalog | RouteKind::Item | RouteKind::Feed => {
                let from = self.read(call, cost).await.map_err(Failure::Db)?;
                Ok(Body::Read { key: call.key, from })
            }
            RouteKind::Import => {
                self.write(call, cost).await.map_err(Failure::Db)?;
                self.meter.at(self.rt.now()).count(Series::CatalogImports);
                Ok(Body::Imported)
            }
            RouteKind::Order => self.order(call, cost).await,
        }
    }

    async fn read(&self, call: &Call, cost: &mut Cost) -> Result<Source, DbFailure> {
        match &self.cache {
            Some(cache) => cache.read(call, self.db.as_ref(), cost).await,
            None => self.write(call, cost).await.map(|()| Source::Db),
        }
    }

    /// One query; what it does is all the same to a database that is a law of waiting.
    async fn write(&self, call: &Call, cost: &mut Cost) -> Result<(), DbFailure> {
        match &self.db {
            Some(db) => db.query(call.id, cost).await,
            None => Ok(()),
        }
    }

    async fn order(&self, call: &Call, cost: &mut Cost) -> Result<Body, Failure> {
        let stock = self.catalog.as_ref().map(|catalog| &catalog.stock);
        let reservation = stock.map(|stock| stock.reserve(call.key, call.quantity)).transpose();
        let reservation = reservation.map_err(Failure::Stock)?;
        self.write(call, cost).await.map_err(Failure::Db)?;
        let left = reservation.map_or(0, Reservation::commit);
        self.meter.at(self.rt.now()).count(Series::CatalogOrders);
        Ok(Body::Ordered { sku_id: call.key, left })
    }
}

/// The one place where a refusal becomes an answer.
fn refused(refusal: Refusal, cost: Cost) -> Reply {
    Reply { status: refusal.status, retry_after: Some(refusal.retry_after), cost, body: refusal.body }
}

const fn failed(status: u16, problem: &'static str, cost: Cost) -> Reply {
    Reply { status, retry_after: None, cost, body: Body::Problem(problem) }
}

fn answer(result: Result<Body, Failure>, cost: Cost) -> Reply {
    match result {
        Ok(body) => Reply { status: 200, retry_after: None, cost, body },
        Err(Failure::Db(DbFailure::PoolTimeout)) => refused(Refusal::shed("no database connection in time"), cost),
        Err(Failure::Db(DbFailure::ConnectRefused)) => failed(500, "database refused the connection", cost),
        Err(Failure::Stock(StockError::SoldOut)) => failed(409, "sold out", cost),
        Err(Failure::Stock(StockError::UnknownProduct)) => failed(404, "unknown product", cost),
    }
}
