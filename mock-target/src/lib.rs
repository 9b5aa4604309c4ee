//! The service under test: gateway → catalog → cache → database, each cold on purpose.
//!
//! A [`Target`] is one service instance after another: each is a value that is cold because it is newly constructed, and
//! [`Action::Cold`](coldfront_scenarios::Action::Cold) swaps in a fresh one. Every cost is a wait on the run's clock and never
//! burns processor time, so the same code serves real HTTP in live and typed calls in sim.
//!
//! * [`Target::call`] is the whole chain. Dropping its future is a client that gave up.
//! * [`router`] and [`serve`] are a thin skin of HTTP over it, for live.
//!
//! What each tier does, in the order a request meets it:
//!
//! 1. **gateway**: readiness gate, limiter, queue and workers, its own work, upstream timeout. 429 and 503 are made here and
//!    nowhere else, with `Retry-After`.
//! 2. **catalog**: its own work and the cost of a fresh process; reads go on to the cache, imports and orders to the database.
//! 3. **cache**: look-aside, least recently used, with a lifetime; optionally one load per key at a time.
//! 4. **database**: a connection pool with its warm-up, then the query.
//!
//! Architecture invariant: no clock, no sleep, no spawn and no draw but through `coldfront-rt`; no globals; it knows nothing of
//! the load generator.

mod cache;
mod call;
mod catalog;
mod db;
mod gateway;
mod instance;
mod law;
mod meter;
mod skin;
mod target;
mod wait_list;

pub use call::{Body, Call, Cost, KeySource, OrderRequest, Reply, Source, TierCost};
pub use coldfront_scenarios::routes::RouteKind;
pub use skin::{AdminAccess, router, serve};
pub use target::{PoolState, State, Target};

#[cfg(test)]
mod tests;
