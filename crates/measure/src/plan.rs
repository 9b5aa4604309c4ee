//! Which accumulators a run needs, fixed before it starts.

use crate::first_wave::budgets;
use crate::rows::width_for;
use coldfront_clock::nanos_of;
use coldfront_scenarios::expectation::Statistic;
use coldfront_scenarios::{Kind, Limiter, Outcome, Scenario, Series, Target, Traffic};
use std::time::Duration;

mod compile;
#[cfg(test)]
mod tests;

/// The window over which a token bucket's admissions are watched: it has no window of its own.
const TOKEN_BUCKET_WINDOW: Duration = Duration::from_secs(1);

/// Stages whose parts (lateness, connect, first byte, transfer) get histograms; with more stages in a scenario, parts keep
/// count, sum, min and max only.
pub(crate) const STAGES_WITH_PARTS: usize = 48;

/// Stages whose latency gets a histogram.
pub(crate) const STAGES_WITH_LATENCY: usize = 256;

/// The fixed set of accumulators of a scenario: built in for each stage and series, and what the expectations need.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) streams: Vec<StreamPlan>,
    /// All streams' stages, one after the other.
    pub(crate) stages: Vec<StagePlan>,
    pub(crate) cells: Vec<Cell>,
    pub(crate) expectations: Vec<ExpectationPlan>,
    /// Per stage: the cells that its requests may count in.
    pub(crate) request_cells: Vec<Vec<usize>>,
    /// Per stage: the cells that count its first arrivals.
    pub(crate) first_cells: Vec<Vec<usize>>,
    /// Per stream: the cells whose requests must come in intended order.
    pub(crate) ordered_cells: Vec<Vec<usize>>,
    /// The cells that are told the requests' watermark.
    pub(crate) settled_cells: Vec<usize>,
    /// Per series: the cells that its own events, levels or values count in.
    pub(crate) series_cells: Vec<Vec<usize>>,
    /// Per stream: the cells that keep a level of `in_flight` of their own, of some requests only.
    pub(crate) in_flight_cells: Vec<Vec<usize>>,
    /// The watch on the limiter's admissions: its cell and window.
    pub(crate) limiter: Option<(usize, u64)>,
    pub(crate) row_width: u64,
    /// A new connection means cold: the target reports no costs of its own.
    pub(crate) is_external: bool,
    /// Says whether two recordings are of one plan.
    pub(crate) shape: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct StreamPlan {
    pub(crate) name: String,
    /// Nanoseconds from the intended time; `u64::MAX`: any ok is good.
    pub(crate) deadline: u64,
    /// Its stages' positions among all stages.
    pub(crate) stages: std::ops::Range<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct StagePlan {
    pub(crate) stream: usize,
    pub(crate) name: String,
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) first_wave: usize,
}

/// One accumulator: what it counts, where, and how.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell {
    pub(crate) series: Series,
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) filter: Filter,
    pub(crate) shape: Shape,
}

/// Which requests count; of other series only stream and route of `in_flight`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) stream: Option<usize>,
    /// Per stream and route.
    pub(crate) routes: Option<Vec<Vec<bool>>>,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) cold: Option<bool>,
    /// Only the first so many arrivals of the scope.
    pub(crate) first: Option<u64>,
}

/// How a cell accumulates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Count,
    Distribution {
        has_quantiles: bool,
        bound: Option<u64>,
    },
    Level,
    Trailing {
        per: u64,
        capacity: usize,
    },
    Tiles {
        per: u64,
        statistic: Statistic,
        capacity: usize,
    },
    /// What was asked cannot be measured, and why.
    Unsupported(&'static str),
}

/// Where an expectation's numbers are.
#[derive(Clone, Debug)]
pub(crate) struct ExpectationPlan {
    pub(crate) name: String,
    pub(crate) cell: usize,
    /// A ratio's second counter, a recovery's baseline.
    pub(crate) second: Option<usize>,
}

// === impl ===

impl Cell {
    /// Whether it keeps a level of `in_flight` of its own: not of all requests.
    pub(crate) const fn has_own_level(&self) -> bool {
        matches!(self.series, Series::InFlight) && (self.filter.stream.is_some() || self.filter.routes.is_some())
    }
}

impl Filter {
    /// Whether a route of a stream counts.
    pub(crate) fn has_route(&self, stream: usize, route: usize) -> bool {
        self.routes.as_ref().is_none_or(|routes| routes[stream].get(route) == Some(&true))
    }
}

