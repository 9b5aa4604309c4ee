//! What happens to requests: offered, sent, ended.

use super::{Gate, StageState, State, StreamState};
use crate::cells::Slot;
use crate::level::Held;
use crate::not_ok::NotOk;
use crate::pending::Leaver;
use crate::plan::{Cell, Plan, StagePlan};
use crate::recording::LATE_NS;
use crate::sample::{Arrival, Sample};
use coldfront_clock::{Instant, nanos_of};
use coldfront_scenarios::{Kind, Outcome, Series};

/// What became of a request, as counters see it.
struct Fate {
    stream: usize,
    route: usize,
    sequence: u64,
    intended: u64,
    outcome: Outcome,
    is_good: bool,
    is_cold: bool,
    attempts: u64,
}

/// Where its time went, in nanoseconds.
struct Times {
    latency: u64,
    lateness: u64,
    connect: Option<u64>,
    first_byte: Option<u64>,
    transfer: Option<u64>,
}

/// A request due at time zero itself counts as due just after it.
fn intended(arrival: &Arrival) -> u64 {
    arrival.intended_at.as_nanos().max(1)
}

impl State {
    pub(crate) fn offered(&mut self, arrival: &Arrival) {
        let at = intended(arrival);
        let stage = self.plan.stage(arrival.traffic, arrival.stage);
        let stream = usize::from(arrival.traffic);
        let state = &mut self.stages[stage];
        state.counts.offered += 1;
        state.wave.offered(arrival);
        let row = self.rows.of_request(at);
        self.rows.add(Series::Offered, row, 1);
        for &cell in &self.plan.first_cells[stage] {
            let scope = &self.plan.cells[cell];
            let gate = &mut self.gates[cell];
            if at > scope.from && at <= scope.to && scope.filter.first.is_some_and(|first| gate.seen < first) {
                gate.seen += 1;
                gate.last = arrival.sequence;
            }
        }
        self.pending.offer(stream, arrival.sequence, arrival.route, at);
        self.in_flight(arrival, arrival.intended_at, true);
    }

    pub(crate) fn sent(&mut self, arrival: &Arrival, at: Instant) {
        let stage = self.plan.stage(arrival.traffic, arrival.stage);
        self.pending.heard(at.as_nanos());
        let Some(entry) = self.pending.find(usize::from(arrival.traffic), arrival.sequence) else {
            self.stages[stage].counts.unaccounted += 1;
            return;
        };
        let is_first = entry.attempts == 0;
        entry.attempts = entry.attempts.saturating_add(1);
        let row = self.rows.of_request(intended(arrival));
        let counts = &mut self.stages[stage].counts;
        counts.attempts += 1;
        self.rows.add(Series::Attempts, row, 1);
        if is_first {
            counts.sent += 1;
            self.rows.add(Series::Sent, row, 1);
        }
    }

    pub(crate) fn outcome(&mut self, sample: &Sample) {
        let stage = self.plan.stage(sample.arrival.traffic, sample.arrival.stage);
        self.pending.heard(sample.ended_at.as_nanos());
        let times = Times::of(sample);
        let Some(fate) = self.resolve(sample, &times) else {
            self.stages[stage].counts.unaccounted += 1;
            return;
        };
        self.add_to_stage(stage, sample, &fate, &times);
        self.add_to_rows(&fate, times.latency);
        if sample.outcome != Outcome::Ok {
            let Arrival { traffic, route, .. } = sample.arrival;
            let (outcome, status) = (sample.outcome, sample.status);
            self.not_ok.add(NotOk { traffic, route, outcome, status, count: 1 });
        }
        for &index in &self.plan.request_cells[stage] {
            let cell = &self.plan.cells[index];
            if fate.is_in(cell, self.gates[index]) {
                let slot = &mut self.slots[index];
                if cell.series.kind() == Kind::Counter {
                    slot.count(fate.intended, fate.events(cell.series));
                } else if fate.has_times(cell)
                    && let Some(value) = times.value(cell.series)
                {
                    slot.value(fate.intended, value);
                }
            }
        }
        self.in_flight(&sample.arrival, sample.ended_at, false);
        self.settle();
    }

