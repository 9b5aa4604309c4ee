//! Time and chance: the only crate of coldfront that reads a clock, waits, spawns a task or draws a random number.
//!
//! Everything else is written against [`Rt`], a small handle with the same meaning in two modes:
//!
//! - [`sim::run`] drives the program on virtual time. The clock jumps to the next deadline whenever nothing is runnable, so
//!   minutes pass in milliseconds, and the same seed gives the same run, event for event, on every platform.
//! - [`live::run`] drives the same program on the monotonic clock, with a timer of its own that wakes within tens of
//!   microseconds.
//!
//! Chance is counter-based: a draw is a pure function of the run's seed, a named [`Stream`], the id of the request or entity
//! it is made for, and its number. See [`Draws`].
//!
//! Locks, semaphores and channels come from `tokio::sync`, which needs no runtime and works in both modes. Whatever sleeps or
//! spawns on tokio by itself (`tokio::time`, `tokio::spawn`) does not: it has no place in simulated code.
//!
//! The rules that make a run repeatable are written down in `docs/determinism.md`.
//!
//! ```
//! use coldfront_rt::{Stop, sim};
//! use std::time::Duration;
//!
//! let elapsed = sim::run(7, Stop::new(), |rt| async move {
//!     let worker = rt.spawn("worker", {
//!         let rt = rt.clone();
//!         async move { rt.sleep(Duration::from_secs(3600)).await }
//!     });
//!     worker.await;
//!     rt.now().since_start()
//! });
//! assert_eq!(elapsed, Ok(Duration::from_secs(3600)));
//! ```

mod combine;
mod handle;
mod join;
pub mod live;
mod random;
pub mod sim;
mod sleep;
mod stop;
mod timers;

pub use combine::{Either, JoinAll, Race, join_all, race};
pub use handle::Rt;
pub use join::JoinHandle;
pub use random::{Draws, Stream};
pub use sleep::{Class, Elapsed, Sleep, Timeout};
pub use stop::Stop;