impl Plan {
    /// The accumulators of `scenario`. Never fails on a checked scenario; what an unchecked one asks in vain becomes an
    /// invalid expectation.
    pub fn compile(scenario: &Scenario) -> Self {
        let streams = streams(scenario);
        let stages = stages(scenario);
        let mut compiler = compile::Compiler::new(scenario);
        let expectations: Vec<_> = scenario.expectations.iter().map(|one| compiler.expectation(one)).collect();
        let limiter = limiter_window(scenario).map(|per| (compiler.limiter(per), per));
        let cells = compiler.finish();
        let run = nanos_of(scenario.stages_end()).saturating_add(nanos_of(scenario.drain()));
        let mut plan = Self {
            request_cells: vec![Vec::new(); stages.len()],
            first_cells: vec![Vec::new(); stages.len()],
            ordered_cells: vec![Vec::new(); streams.len()],
            settled_cells: Vec::new(),
            series_cells: vec![Vec::new(); Series::COUNT],
            in_flight_cells: vec![Vec::new(); streams.len()],
            streams,
            stages,
            cells: Vec::new(),
            expectations,
            limiter,
            row_width: width_for(run),
            is_external: matches!(scenario.target, Target::External(_)),
            shape: compile::shape(scenario),
        };
        cells.iter().enumerate().for_each(|(index, cell)| plan.index(index, cell));
        plan.cells = cells;
        plan
    }

    fn index(&mut self, index: usize, cell: &Cell) {
        if matches!(cell.shape, Shape::Unsupported(_)) {
        } else if is_of_requests(cell.series) {
            self.index_requests(index, cell);
        } else if cell.has_own_level() {
            let streams = self.in_flight_cells.iter_mut().enumerate();
            let counted = streams.filter(|(stream, _)| cell.filter.stream.is_none_or(|only| only == *stream));
            counted.for_each(|(_, cells)| cells.push(index));
        } else {
            self.series_cells[cell.series.index()].push(index);
        }
    }

    fn index_requests(&mut self, index: usize, cell: &Cell) {
        let counts = |stream: usize| cell.filter.stream.is_none_or(|only| only == stream);
        if matches!(cell.shape, Shape::Tiles { .. }) && cell.series.kind() == Kind::Histogram {
            self.settled_cells.push(index);
        }
        if matches!(cell.shape, Shape::Trailing { .. }) {
            let streams = self.ordered_cells.iter_mut().enumerate().filter(|(stream, _)| counts(*stream));
            streams.for_each(|(_, cells)| cells.push(index));
        }
        for (position, stage) in self.stages.iter().enumerate() {
            if counts(stage.stream) && cell.from < stage.to && cell.to > stage.from {
                if !matches!(cell.shape, Shape::Trailing { .. }) {
                    self.request_cells[position].push(index);
                }
                if cell.filter.first.is_some() {
                    self.first_cells[position].push(index);
                }
            }
        }
    }

    /// The position of a stage among all stages.
    pub(crate) fn stage(&self, traffic: u16, stage: u16) -> usize {
        self.streams[usize::from(traffic)].stages.start + usize::from(stage)
    }
}

/// Whether a series is fed by what happens to requests, not by events of its own.
pub(crate) const fn is_of_requests(series: Series) -> bool {
    matches!(
        series,
        Series::Offered
            | Series::Sent
            | Series::Ok
            | Series::Good
            | Series::Rejected
            | Series::Shed
            | Series::TimedOut
            | Series::Failed
            | Series::Dropped
            | Series::Unfinished
            | Series::Attempts
            | Series::Sessions
            | Series::Latency
            | Series::Lateness
            | Series::Connect
            | Series::FirstByte
            | Series::Transfer
            | Series::Service
    )
}

fn streams(scenario: &Scenario) -> Vec<StreamPlan> {
    let mut first_stage = 0;
    let of = |traffic: &Traffic| {
        let deadline = traffic.deadline.or(traffic.timeout).map_or(u64::MAX, nanos_of);
        let stages = first_stage..first_stage + traffic.stages.len();
        first_stage = stages.end;
        StreamPlan { name: traffic.name.clone(), deadline, stages }
    };
    scenario.traffic.iter().map(of).collect()
}

fn stages(scenario: &Scenario) -> Vec<StagePlan> {
    let all = scenario.traffic.iter().enumerate();
    let all = all.flat_map(|(stream, traffic)| traffic.stages.iter().map(move |stage| (stream, stage)));
    let budgets = budgets(scenario);
    all.zip(budgets)
        .map(|((stream, stage), first_wave)| StagePlan {
            stream,
            name: stage.name.clone(),
            from: nanos_of(stage.start),
            to: nanos_of(stage.end()),
            first_wave,
        })
        .collect()
}

fn limiter_window(scenario: &Scenario) -> Option<u64> {
    let Target::Embedded(spec) = &scenario.target else { return None };
    let window = match spec.gateway.as_ref()?.limiter.as_ref()? {
        Limiter::FixedWindow { per, .. }
        | Limiter::SlidingWindow { per, .. }
        | Limiter::SlidingWindowCounter { per, .. } => *per,
        Limiter::TokenBucket { .. } => TOKEN_BUCKET_WINDOW,
    };
    Some(nanos_of(window).max(1))
}
