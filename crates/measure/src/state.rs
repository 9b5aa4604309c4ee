//! The state behind a recorder: every accumulator, fed by the calls.

use crate::cells::Slot;
use crate::delivery::Delivery;
use crate::distribution::{Detail, Distribution};
use crate::first_wave::Wave;
use crate::level::Held;
use crate::not_ok::NotOkCounts;
use crate::pending::Pending;
use crate::plan::{Plan, STAGES_WITH_LATENCY, STAGES_WITH_PARTS};
use crate::recording::{Counts, LogEntry, MAX_EVENTS};
use crate::rows::OpenRows;
use crate::snapshot::Snapshot;
use coldfront_scenarios::{Kind, Series};
use std::sync::Arc;

mod finish;
mod requests;

/// Arrivals that may stand between the oldest one without an outcome and the newest.
const PENDING_CAPACITY: usize = 1 << 20;

/// Bytes of an entry in the log.
const MAX_EVENT_LEN: usize = 512;

#[derive(Debug)]
pub(crate) struct State {
    plan: Arc<Plan>,
    stages: Vec<StageState>,
    streams: Vec<StreamState>,
    counters: [u64; Series::COUNT],
    gauges: [Option<GaugeState>; Series::COUNT],
    histograms: Vec<Distribution>,
    slots: Vec<Slot>,
    gates: Vec<Gate>,
    /// Per cell: its own level of `in_flight`, if it keeps one.
    own_levels: Vec<Held>,
    rows: OpenRows,
    pending: Pending,
    not_ok: NotOkCounts,
    events: Vec<LogEntry>,
    events_lost: u64,
    interrupted: Option<u64>,
}

#[derive(Debug)]
struct StageState {
    counts: Counts,
    planned: Option<u64>,
    late: u64,
    delivery: Delivery,
    wave: Wave,
    latency: Distribution,
    lateness: Distribution,
    connect: Distribution,
    first_byte: Distribution,
    transfer: Distribution,
}

#[derive(Debug, Default)]
struct StreamState {
    delivery: Delivery,
    /// The stage that holds the arrival which left the pending ones last.
    stage: usize,
}

#[derive(Clone, Copy, Debug)]
struct GaugeState {
    held: Held,
    max: u64,
    max_at: u64,
    reports: u64,
}

/// Lets the first so many arrivals of a scope through.
#[derive(Clone, Copy, Debug, Default)]
struct Gate {
    seen: u64,
    last: u64,
}

// === impl State ===

impl State {
    pub(crate) fn new(plan: Arc<Plan>) -> Self {
        Self {
            stages: plan.stages.iter().map(|stage| StageState::new(stage.first_wave, plan.stages.len())).collect(),
            streams: plan.streams.iter().map(|_| StreamState::default()).collect(),
            counters: [0; Series::COUNT],
            gauges: [None; Series::COUNT],
            histograms: vec![Distribution::new(Detail::Quantiles); Series::COUNT],
            slots: plan.cells.iter().map(Slot::new).collect(),
            gates: vec![Gate::default(); plan.cells.len()],
            own_levels: vec![Held::default(); plan.cells.len()],
            rows: OpenRows::new(plan.row_width),
            pending: Pending::new(plan.streams.len(), PENDING_CAPACITY),
            not_ok: NotOkCounts::default(),
            events: Vec::new(),
            events_lost: 0,
            interrupted: None,
            plan,
        }
    }

    /// `n` events of a series of its own.
    pub(crate) fn count(&mut self, series: Series, at: u64, n: u64) {
        debug_assert_eq!(series.kind(), Kind::Counter, "{} is not a counter", series.name());
        // What happens at time zero itself counts as just after it, or no (0, b] would hold it.
        let at = at.max(1);
        self.counters[series.index()] += n;
        let row = self.rows.of_event(at);
        self.rows.add(series, row, n);
        for &cell in &self.plan.series_cells[series.index()] {
            let scope = &self.plan.cells[cell];
            if at > scope.from && at <= scope.to {
                self.slots[cell].count(at, n);
            }
        }
    }

