//! Cold-start protections as pure state machines.
//!
//! Each strategy here is a value. `now` and every random draw are arguments, a decision is a value that carries its data, and
//! nothing waits: whoever places a strategy in front of a tier does the waiting. That is why one strategy runs unchanged in
//! both modes, and why its law can be tested to the nanosecond without a runtime.
//!
//! * [`limiter`]: who is let in, by rate.
//! * [`queue`]: where a request waits for a worker, and for how long.
//! * [`pool`]: the books of a connection pool and the plan that fills it.
//! * [`cache`]: entries with a lifetime, and one load per key at a time.
//! * [`warm_up`]: the extra cost of a newly started tier, and how it decays.
//!
//! Architecture invariant: no async, no clock, no draw, no I/O, no lock. No strategy mints anything when the clock goes back.

pub mod cache;
mod exact;
pub mod limiter;
pub mod pool;
pub mod queue;
pub mod warm_up;
