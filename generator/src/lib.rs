//! The load generator: when each request is due, what it asks for, and how it is sent.
//!
//! - [`schedule`] turns a stream's stages into arrivals, a pure function of the seed.
//! - [`mix`] and [`keys`] choose what each arrival asks for, a pure function of the seed and its id.
//! - [`Attack`] sends each at its time and accounts for every one.
//! - [`Transport`] is how a request travels.
//!
//! Architecture invariant: this crate knows no target. It meets one only through a [`Transport`].

mod attack;
pub mod keys;
pub mod mix;
#[cfg(test)]
mod samples;
pub mod schedule;
mod transport;
pub mod wire;

pub use attack::{Attack, AttackEnd, AttackSummary, CONNECT_LIMIT, PrepareError};
pub use transport::{Exchange, Request, Transport, TransportError};
