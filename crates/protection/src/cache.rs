//! Caches: entries with a lifetime, and one load per key at a time.
//!
//! [`TtlLru`] holds the entries, [`SingleFlight`] knows who is loading what and who waits for it. [`FixedHasher`] makes both
//! the same on every run.

mod fixed_hasher;
mod single_flight;
mod ttl_lru;

pub use fixed_hasher::{BuildFixedHasher, FixedHasher};
pub use single_flight::{Joined, SingleFlight, Waiting};
pub use ttl_lru::TtlLru;

#[cfg(test)]
mod tests;
