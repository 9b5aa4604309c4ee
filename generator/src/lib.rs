//! The load generator: when each request is due, what it asks for, and how it is sent.
//!
//! - [`schedule`] turns a stream's stages into arrivals, a pure function of the seed.
//! - [`mix`] and [`keys`] choose what each arrival asks for, a pure function of the seed and its id.
//! - [`Transport`] is how a request travels.
//!
//! Architecture invariant: this crate knows no target. It meets one only through a [`Transport`].

pub mod keys;
pub mod mix;
#[cfg(test)]
mod samples;
pub mod schedule;
mod transport;

pub use transport::{Exchange, Request, Transport, TransportError};
