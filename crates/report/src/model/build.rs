//! From a recording and its verdict to the report.

use super::{
    Again, ColdCosts, Counts, Event, FirstRequest, Parts, Quantiles, Report, SCHEMA, ScenarioInfo, Stage, Target,
    Window, judged,
};
use coldfront_measure::{Distribution, FirstWaveRow, Recording, StageRecord};
use coldfront_scenarios::{Mode, Scenario, Series};
use coldfront_verdict::Verdict;
use std::path::Path;
use std::time::Duration;

/// What a report is made of.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// What was run, with the seed that was used.
    pub scenario: &'a Scenario,
    /// What was measured.
    pub recording: &'a Recording,
    /// What it means.
    pub verdict: &'a Verdict,
    /// The mode that was used.
    pub mode: Mode,
    /// What a reader should know about that mode.
    pub notes: &'a [String],
    /// Whether the run was stopped before its end.
    pub interrupted: bool,
}

impl Report {
    /// The report on one run.
    pub fn new(source: &Source<'_>) -> Self {
        let Source { scenario, recording, verdict, mode, notes, interrupted } = *source;
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scenario: ScenarioInfo {
                name: scenario.name.clone(),
                file: file_name(&scenario.file),
                seed: scenario.seed,
                mode: mode.name(),
            },
            mode_notes: notes.to_vec(),
            interrupted,
            verdict: verdict.outcome,
            internal_error: verdict.internal_error.clone(),
            stimulus: judged::stimulus(verdict),
            expectations: judged::expectations(scenario, verdict),
            totals: counts(&recording.totals()),
            stages: recording.stages().iter().map(|record| stage(record, recording)).collect(),
            events: recording
                .events()
                .iter()
                .map(|entry| Event { at_s: seconds(entry.at_ns), text: entry.text.clone() })
                .collect(),
            events_lost: recording.events_lost(),
            first_wave: recording.first_wave().iter().map(|row| first_request(row, scenario)).collect(),
            target: Target::of(scenario, recording),
            windows: windows(recording),
            again: Again { file: scenario.file.clone(), ..Again::default() },
        }
    }
}

/// The file as it was named, without the path to it if that starts at the root of a machine.
fn file_name(file: &str) -> String {
    let path = Path::new(file);
    match path.file_name() {
        Some(name) if path.is_absolute() => name.to_string_lossy().into_owned(),
        _ => file.to_owned(),
    }
}

fn counts(counts: &coldfront_measure::Counts) -> Counts {
    Counts {
        offered: counts.offered,
        sent: counts.sent,
        ok: counts.ok,
        good: counts.good,
        rejected: counts.rejected,
        shed: counts.shed,
        timed_out: counts.timed_out,
        failed: counts.failed,
        dropped: counts.dropped,
        unfinished: counts.unfinished,
        unaccounted: counts.unaccounted,
    }
}

fn stage(record: &StageRecord, recording: &Recording) -> Stage {
    Stage {
        traffic: recording.streams()[record.traffic].name.clone(),
        name: record.name.clone(),
        from_s: seconds(record.from_ns),
        to_s: seconds(record.to_ns),
        planned: record.planned.unwrap_or(record.counts.offered),
        counts: counts(&record.counts),
        delivery_error: (record.delivery.arrivals > 0).then(|| record.delivery.error()),
        latency_ms: quantiles(&record.latency),
        parts_ms: Parts {
            lateness: quantiles(&record.lateness),
            connect: quantiles(&record.connect),
            first_byte: quantiles(&record.first_byte),
            transfer: quantiles(&record.transfer),
        },
        histogram: record.latency.histogram_base64(),
    }
}

pub(super) fn quantiles(distribution: &Distribution) -> Quantiles {
    let quantile = |q| distribution.quantile(q).map(duration_ms);
    Quantiles {
        count: distribution.count(),
        p50: quantile(0.5),
        p90: quantile(0.9),
        p95: quantile(0.95),
        p99: quantile(0.99),
        p999: quantile(0.999),
        max: distribution.max().map(duration_ms),
        mean: distribution.mean().map(duration_ms),
    }
}

fn first_request(row: &FirstWaveRow, scenario: &Scenario) -> FirstRequest {
    let traffic = &scenario.traffic[usize::from(row.traffic)];
    let cold_ms = ColdCosts {
        gateway: millis(row.cold_gateway_ns),
        catalog: millis(row.cold_catalog_ns),
        cache: millis(row.cold_cache_ns),
        db: millis(row.cold_db_ns),
    };
    let paid = row.cold_gateway_ns + row.cold_catalog_ns + row.cold_cache_ns + row.cold_db_ns > 0;
    let tells_nothing = matches!(scenario.target, coldfront_scenarios::Target::External(_));
    FirstRequest {
        traffic: traffic.name.clone(),
        stage: traffic.stages[usize::from(row.stage)].name.clone(),
        sequence: row.sequence,
        route: traffic.mix[usize::from(row.route)].name(),
        intended_s: seconds(row.intended_ns),
        outcome: row.outcome.map(coldfront_scenarios::Outcome::name),
        status: row.status,
        elapsed_ms: millis(row.elapsed_ns),
        lateness_ms: millis(row.lateness_ns),
        connect_ms: row.connect_ns.map(millis),
        first_byte_ms: row.first_byte_ns.map(millis),
        transfer_ms: row.transfer_ns.map(millis),
        new_connection: row.new_connection,
        cold: paid || (tells_nothing && row.new_connection),
        cold_ms,
    }
}

fn windows(recording: &Recording) -> Vec<Window> {
    let rows = recording.rows();
    let levels: Vec<Series> = Series::ALL.iter().copied().filter(|series| recording.gauge(*series).is_some()).collect();
    let row = |index: usize| {
        let count = |series| rows.counter(series, index);
        let latency = rows.latency(index);
        let known = |nanos| (latency.count > 0).then(|| millis(nanos));
        let level = |series: &Series| Some((series.name(), rows.gauge(*series, index)?.max));
        Window {
            from_s: seconds(rows.width_ns() * index as u64),
            to_s: seconds(rows.width_ns() * (index as u64 + 1)),
            offered: count(Series::Offered),
            ok: count(Series::Ok),
            rejected: count(Series::Rejected),
            shed: count(Series::Shed),
            timed_out: count(Series::TimedOut),
            failed: count(Series::Failed),
            p50_ms: known(latency.p50_ns),
            p95_ms: known(latency.p95_ns),
            p99_ms: known(latency.p99_ns),
            max_ms: known(latency.max_ns),
            levels_max: levels.iter().filter_map(level).collect(),
        }
    };
    (0..rows.len()).map(row).collect()
}

pub(super) fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

pub(super) fn millis(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

pub(super) fn duration_ms(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e6
}

#[cfg(test)]
mod tests;