    /// Marks the arrival as ended, once; `None` if it was not offered or has ended before.
    fn resolve(&mut self, sample: &Sample, times: &Times) -> Option<Fate> {
        let arrival = &sample.arrival;
        let stream = usize::from(arrival.traffic);
        let entry = self.pending.find(stream, arrival.sequence)?;
        let is_good = sample.outcome == Outcome::Ok && times.latency <= self.plan.streams[stream].deadline;
        let is_cold = !sample.cold.is_zero() || (self.plan.is_external && sample.new_connection);
        entry.resolve(sample.outcome, is_good, is_cold, entry.intended.saturating_add(times.lateness));
        let leaver = Leaver { stream, sequence: arrival.sequence, entry: *entry };
        self.pending.forget_set_aside(stream, arrival.sequence);
        Some(Fate { intended: intended(arrival), ..Fate::of(&leaver) })
    }

    fn add_to_stage(&mut self, stage: usize, sample: &Sample, fate: &Fate, times: &Times) {
        let stage = &mut self.stages[stage];
        *stage.counts.outcome_mut(fate.outcome) += 1;
        stage.counts.good += u64::from(fate.is_good);
        stage.late += u64::from(times.lateness > LATE_NS);
        stage.lateness.record(times.lateness);
        if fate.outcome.has_latency() {
            stage.latency.record(times.latency);
            stage.connect.record_if(times.connect);
            stage.first_byte.record_if(times.first_byte);
            stage.transfer.record_if(times.transfer);
        }
        stage.wave.outcome(sample);
    }

    fn add_to_rows(&mut self, fate: &Fate, latency: u64) {
        let row = self.rows.of_request(fate.intended);
        self.rows.add(fate.outcome.series(), row, 1);
        if fate.is_good {
            self.rows.add(Series::Good, row, 1);
        }
        if fate.outcome.has_latency() {
            self.rows.latency(row, latency);
        }
    }

    /// One more or one less request without an outcome.
    fn in_flight(&mut self, arrival: &Arrival, at: Instant, is_more: bool) {
        let changed = |level: u64| if is_more { level + 1 } else { level.saturating_sub(1) };
        let at = at.as_nanos();
        let total = &self.gauges[Series::InFlight.index()];
        let level = changed(total.map_or(0, |state| state.held.level));
        if total.is_none() {
            self.gauge(Series::InFlight, 0, 0);
        }
        self.gauge(Series::InFlight, at, level);
        let stream = usize::from(arrival.traffic);
        for &cell in &self.plan.in_flight_cells[stream] {
            if self.plan.cells[cell].filter.has_route(stream, usize::from(arrival.route)) {
                let held = self.own_levels[cell];
                let new = Held { level: changed(held.level), since: at.max(held.since) };
                self.own_levels[cell] = new;
                self.slots[cell].level(Some(held), new.since, new.level);
            }
        }
    }

    /// Lets go of what is complete.
    fn settle(&mut self) {
        let Self { plan, stages, streams, slots, gates, pending, .. } = self;
        let mut books = Books { plan, stages, streams, slots, gates };
        pending.settle(|leaver| books.close(leaver));
        self.tell_watermark(self.pending.watermark());
    }

    /// Lets go of everything at the end of the run.
    pub(super) fn settle_all(&mut self) {
        let Self { plan, stages, streams, slots, gates, pending, .. } = self;
        let mut books = Books { plan, stages, streams, slots, gates };
        pending.finish(|leaver| books.close(leaver));
    }

    fn tell_watermark(&mut self, watermark: u64) {
        self.rows.settle(watermark);
        for &cell in &self.plan.settled_cells {
            self.slots[cell].settle(watermark);
        }
    }
}

/// What an arrival still counts in when its turn has come: everything that needs the intended order.
struct Books<'a> {
    plan: &'a Plan,
    stages: &'a mut [StageState],
    streams: &'a mut [StreamState],
    slots: &'a mut [Slot],
    gates: &'a [Gate],
}

