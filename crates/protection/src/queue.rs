//! Queues: where a request waits for a worker, and for how long.
//!
//! [`Fifo`] is the waiting room alone, [`Station`] is the waiting room with the workers it feeds. Both are bounded.

mod fifo;
mod station;

pub use fifo::{Dequeued, Fifo, Full, Ticket};
pub use station::{Arrived, Freed, Station};

#[cfg(test)]
mod tests;
