//! The first requests after each edge, one row each: where a cold start shows.

use crate::sample::{Arrival, Sample};
use coldfront_clock::nanos_of;
use coldfront_scenarios::{Outcome, Scenario};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Rows of a run, shared fairly among its edges.
pub const FIRST_WAVE_ROWS: usize = 1000;

/// One of the first requests after an edge: the run's start, or the start of a stage with a higher rate than the one before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FirstWaveRow {
    /// When it was due, in nanoseconds after time zero.
    pub intended_ns: u64,
    /// Its stream.
    pub traffic: u16,
    /// Its stage.
    pub stage: u16,
    /// Its number within the stream.
    pub sequence: u64,
    /// Its route: index into the stream's mix.
    pub route: u16,
    /// How it ended; `None`: it was never told.
    #[serde(with = "crate::encoding::outcome")]
    pub outcome: Option<Outcome>,
    /// The status of its answer.
    pub status: Option<u16>,
    /// Intended time to end.
    pub elapsed_ns: u64,
    /// Intended time to when the generator took it up.
    pub lateness_ns: u64,
    /// Waiting for a client connection.
    pub connect_ns: Option<u64>,
    /// First byte sent to first byte received.
    pub first_byte_ns: Option<u64>,
    /// First byte received to last.
    pub transfer_ns: Option<u64>,
    /// Cold cost at the gateway.
    pub cold_gateway_ns: u64,
    /// Cold cost at the catalog.
    pub cold_catalog_ns: u64,
    /// Cold cost at the cache.
    pub cold_cache_ns: u64,
    /// Cold cost at the database and its pool.
    pub cold_db_ns: u64,
    /// Whether it opened a client connection.
    pub new_connection: bool,
}

/// How many rows each stage gets, in the order of the plan's stages; 0: no edge.
pub(crate) fn budgets(scenario: &Scenario) -> Vec<usize> {
    let is_edge: Vec<bool> = scenario.traffic.iter().flat_map(edges).collect();
    let count = is_edge.iter().filter(|is_edge| **is_edge).count();
    let each = (FIRST_WAVE_ROWS / count.max(1)).max(1);
    let mut left = FIRST_WAVE_ROWS;
    let mut budget = |is_edge: bool| {
        let budget = if is_edge { each.min(left) } else { 0 };
        left -= budget;
        budget
    };
    is_edge.into_iter().map(&mut budget).collect()
}

fn edges(traffic: &coldfront_scenarios::Traffic) -> Vec<bool> {
    let mean = |stage: &coldfront_scenarios::Stage| mean_rate(&stage.rate);
    let before = std::iter::once(0.0).chain(traffic.stages.iter().map(mean));
    traffic.stages.iter().zip(before).map(|(stage, before)| mean(stage) > before).collect()
}

fn mean_rate(rate: &coldfront_scenarios::Rate) -> f64 {
    use coldfront_scenarios::Rate;
    match rate {
        Rate::Constant(rate) => *rate,
        Rate::Ramp { from, to } => f64::midpoint(*from, *to),
        Rate::Step(rates) => rates.iter().sum::<f64>() / rates.len().max(1) as f64,
        Rate::Sine { mean, .. } => *mean,
    }
}

/// The rows of one stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wave {
    budget: usize,
    rows: Vec<FirstWaveRow>,
}

// === impl Wave ===

impl Wave {
    pub(crate) const fn new(budget: usize) -> Self {
        Self { budget, rows: Vec::new() }
    }

    /// An arrival of this stage, in order.
    pub(crate) fn offered(&mut self, arrival: &Arrival) {
        if self.rows.len() < self.budget {
            self.rows.push(FirstWaveRow::offered(arrival));
        }
    }

    /// An outcome of this stage.
    pub(crate) fn outcome(&mut self, sample: &Sample) {
        let sequence = sample.arrival.sequence;
        if self.rows.last().is_some_and(|last| sequence <= last.sequence)
            && let Ok(row) = self.rows.binary_search_by_key(&sequence, |row| row.sequence)
        {
            self.rows[row].fill(sample);
        }
    }

    pub(crate) fn into_rows(self) -> Vec<FirstWaveRow> {
        self.rows
    }
}

impl FirstWaveRow {
    fn offered(arrival: &Arrival) -> Self {
        Self {
            intended_ns: arrival.intended_at.as_nanos(),
            traffic: arrival.traffic,
            stage: arrival.stage,
            sequence: arrival.sequence,
            route: arrival.route,
            outcome: None,
            status: None,
            elapsed_ns: 0,
            lateness_ns: 0,
            connect_ns: None,
            first_byte_ns: None,
            transfer_ns: None,
            cold_gateway_ns: 0,
            cold_catalog_ns: 0,
            cold_cache_ns: 0,
            cold_db_ns: 0,
            new_connection: false,
        }
    }

    fn fill(&mut self, sample: &Sample) {
        let nanos = |part: Option<Duration>| part.map(nanos_of);
        self.outcome = Some(sample.outcome);
        self.status = sample.status;
        self.elapsed_ns = nanos_of(sample.ended_at.since(sample.arrival.intended_at));
        self.lateness_ns = nanos_of(sample.parts.lateness);
        self.connect_ns = nanos(sample.parts.connect);
        self.first_byte_ns = nanos(sample.parts.first_byte);
        self.transfer_ns = nanos(sample.parts.transfer);
        self.cold_gateway_ns = nanos_of(sample.cold.gateway);
        self.cold_catalog_ns = nanos_of(sample.cold.catalog);
        self.cold_cache_ns = nanos_of(sample.cold.cache);
        self.cold_db_ns = nanos_of(sample.cold.db);
        self.new_connection = sample.new_connection;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(stages: &str) -> Vec<usize> {
        let text = format!(
            "name = 'edges'\n[[traffic]]\nname = 'load'\nmix = [{{ get = '/catalog' }}]\nstage = [{stages}]\n\
             [target.catalog]\nservice = '1ms'\n"
        );
        budgets(&Scenario::parse(&text, "edges.toml").unwrap_or_else(|error| panic!("{error:?}")))
    }

    #[test]
    fn an_edge_is_a_higher_mean_rate_than_before() {
        let constant = |name: u32, rate: u32| format!("{{ name = 's{name}', for = '1s', rate = '{rate}/s' }},");
        assert_eq!(
            shares(&[constant(0, 10), constant(1, 10), constant(2, 5), constant(3, 6)].concat()),
            [500, 0, 0, 500]
        );
        assert_eq!(shares(&[constant(0, 0), constant(1, 7)].concat()), [0, 1000], "a silent start is no edge");
        let ramp = "{ name = 'ramp', for = '1s', rate = { from = '0/s', to = '30/s' } },";
        assert_eq!(shares(&[&constant(0, 10), ramp].concat()), [500, 500], "15 per second on average");
    }

    #[test]
    fn many_edges_share_what_there_is() {
        let stages = [1, 2, 3].map(|rate| format!("{{ name = 's{rate}', for = '1s', rate = '{rate}/s' }},")).concat();
        assert_eq!(shares(&stages), [333; 3]);
    }
}
