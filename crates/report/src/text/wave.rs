//! The first wave: how many of the first requests after the edge paid for something cold, and for what.

use super::layout::{Paint, entry};
use super::stages::name;
use crate::format;
use crate::model::{ColdCosts, FirstRequest, Report};

/// Reads the cost of one tier.
type CostOf = fn(&ColdCosts) -> f64;

/// What a request can wait for because it is cold, and how to read how long.
const COLD: [(&str, CostOf); 4] = [
    ("database connects", |cold| cold.db),
    ("cache loads", |cold| cold.cache),
    ("the cold catalog", |cold| cold.catalog),
    ("the cold gateway", |cold| cold.gateway),
];

/// Edges that are told at most; the JSON result has them all.
const EDGES: usize = 4;

pub(super) fn section(report: &Report, paint: Paint) -> Vec<String> {
    let several = report.stages.iter().any(|stage| stage.traffic != report.stages[0].traffic);
    let edges = report.stages.iter().filter_map(|stage| {
        let is_of_stage = |row: &&FirstRequest| row.traffic == stage.traffic && row.stage == stage.name;
        let wave: Vec<&FirstRequest> = report.first_wave.iter().filter(is_of_stage).collect();
        (!wave.is_empty()).then(|| edge(&name(stage, several), &wave))
    });
    edges.take(EDGES).flat_map(|text| entry("first wave", &text, paint)).collect()
}

/// `412 of the first 500 requests of spike paid a cold cost: …`.
fn edge(stage: &str, wave: &[&FirstRequest]) -> String {
    let cold = wave.iter().filter(|request| request.cold).count() as u64;
    let (stage, all) = (format::label(stage, 40), format::count(wave.len() as u64));
    let paid = if cold == 0 { "none".to_owned() } else { format::count(cold) };
    let mut text = format!("{paid} of the first {all} requests of {stage} paid a cold cost");
    let costs: Vec<String> = COLD.iter().filter_map(|(what, of)| cost(wave, what, *of)).collect();
    if !costs.is_empty() {
        text.extend([": ", &costs.join(", ")]);
    } else if cold > 0 {
        text.push_str(": a new connection (the target does not say more)");
    }
    if let Some(worst) = worst(wave) {
        text.extend(["; ", &worst]);
    }
    text
}

/// `371 waited for database connects (worst 212ms)`.
fn cost(wave: &[&FirstRequest], what: &str, of: CostOf) -> Option<String> {
    let paid: Vec<f64> = wave.iter().map(|request| of(&request.cold_ms)).filter(|&ms| ms > 0.0).collect();
    let worst = paid.iter().copied().reduce(f64::max)?;
    Some(format!("{} for {what} (worst {})", format::count(paid.len() as u64), format::millis(worst)))
}

/// The slowest request that got an answer or waited for one to the end.
fn worst(wave: &[&FirstRequest]) -> Option<String> {
    let counted = wave.iter().filter(|request| matches!(request.outcome, Some("ok" | "timed_out" | "failed")));
    let slowest = counted.max_by(|a, b| a.elapsed_ms.total_cmp(&b.elapsed_ms))?;
    Some(format!("the slowest took {} ({})", format::millis(slowest.elapsed_ms), slowest.outcome?.replace('_', " ")))
}
