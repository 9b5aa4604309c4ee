//! Driving the load: every arrival at its time, over the client's own connections, with every outcome accounted for.
//!
//! One loop takes arrivals up when they are due, all that are due at once after a hiccup; it never slows down for the target
//! and never pretends: latency counts from the intended time. Requests travel on workers, one per connection, started as
//! connections are needed and reused last in, first out; an arrival that finds an idle worker costs one wake-up and no
//! allocation. How that looks from outside is in `docs/load.md`.

mod driver;
mod lane;
mod pool;
#[cfg(test)]
mod tests;
mod worker;

use crate::transport::{Transport, TransportError};
use coldfront_clock::Instant;
use coldfront_measure::Recorder;
use coldfront_rt::{Rt, Stop, join_all};
use coldfront_scenarios::{Open, Scenario};
use driver::Driver;
use lane::{Lane, Shared};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long a connection may take to open: longer than any that would have been of use.
pub const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// How many connections are opened at once before the load starts: enough to be quick, few enough for any listener's backlog.
const PREPARE_AT_ONCE: usize = 32;

/// The load of one scenario, aimed through one transport.
pub struct Attack<T: Transport> {
    rt: Rt,
    scenario: Arc<Scenario>,
    transport: T,
    recorder: Recorder,
    /// Connections opened before the load, per stream.
    prepared: Vec<Vec<T::Connection>>,
}

/// How an attack went, beside what the recorder knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttackSummary {
    /// Why it ended.
    pub end: AttackEnd,
    /// When.
    pub ended_at: Instant,
    /// How many arrivals were offered, over all streams.
    pub offered: u64,
    /// Why requests failed without an answer, and how many each; by error.
    pub errors: Vec<(TransportError, u64)>,
}

/// Why an attack ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttackEnd {
    /// Every planned arrival was offered and has its outcome.
    Settled,
    /// The horizon came first; what was left is unfinished.
    Horizon,
    /// It was asked to stop; what was left is unfinished, and the rest of the plan was not offered.
    Stopped,
}

/// The client's connections could not be opened before the load.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("opened {opened} of {wanted} client connections for traffic \"{traffic}\"")]
#[non_exhaustive]
pub struct PrepareError {
    /// The stream's name.
    pub traffic: String,
    /// How many were open by then.
    pub opened: usize,
    /// How many the scenario asks for.
    pub wanted: usize,
    /// Why the next one was not.
    #[source]
    pub source: TransportError,
}

// === impl Attack ===

impl<T: Transport> Attack<T> {
    /// The load of `scenario`; nothing happens yet.
    pub fn new(rt: Rt, scenario: Arc<Scenario>, transport: T, recorder: Recorder) -> Self {
        let prepared = scenario.traffic.iter().map(|_| Vec::new()).collect();
        Self { rt, scenario, transport, recorder, prepared }
    }

    /// Opens the connections of the streams that ask for it (`open = "before"`); nothing of it is recorded, because the run
    /// has not begun. Without this call those streams start cold.
    ///
    /// # Errors
    /// The first connection that cannot be opened within [`CONNECT_LIMIT`] ends it.
    pub async fn prepare(&mut self) -> Result<(), PrepareError> {
        for (traffic, open) in self.scenario.traffic.iter().zip(&mut self.prepared) {
            let wanted = if traffic.connections.open == Open::Before { traffic.connections.max as usize } else { 0 };
            while open.len() < wanted {
                let batch = (wanted - open.len()).min(PREPARE_AT_ONCE);
                let connects = (0..batch).map(|_| lane::connect(&self.rt, &self.transport));
                for connection in join_all(connects).await {
                    let failed =
                        |source| PrepareError { traffic: traffic.name.clone(), opened: open.len(), wanted, source };
                    let connection = connection.map_err(failed)?;
                    open.push(connection);
                }
            }
        }
        Ok(())
    }

    /// Drives all streams from `start`, the time zero of their schedules, until every arrival has its outcome, the `horizon`
    /// comes or `stop` is requested.
    ///
    /// Every arrival offered gets exactly one outcome. What has none when it ends is unfinished, or timed out if its timeout
    /// has passed. All connections are closed then.
    ///
    /// # Cancel safety
    /// Dropping it stops the load and closes the connections, but leaves requests without an outcome.
    pub async fn run(self, start: Instant, stop: Stop, horizon: Instant) -> AttackSummary {
        let shared = Arc::new(Shared::new(self.rt, self.recorder, self.scenario));
        let lanes: Vec<_> = (0_u16..)
            .zip(self.prepared)
            .map(|(traffic, connections)| Lane::open(&shared, traffic, self.transport.clone(), connections))
            .collect();
        shared.report_connections();
        Driver::new(shared, lanes, start, horizon).drive(stop).await
    }
}

impl<T: Transport> fmt::Debug for Attack<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prepared: Vec<usize> = self.prepared.iter().map(Vec::len).collect();
        f.debug_struct("Attack")
            .field("scenario", &self.scenario.name)
            .field("prepared", &prepared)
            .finish_non_exhaustive()
    }
}