impl Books<'_> {
    fn close(&mut self, leaver: &Leaver) {
        let entry = &leaver.entry;
        if !entry.is_resolved() {
            return;
        }
        if entry.outcome() != Outcome::Dropped {
            let stream = &mut self.streams[leaver.stream];
            let stages = &self.plan.stages[self.plan.streams[leaver.stream].stages.clone()];
            while stage_is_over(stages, stream.stage, entry.intended) {
                stream.stage += 1;
            }
            stream.delivery.record(entry.intended, entry.taken_up);
            let stage = self.plan.streams[leaver.stream].stages.start + stream.stage;
            self.stages[stage].delivery.record(entry.intended, entry.taken_up);
        }
        let cells = &self.plan.ordered_cells[leaver.stream];
        if !cells.is_empty() {
            let fate = Fate::of(leaver);
            for &index in cells {
                let cell = &self.plan.cells[index];
                if fate.is_in(cell, self.gates[index]) {
                    self.slots[index].count(fate.intended, fate.events(cell.series));
                }
            }
        }
    }
}

fn stage_is_over(stages: &[StagePlan], stage: usize, at: u64) -> bool {
    stage + 1 < stages.len() && at > stages[stage].to
}

// === impl Fate ===

impl Fate {
    fn of(leaver: &Leaver) -> Self {
        let entry = &leaver.entry;
        Self {
            stream: leaver.stream,
            route: usize::from(entry.route),
            sequence: leaver.sequence,
            intended: entry.intended,
            outcome: entry.outcome(),
            is_good: entry.is_good(),
            is_cold: entry.is_cold(),
            attempts: u64::from(entry.attempts),
        }
    }

    /// Whether the request lies in the cell's scope and passes its labels.
    fn is_in(&self, cell: &Cell, gate: Gate) -> bool {
        let filter = &cell.filter;
        self.intended > cell.from
            && self.intended <= cell.to
            && filter.stream.is_none_or(|stream| stream == self.stream)
            && filter.outcome.is_none_or(|outcome| outcome == self.outcome)
            && filter.cold.is_none_or(|cold| cold == self.is_cold)
            && filter.first.is_none_or(|_| gate.seen > 0 && self.sequence <= gate.last)
            && filter.has_route(self.stream, self.route)
    }

    /// How many events of a series of requests this one is.
    fn events(&self, series: Series) -> u64 {
        match series {
            Series::Offered | Series::Sessions => 1,
            Series::Sent => u64::from(self.attempts > 0),
            Series::Attempts => self.attempts,
            Series::Good => u64::from(self.is_good),
            _ => u64::from(self.outcome.series() == series),
        }
    }

    /// Whether its times count in the cell. Latency and its parts leave out refusals, which are fast and would flatter them,
    /// unless the label asks for them; lateness is of every request, service of every answer.
    fn has_times(&self, cell: &Cell) -> bool {
        let is_asked_for =
            cell.filter.outcome.is_some() && !matches!(self.outcome, Outcome::Dropped | Outcome::Unfinished);
        matches!(cell.series, Series::Lateness | Series::Service) || self.outcome.has_latency() || is_asked_for
    }
}

// === impl Times ===

impl Times {
    fn of(sample: &Sample) -> Self {
        Self {
            latency: sample.ended_at.as_nanos().saturating_sub(sample.arrival.intended_at.as_nanos()),
            lateness: nanos_of(sample.parts.lateness),
            connect: sample.parts.connect.map(nanos_of),
            first_byte: sample.parts.first_byte.map(nanos_of),
            transfer: sample.parts.transfer.map(nanos_of),
        }
    }

    fn value(&self, series: Series) -> Option<u64> {
        match series {
            Series::Latency => Some(self.latency),
            Series::Lateness => Some(self.lateness),
            Series::Connect => self.connect,
            Series::FirstByte => self.first_byte,
            Series::Transfer => self.transfer,
            Series::Service => Some(self.first_byte?.saturating_add(self.transfer?)),
            _ => None,
        }
    }
}
