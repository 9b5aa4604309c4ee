//! From state to recording.

use super::{GaugeState, StageState, State};
use crate::delivery::Delivery;
use crate::distribution::Distribution;
use crate::level::Held;
use crate::plan::{Cell, Plan, StagePlan, is_of_requests};
use crate::recording::{
    DeliveryRecord, ExpectationRecord, GaugeTotal, LimiterPeak, Measurement, Recording, StageRecord, StreamRecord,
};
use coldfront_scenarios::Series;

impl State {
    /// Everything measured up to `end`.
    pub(crate) fn finish(mut self, end: u64) -> Recording {
        self.settle_all();
        let plan = self.plan.clone();
        let gauges = self.gauges;
        let held = |series: Series| gauges[series.index()].map(|state| state.held);
        let mut measured = self.measurements(end);
        let stages: Vec<_> = plan.stages.iter().zip(self.stages).map(|(plan, state)| state.finish(plan)).collect();
        let (records, waves): (Vec<_>, Vec<_>) = stages.into_iter().unzip();
        let mut first_wave: Vec<_> = waves.into_iter().flatten().collect();
        first_wave.sort();
        self.events.sort_by_key(|entry| entry.at_ns);
        let streams = plan.streams.iter().zip(&self.streams).map(|(stream, state)| {
            let undelivered = records[stream.stages.clone()].iter().map(undelivered).sum();
            StreamRecord { name: stream.name.clone(), delivery: delivery(&state.delivery, undelivered) }
        });
        Recording {
            shape: plan.shape,
            end_ns: end,
            interrupted_ns: self.interrupted,
            streams: streams.collect(),
            stages: records,
            counters: self.counters.to_vec(),
            gauges: gauges.iter().map(|state| state.as_ref().map(GaugeState::total)).collect(),
            histograms: self.histograms.into_iter().map(|of| (of.count() > 0).then(|| closed(of))).collect(),
            limiter: limiter(&plan, &measured),
            expectations: expectations(&plan, &mut measured),
            rows: self.rows.finish(end, held),
            first_wave,
            first_wave_budgets: plan.stages.iter().map(|stage| stage.first_wave).collect(),
            events: self.events,
            events_lost: self.events_lost,
            not_ok: self.not_ok.rows(),
        }
    }

    fn measurements(&mut self, end: u64) -> Vec<Option<Measurement>> {
        let slots = std::mem::take(&mut self.slots);
        let cells = self.plan.clone();
        let finished = cells.cells.iter().zip(slots).enumerate().map(|(index, (cell, slot))| {
            let measured = slot.finish(cell, self.held(index, cell), end);
            Some(self.with_disorder(cell, measured))
        });
        finished.collect()
    }

    /// The level of a gauge cell's series at the end.
    fn held(&self, index: usize, cell: &Cell) -> Option<Held> {
        // A level of its own is known from time zero on wherever the generator's calls came.
        let total = self.gauges[cell.series.index()].map(|state| state.held);
        if cell.has_own_level() { total.map(|_| self.own_levels[index]) } else { total }
    }

    /// Windows over requests are exact only if these left in order.
    fn with_disorder(&self, cell: &Cell, mut measured: Measurement) -> Measurement {
        if let Measurement::Trailing(summary) = &mut measured
            && is_of_requests(cell.series)
        {
            summary.is_given_up |= self.pending.is_given_up;
            summary.disordered += self.pending.disordered;
        }
        measured
    }
}

fn expectations(plan: &Plan, measured: &mut [Option<Measurement>]) -> Vec<ExpectationRecord> {
    let once = "each cell belongs to one expectation";
    let mut take = |cell: usize| measured[cell].take().expect(once);
    let record = |one: &crate::plan::ExpectationPlan| ExpectationRecord {
        name: one.name.clone(),
        measured: take(one.cell),
        second: one.second.map(&mut take),
    };
    plan.expectations.iter().map(record).collect()
}

fn limiter(plan: &Plan, measured: &[Option<Measurement>]) -> Option<LimiterPeak> {
    let (cell, per_ns) = plan.limiter?;
    match measured[cell] {
        Some(Measurement::Trailing(admitted)) => Some(LimiterPeak { per_ns, admitted }),
        _ => None,
    }
}

/// Arrivals that the plan holds and nobody offered.
fn undelivered(stage: &StageRecord) -> u64 {
    stage.planned.map_or(0, |planned| planned.saturating_sub(stage.counts.offered))
}

fn delivery(found: &Delivery, undelivered: u64) -> DeliveryRecord {
    DeliveryRecord { backlog: found.backlog.max(undelivered), arrivals: found.arrivals + undelivered }
}

fn closed(mut distribution: Distribution) -> Distribution {
    distribution.close();
    distribution
}

impl GaugeState {
    const fn total(&self) -> GaugeTotal {
        GaugeTotal { max: self.max, max_at_ns: self.max_at, last: self.held.level }
    }
}

impl StageState {
    fn finish(self, plan: &StagePlan) -> (StageRecord, Vec<crate::first_wave::FirstWaveRow>) {
        let mut record = StageRecord {
            traffic: plan.stream,
            name: plan.name.clone(),
            from_ns: plan.from,
            to_ns: plan.to,
            planned: self.planned,
            counts: self.counts,
            delivery: DeliveryRecord::default(),
            late: self.late,
            latency: closed(self.latency),
            lateness: closed(self.lateness),
            connect: closed(self.connect),
            first_byte: closed(self.first_byte),
            transfer: closed(self.transfer),
        };
        record.counts.unaccounted += record.counts.offered.abs_diff(record.counts.resolved());
        record.delivery = delivery(&self.delivery, undelivered(&record));
        (record, self.wave.into_rows())
    }
}
