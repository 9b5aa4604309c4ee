//! From expectations to cells.

use super::{Cell, ExpectationPlan, Filter, Shape, is_of_requests};
use coldfront_clock::nanos_of;
use coldfront_scenarios::expectation::{Bound, Expectation, Goal, Measure, Selection, Statistic};
use coldfront_scenarios::{Kind, Scenario, Scope, Series, Side};

/// Instants that all trailing windows together may hold, and each at least.
const TRAILING_TOTAL: usize = 1 << 20;
/// Values that all open windows of recoveries together may hold, and each at least.
const TILES_TOTAL: usize = 1 << 20;
const LEAST: usize = 1 << 16;

pub(super) struct Compiler<'a> {
    scenario: &'a Scenario,
    cells: Vec<Cell>,
}

impl<'a> Compiler<'a> {
    pub(super) const fn new(scenario: &'a Scenario) -> Self {
        Self { scenario, cells: Vec::new() }
    }

    pub(super) fn expectation(&mut self, expectation: &Expectation) -> ExpectationPlan {
        let scope = &expectation.scope;
        let (cell, second) = match &expectation.measure {
            Measure::Statistic(statistic, selection) => {
                (self.statistic(*statistic, selection, scope, Some(expectation.bound)), None)
            }
            Measure::Extreme { selection, per, .. } => {
                let per = nanos_of(*per).max(1);
                (self.add(selection, scope, Shape::Trailing { per, capacity: 0 }), None)
            }
            Measure::Ratio(over, under) => {
                (self.add(over, scope, Shape::Count), Some(self.add(under, scope, Shape::Count)))
            }
            Measure::Recovery { statistic, selection, per, goal } => {
                let per = nanos_of(*per).max(1);
                let cell = self.add(selection, scope, Shape::Tiles { per, statistic: *statistic, capacity: 0 });
                let second = match goal {
                    Goal::Within { baseline, .. } => Some(self.statistic(*statistic, selection, baseline, None)),
                    Goal::AtMost(_) => None,
                };
                (cell, second)
            }
        };
        ExpectationPlan { name: expectation.name.clone(), cell, second }
    }

    fn statistic(&mut self, statistic: Statistic, selection: &Selection, scope: &Scope, bound: Option<Bound>) -> usize {
        let shape = match selection.series.kind() {
            Kind::Counter => Shape::Count,
            Kind::Gauge => Shape::Level,
            Kind::Histogram => Shape::Distribution {
                has_quantiles: matches!(statistic, Statistic::Quantile(_)),
                bound: bound.and_then(nanos_of_bound),
            },
        };
        self.add(selection, scope, shape)
    }

    /// The watch on the gateway's admissions over the whole run.
    pub(super) fn limiter(&mut self, per: u64) -> usize {
        let series = Series::GatewayAdmitted;
        let shape = Shape::Trailing { per, capacity: 0 };
        self.cells.push(Cell { series, from: 0, to: u64::MAX, filter: Filter::default(), shape });
        self.cells.len() - 1
    }

    fn add(&mut self, selection: &Selection, scope: &Scope, shape: Shape) -> usize {
        let shape = unsupported(self.scenario, selection, scope).map_or(shape, Shape::Unsupported);
        self.cells.push(Cell {
            series: selection.series,
            from: nanos_of(scope.from),
            to: nanos_of(scope.to),
            filter: self.filter(selection, scope),
            shape,
        });
        self.cells.len() - 1
    }

    fn filter(&self, selection: &Selection, scope: &Scope) -> Filter {
        if selection.series.side() == Side::Target {
            return Filter::default();
        }
        let of_stream = |traffic: &coldfront_scenarios::Traffic, wanted: &str| {
            let is_wanted = |route: &coldfront_scenarios::Route| route.path == *wanted || route.name() == *wanted;
            traffic.mix.iter().map(is_wanted).collect()
        };
        let routes = selection.route.as_ref();
        Filter {
            stream: selection.traffic.or(scope.traffic),
            routes: routes.map(|wanted| self.scenario.traffic.iter().map(|one| of_stream(one, wanted)).collect()),
            outcome: selection.outcome,
            cold: selection.cold,
            first: scope.first,
        }
    }

    /// All cells, with the memory bounds shared among them.
    pub(super) fn finish(self) -> Vec<Cell> {
        let mut cells = self.cells;
        let share = |total: usize, cells: usize| (total / cells.max(1)).max(LEAST);
        let trailing = cells.iter().filter(|cell| matches!(cell.shape, Shape::Trailing { .. })).count();
        let tiles = cells.iter().filter(|cell| matches!(cell.shape, Shape::Tiles { .. })).count();
        for cell in &mut cells {
            match &mut cell.shape {
                Shape::Trailing { capacity, .. } => *capacity = share(TRAILING_TOTAL, trailing),
                Shape::Tiles { capacity, .. } => *capacity = share(TILES_TOTAL, tiles),
                _ => {}
            }
        }
        cells
    }
}

fn nanos_of_bound(bound: Bound) -> Option<u64> {
    match bound {
        Bound::Duration(duration) => Some(nanos_of(duration)),
        Bound::Number(0.0) => Some(0),
        Bound::Number(_) | Bound::PerSecond(_) => None,
    }
}

/// Why a selection cannot be measured. The scenario's check refuses these before a run.
fn unsupported(scenario: &Scenario, selection: &Selection, scope: &Scope) -> Option<&'static str> {
    let series = selection.series;
    let has_fate = selection.outcome.is_some() || selection.cold.is_some();
    let has_label = has_fate || selection.route.is_some() || selection.traffic.is_some();
    if series.side() == Side::Target && (has_label || scope.first.is_some()) {
        return Some("what happens in the target is not told apart by request labels");
    }
    if series.side() == Side::Client && !is_of_requests(series) {
        if has_fate || scope.first.is_some() {
            return Some("this series is not told apart by outcome, cold or first requests");
        }
        let is_apart = selection.route.is_some() || (selection.traffic.is_some() && scenario.traffic.len() > 1);
        if series != Series::InFlight && is_apart {
            return Some("this series is not told apart by route or stream");
        }
    }
    None
}

/// A number that differs between plans whose recordings do not fit together (FNV-1a over what shapes them).
pub(super) fn shape(scenario: &Scenario) -> u64 {
    let stages = scenario.traffic.iter().flat_map(|traffic| {
        let own = traffic.stages.iter().map(|stage| format!("{} {:?} {:?}", stage.name, stage.start, stage.duration));
        std::iter::once(traffic.name.clone()).chain(own)
    });
    let expectations = scenario.expectations.iter().map(|one| format!("{} {}", one.name, one.text));
    let target = match scenario.target {
        coldfront_scenarios::Target::Embedded(_) => "embedded",
        coldfront_scenarios::Target::External(_) => "external",
    };
    let all = stages.chain(expectations).chain([target.to_owned(), scenario.name.clone()]);
    all.fold(0xcbf2_9ce4_8422_2325, |hash, text| {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        step(text.bytes().fold(hash, step), 0)
    })
}