    /// The level of a gauge from `at` on.
    pub(crate) fn gauge(&mut self, series: Series, at: u64, level: u64) {
        debug_assert_eq!(series.kind(), Kind::Gauge, "{} is not a gauge", series.name());
        let state = &mut self.gauges[series.index()];
        let held = state.map(|state| state.held);
        // A level cannot change in the past: a report that comes late counts from now on.
        let at = at.max(held.map_or(0, |held| held.since));
        let new = Held { level, since: at };
        *state = Some(match *state {
            None => GaugeState { held: new, max: level, max_at: at, reports: 1 },
            Some(old) if level > old.max => GaugeState { held: new, max: level, max_at: at, reports: old.reports + 1 },
            Some(old) => GaugeState { held: new, reports: old.reports + 1, ..old },
        });
        self.rows.gauge(series, held, at, level);
        for &cell in &self.plan.series_cells[series.index()] {
            self.slots[cell].level(held, at, level);
        }
    }

    /// A value of a histogram of the target.
    pub(crate) fn observe(&mut self, series: Series, at: u64, value: u64) {
        debug_assert_eq!(series.kind(), Kind::Histogram, "{} is not a histogram", series.name());
        let at = at.max(1);
        self.histograms[series.index()].record(value);
        for &cell in &self.plan.series_cells[series.index()] {
            let scope = &self.plan.cells[cell];
            if at > scope.from && at <= scope.to {
                self.slots[cell].settle(at);
                self.slots[cell].value(at, value);
            }
        }
    }

    pub(crate) fn planned(&mut self, traffic: u16, stage: u16, count: u64) {
        let stage = self.plan.stage(traffic, stage);
        *self.stages[stage].planned.get_or_insert(0) += count;
    }

    pub(crate) fn event(&mut self, at: u64, mut text: String) {
        if self.events.len() >= MAX_EVENTS {
            self.events_lost += 1;
            return;
        }
        if text.len() > MAX_EVENT_LEN {
            let end = (0..=MAX_EVENT_LEN).rev().find(|end| text.is_char_boundary(*end));
            text.truncate(end.unwrap_or(0));
        }
        self.events.push(LogEntry { at_ns: at, text });
    }

    pub(crate) fn interrupted(&mut self, at: u64) {
        self.interrupted.get_or_insert(at);
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot { counts: self.counters, sums: [0; Series::COUNT], levels: [None; Series::COUNT] };
        let mut totals = Counts::default();
        self.stages.iter().for_each(|stage| totals.add(&stage.counts));
        for series in Series::ALL {
            let index = series.index();
            match series.kind() {
                Kind::Counter => {
                    let of_requests =
                        if *series == Series::Sessions { Some(totals.offered) } else { totals.of(*series) };
                    snapshot.counts[index] += of_requests.unwrap_or(0);
                }
                Kind::Gauge => {
                    snapshot.levels[index] = self.gauges[index].map(|state| state.held.level);
                    snapshot.counts[index] = self.gauges[index].map_or(0, |state| state.reports);
                }
                Kind::Histogram => {
                    snapshot.counts[index] = self.histograms[index].count();
                    snapshot.sums[index] = self.histograms[index].sum_ns();
                }
            }
        }
        for stage in &self.stages {
            for (series, distribution) in stage.distributions() {
                snapshot.counts[series.index()] += distribution.count();
                snapshot.sums[series.index()] += distribution.sum_ns();
            }
        }
        snapshot
    }
}

// === impl StageState ===

impl StageState {
    fn new(first_wave: usize, stages: usize) -> Self {
        let up_to = |most: usize| if stages <= most { Detail::Quantiles } else { Detail::Moments };
        let parts = || Distribution::new(up_to(STAGES_WITH_PARTS));
        Self {
            counts: Counts::default(),
            planned: None,
            late: 0,
            delivery: Delivery::default(),
            wave: Wave::new(first_wave),
            latency: Distribution::new(up_to(STAGES_WITH_LATENCY)),
            lateness: parts(),
            connect: parts(),
            first_byte: parts(),
            transfer: parts(),
        }
    }

    fn distributions(&self) -> [(Series, &Distribution); 5] {
        [
            (Series::Latency, &self.latency),
            (Series::Lateness, &self.lateness),
            (Series::Connect, &self.connect),
            (Series::FirstByte, &self.first_byte),
            (Series::Transfer, &self.transfer),
        ]
    }
}
