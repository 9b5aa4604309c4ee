//! The application: its own work, the cost of a fresh process, and the flash-sale stock.

mod stock;

use crate::call::Cost;
use crate::gateway::lock;
use crate::law::Sampler;
use crate::meter::{Level, Meter};
use coldfront_clock::Instant;
use coldfront_protection::warm_up::Penalty;
use coldfront_rt::{Rt, Stream};
use coldfront_scenarios::{Catalog as CatalogSpec, Series};
use std::sync::Mutex;
use std::time::Duration;

pub(crate) use stock::{Reservation, Stock, StockError};

const SERVICE: Stream = Stream::named("catalog.service");

#[derive(Debug)]
pub(crate) struct Catalog {
    rt: Rt,
    meter: Meter,
    service: Sampler,
    cold: Option<Mutex<Penalty>>,
    in_flight: Level,
    pub(crate) stock: Stock,
}

/// A call inside the catalog; it has left when this is dropped.
#[derive(Debug)]
pub(crate) struct Inside<'a>(&'a Catalog);

impl Catalog {
    pub(crate) fn new(spec: &CatalogSpec, rt: &Rt, meter: &Meter, now: Instant) -> Self {
        Self {
            rt: rt.clone(),
            meter: meter.clone(),
            service: Sampler::new(&spec.service),
            cold: spec.cold.map(|cold| Mutex::new(Penalty::new(cold, now))),
            in_flight: Level::new(Series::CatalogInFlight, meter, now),
            stock: Stock::new(spec.stock),
        }
    }

    /// A call arrives.
    pub(crate) fn enter(&self) -> Inside<'_> {
        let now = self.rt.now();
        let mut report = self.meter.at(now);
        report.count(Series::CatalogCalls);
        report.raise(&self.in_flight);
        Inside(self)
    }

    /// The catalog's own work for one call.
    pub(crate) async fn work(&self, id: u64, cost: &mut Cost) {
        let started = self.rt.now();
        let cold = self.cold.as_ref().map_or(Duration::ZERO, |cold| lock(cold).pay(started));
        let work = self.service.draw(|| self.rt.random(SERVICE, id)) + cold;
        if !work.is_zero() {
            self.rt.sleep_until(started + work).await;
        }
        let now = self.rt.now();
        self.meter.at(now).observe(Series::CatalogService, now.since(started));
        cost.catalog.total += now.since(started);
        cost.catalog.cold += cold;
    }

    /// Calls inside.
    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight.get()
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        let catalog = self.0;
        catalog.meter.at(catalog.rt.now()).lower(&catalog.in_flight);
    }
}
