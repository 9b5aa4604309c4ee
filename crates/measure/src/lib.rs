//! Measuring a run: samples, events and levels in, one [`Recording`] out.
//!
//! A [`Plan`] fixes before the run which accumulators there are; a [`Recorder`] feeds them; [`Recorder::finish`] yields the
//! [`Recording`] that verdict and reports read.
//!
//! Architecture invariant: this crate reads no clock, draws nothing and judges nothing. Its memory follows the scenario and
//! what is in flight, never the length of the run.

mod plan;
mod recorder;
mod recording;
mod sample;
mod snapshot;

pub use plan::Plan;
pub use recorder::Recorder;
pub use recording::{Counts, MergeError, Recording};
pub use sample::{Arrival, ColdCosts, Parts, Sample};
pub use snapshot::Snapshot;
