//! One load per key at a time; whoever misses meanwhile waits for it.
//!
//! **Problem.** When a popular entry is missing, every request misses it at once and each loads it: the stampede hits the
//! tier below with rate × load time identical queries.
//!
//! **Rule.** The first to miss a key leads and loads; who misses it before the load ends joins. The result of the load, value
//! or error, goes to everybody who joined; an error is not kept. If the *leader* gives up, the load was not wrong, so nobody
//! who joined fails: the oldest of them, and only that one, leads from then on. A joiner that gives up just leaves.
//!
//! **Formula.** Loads per key during a load time L: 1, instead of rate × L (500/s × 0.2 s = 100). A leader that gives up adds
//! one each.
//!
//! **Source.** Go's `singleflight` for the sharing; moka's `get_with` for handing the load on when its future is dropped.
//!
//! **When it fails.** A load that hangs holds every request for its key; a leader's own deadline must not be the load's.

use super::fixed_hasher::BuildFixedHasher;
use crate::queue::{Dequeued, Fifo, Ticket};
use coldfront_clock::Instant;
use hashlink::LinkedHashMap;

/// Who loads what, and who waits for it. `T` tells one waiter from another. Memory: the requests under way.
pub struct SingleFlight<T> {
    flights: LinkedHashMap<u64, Flight<T>, BuildFixedHasher>,
    /// Waiting lists of ended flights, to be used again.
    spare: Vec<Fifo<T>>,
    started: u64,
}

struct Flight<T> {
    /// Tells this flight from an earlier one for the same key.
    number: u64,
    joined: Fifo<T>,
}

/// A place among those who wait for a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    key: u64,
    flight: u64,
    ticket: Ticket,
}

/// What a request that missed does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joined {
    /// It loads, and says so with [`SingleFlight::finish`], or [`SingleFlight::abandon`] if it gives up.
    Leads,
    /// Somebody else loads; it waits.
    Waits(Waiting),
}

/// Waiting lists kept for later use at most.
const SPARE: usize = 64;

impl<T> SingleFlight<T> {
    /// Nobody loads anything.
    pub fn new() -> Self {
        Self { flights: LinkedHashMap::with_hasher(BuildFixedHasher), spare: Vec::new(), started: 0 }
    }

    /// A request missed `key`; `waiter` is called only if it has to wait.
    pub fn join(&mut self, now: Instant, key: u64, waiter: impl FnOnce() -> T) -> Joined {
        if let Some(flight) = self.flights.get_mut(&key) {
            // Bounded by the requests under way, each of which waits in one flight at most.
            let ticket =
                flight.joined.enqueue(now, waiter()).expect("the waiting list has room for every 32-bit index");
            return Joined::Waits(Waiting { key, flight: flight.number, ticket });
        }
        self.started += 1;
        let joined = self.spare.pop().unwrap_or_else(|| Fifo::new(u32::MAX - 1, None));
        self.flights.insert(key, Flight { number: self.started, joined });
        Joined::Leads
    }

    /// The leader of `key` has a result: `tell` is called for everybody who waits, oldest first, and the flight is over.
    pub fn finish(&mut self, key: u64, mut tell: impl FnMut(T)) {
        let Some(mut flight) = self.flights.remove(&key) else { return };
        while let Some(Dequeued::InTime { item, .. } | Dequeued::Expired { item, .. }) =
            flight.joined.dequeue(Instant::ZERO)
        {
            tell(item);
        }
        if self.spare.len() < SPARE {
            self.spare.push(flight.joined);
        }
    }

    /// The leader of `key` gives up: the oldest waiter, which leads from now on; `None`: nobody waits, the flight is over.
    pub fn abandon(&mut self, key: u64) -> Option<T> {
        let heir = match self.flights.get_mut(&key)?.joined.dequeue(Instant::ZERO) {
            Some(Dequeued::InTime { item, .. } | Dequeued::Expired { item, .. }) => Some(item),
            None => None,
        };
        if heir.is_none() {
            self.finish(key, |_| {});
        }
        heir
    }

    /// A waiter gives up; `None` if it is not waiting any more.
    pub fn leave(&mut self, waiting: Waiting) -> Option<T> {
        let flight = self.flights.get_mut(&waiting.key)?;
        if flight.number == waiting.flight { flight.joined.cancel(waiting.ticket) } else { None }
    }

    /// How many loads are under way.
    pub fn len(&self) -> usize {
        self.flights.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.flights.is_empty()
    }
}

impl<T> Default for SingleFlight<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> std::fmt::Debug for SingleFlight<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SingleFlight").field("loads", &self.len()).finish_non_exhaustive()
    }
}
