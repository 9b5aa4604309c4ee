//! Measuring a run: samples, events and levels in, one [`Recording`] out.
//!
//! A [`Plan`] fixes before the run which accumulators there are; a [`Recorder`] feeds them; [`Recorder::finish`] yields the
//! [`Recording`] that verdict and reports read.
//!
//! Architecture invariant: this crate reads no clock, draws nothing and judges nothing. Its memory follows the scenario and
//! what is in flight, never the length of the run.

mod bounds;
mod cells;
mod delivery;
mod distribution;
mod encoding;
mod first_wave;
mod home;
mod level;
mod not_ok;
mod pending;
mod plan;
mod recorder;
mod recording;
mod rows;
mod sample;
mod snapshot;
mod state;
pub mod statistics;
mod tiles;
mod trace;
mod trailing;
mod windows;

pub use bounds::{Bounds, Extremes};
pub use cells::Split;
pub use distribution::{Distribution, HISTOGRAM_MAX_NS};
pub use first_wave::{FIRST_WAVE_ROWS, FirstWaveRow};
pub use level::LevelSummary;
pub use not_ok::{MAX_NOT_OK, NotOk};
pub use plan::Plan;
pub use recorder::{HeldRecorder, Recorder};
pub use recording::{
    Counts, DeliveryRecord, ExpectationRecord, GaugeTotal, LATE_NS, LimiterPeak, LogEntry, MAX_EVENTS, Measurement,
    MergeError, Recording, StageRecord, StreamRecord, TrailingSummary, WindowValues,
};
pub use rows::{GaugeRow, LatencyRow, MAX_ROWS, Rows};
pub use sample::{Arrival, ColdCosts, Parts, Sample};
pub use snapshot::Snapshot;
pub use trace::TraceEvent;
