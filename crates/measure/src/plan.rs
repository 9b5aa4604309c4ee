//! Which accumulators a run needs, fixed before it starts.

use coldfront_scenarios::Scenario;

/// The fixed set of accumulators of a scenario.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Per stream: the deadline in nanoseconds (`u64::MAX`: any ok is good), and its stages' names and ends.
    pub(crate) traffic: Vec<TrafficPlan>,
}

#[derive(Clone, Debug)]
pub(crate) struct TrafficPlan {
    pub(crate) deadline: u64,
    pub(crate) stages: usize,
}

impl Plan {
    /// The accumulators of `scenario`. Never fails on a checked scenario.
    pub fn compile(scenario: &Scenario) -> Self {
        let of = |traffic: &coldfront_scenarios::Traffic| TrafficPlan {
            deadline: traffic.deadline.or(traffic.timeout).map_or(u64::MAX, coldfront_clock::nanos_of),
            stages: traffic.stages.len(),
        };
        Self { traffic: scenario.traffic.iter().map(of).collect() }
    }
}
