//! The look-aside cache: look up, and on a miss load from the tier below and keep the value.
//!
//! With single-flight a look-up that misses decides in the same step whether it leads or joins a load, so there is one load
//! per key from the miss to the insert, however long a miss takes. See [`coldfront_protection::cache`] for the laws.

mod flight;

use crate::call::{Call, Cost, Source};
use crate::db::{Db, DbFailure};
use crate::gateway::lock;
use crate::law::Sampler;
use crate::meter::{Meter, Report};
use crate::wait_list::WaitList;
use coldfront_clock::Instant;
use coldfront_protection::cache::{Joined, SingleFlight, TtlLru};
use coldfront_rt::{Rt, Stream};
use coldfront_scenarios::{Cache as CacheSpec, Series};
use flight::{Lead, Place, Turn};
use std::sync::{Mutex, MutexGuard};

const HIT: Stream = Stream::named("cache.hit");
const MISS: Stream = Stream::named("cache.miss");

#[derive(Debug)]
pub(crate) struct Cache {
    rt: Rt,
    meter: Meter,
    hit: Sampler,
    miss: Sampler,
    capacity: u64,
    single_flight: bool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    entries: TtlLru<()>,
    flights: SingleFlight<usize>,
    waits: WaitList<Turn>,
    /// What the gauge shows.
    shown: usize,
}

/// What a look-up found.
enum Found<'a> {
    Hit,
    /// A miss that loads on its own account.
    Alone,
    /// A miss that loads for all.
    Leads(Lead<'a>),
    /// A miss that waits for another's load.
    Joins(Place<'a>),
}

impl Cache {
    pub(crate) fn new(spec: &CacheSpec, rt: &Rt, meter: &Meter, now: Instant) -> Self {
        let entries = TtlLru::new(spec.capacity, spec.ttl);
        let state = State { entries, flights: SingleFlight::new(), waits: WaitList::new(), shown: 0 };
        let cache = Self {
            rt: rt.clone(),
            meter: meter.clone(),
            hit: Sampler::new(&spec.hit),
            miss: Sampler::new(&spec.miss),
            capacity: spec.capacity,
            single_flight: spec.single_flight,
            state: Mutex::new(state),
        };
        meter.at(now).gauge(Series::CacheEntries, 0);
        if spec.warm_keys > 0 {
            cache.warm(Some(spec.warm_keys));
        }
        cache
    }

    /// The value of the call's key, from the cache or loaded through it.
    pub(crate) async fn read(&self, call: &Call, db: Option<&Db>, cost: &mut Cost) -> Result<Source, DbFailure> {
        let started = self.rt.now();
        let found = self.look_up(call.key);
        let law = if matches!(found, Found::Hit) { (&self.hit, HIT) } else { (&self.miss, MISS) };
        let look_up = law.0.draw(|| self.rt.random(law.1, call.id));
        if !look_up.is_zero() {
            self.rt.sleep_until(started + look_up).await;
            cost.cache.total += self.rt.now().since(started);
        }
        let db_cold = cost.db.cold;
        let result = match found {
            Found::Hit => return Ok(Source::Cache),
            Found::Alone => self.load(call, db, cost).await,
            Found::Leads(lead) => self.load_for_all(lead, call, db, cost).await,
            Found::Joins(place) => self.join(place, call, db, cost).await,
        };
        let db_cold = cost.db.cold.saturating_sub(db_cold);
        cost.cache.cold += self.rt.now().since(started).saturating_sub(db_cold);
        result
    }

    /// Puts keys `0..keys` in at once, by default as many as it can hold.
    pub(crate) fn warm(&self, keys: Option<u64>) {
        let mut state = self.lock();
        let now = self.rt.now();
        for key in 0..keys.unwrap_or(self.capacity).min(self.capacity) {
            state.entries.insert(now, key, ());
        }
        state.show(&mut self.meter.at(now));
    }

    /// Empties it. Loads under way go on, and their values enter the empty cache.
    pub(crate) fn flush(&self) {
        let mut state = self.lock();
        state.entries.clear();
        state.show(&mut self.meter.at(self.rt.now()));
    }

    /// Entries it holds.
    pub(crate) fn entries(&self) -> usize {
        self.lock().entries.len()
    }

    fn look_up(&self, key: u64) -> Found<'_> {
        let mut state = self.lock();
        let now = self.rt.now();
        if state.entries.get(now, key).is_some() {
            self.meter.at(now).count(Series::CacheHits);
            return Found::Hit;
        }
        let mut report = self.meter.at(now);
        report.count(Series::CacheMisses);
        // The look-up may have removed an expired entry.
        state.show(&mut report);
        if !self.single_flight {
            return Found::Alone;
        }
        let State { flights, waits, .. } = &mut *state;
        let mut number = usize::MAX;
        let joined = flights.join(now, key, || {
            number = waits.enter();
            number
        });
        match joined {
            Joined::Leads => Found::Leads(Lead::new(self, key)),
            Joined::Waits(waiting) => {
                report.count(Series::CacheCoalesced);
                Found::Joins(Place::new(self, number, waiting, key))
            }
        }
    }

    /// Loads for this request alone, and keeps the value.
    async fn load(&self, call: &Call, db: Option<&Db>, cost: &mut Cost) -> Result<Source, DbFailure> {
        self.ask(call, db, cost).await?;
        let mut state = self.lock();
        let now = self.rt.now();
        state.entries.insert(now, call.key, ());
        state.show(&mut self.meter.at(now));
        Ok(Source::Db)
    }

    /// Loads as the leader of a flight, and tells everybody who joined.
    async fn load_for_all(
        &self,
        lead: Lead<'_>,
        call: &Call,
        db: Option<&Db>,
        cost: &mut Cost,
    ) -> Result<Source, DbFailure> {
        let result = self.ask(call, db, cost).await;
        lead.finish(result);
        result.map(|()| Source::Db)
    }

    /// Waits for the load of another; becomes the leader if that one gives up and this one waits longest.
    async fn join(&self, place: Place<'_>, call: &Call, db: Option<&Db>, cost: &mut Cost) -> Result<Source, DbFailure> {
        let started = self.rt.now();
        let turn = place.wait().await;
        cost.cache.total += self.rt.now().since(started);
        match turn {
            Ok(lead) => self.load_for_all(lead, call, db, cost).await,
            Err(result) => result.map(|()| Source::Joined),
        }
    }

    /// The load itself.
    async fn ask(&self, call: &Call, db: Option<&Db>, cost: &mut Cost) -> Result<(), DbFailure> {
        let started = self.rt.now();
        self.meter.at(started).count(Series::CacheLoads);
        if let Some(db) = db {
            db.query(call.id, cost).await?;
        }
        let now = self.rt.now();
        self.meter.at(now).observe(Series::CacheLoad, now.since(started));
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    /// Brings the gauge up to date.
    fn show(&mut self, report: &mut Report<'_>) {
        let entries = self.entries.len();
        if entries != self.shown {
            self.shown = entries;
            report.gauge(Series::CacheEntries, entries as u64);
        }
    }
}
