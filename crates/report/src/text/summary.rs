//! The table that closes several runs.

use super::layout::{Colour, Paint, Table};
use crate::format;
use crate::model::{Judgement, Report};

/// One line per run: scenario, mode, seed, verdict, and the first expectation that does not hold.
pub fn summary_table(reports: &[Report], colour: Colour) -> String {
    let paint = Paint::new(colour);
    let mut table = Table::new(&["scenario", "mode", "seed", "holds", "offered", "ok", "verdict"]);
    for report in reports {
        table.row(vec![
            format::label(&report.scenario.name, 32),
            report.scenario.mode.to_owned(),
            report.scenario.seed.to_string(),
            format!("{}/{}", holding(report), report.expectations.len()),
            format::count(report.totals.offered),
            format::count(report.totals.ok),
            report.headline().to_owned(),
        ]);
    }
    let mut lines = table.render(paint);
    for report in reports.iter().filter(|report| report.interrupted || report.verdict != Judgement::Pass) {
        let info = &report.scenario;
        let line = format!("  {}, seed {}: {}", format::label(&info.name, 32), info.seed, first_trouble(report));
        lines.push(format::label(&line, super::COLUMNS));
    }
    lines.join("\n") + "\n"
}

fn holding(report: &Report) -> usize {
    report.expectations.iter().filter(|row| row.verdict == Judgement::Pass).count()
}

fn first_trouble(report: &Report) -> String {
    let worst = report.expectations.iter().find(|row| row.verdict == report.verdict);
    match worst {
        Some(row) if !report.interrupted && report.stimulus.delivered => format!("{}: {}", row.name, row.reason),
        _ => report.conclusion(),
    }
}
