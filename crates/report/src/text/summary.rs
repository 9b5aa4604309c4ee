//! The table that closes several runs.

use super::layout::{Colour, Paint, Table};
use crate::format;
use crate::model::{Judgement, Report};

/// One line per run, and the first trouble of each that has some. It keeps the lines, not the reports.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    rows: Vec<Vec<String>>,
    troubles: Vec<String>,
}

impl Overview {
    /// Adds a run.
    pub fn add(&mut self, report: &Report) {
        let info = &report.scenario;
        let holding = report.expectations.iter().filter(|row| row.verdict == Judgement::Pass).count();
        self.rows.push(vec![
            format::label(&info.name, 36),
            info.mode.to_owned(),
            info.seed.to_string(),
            format!("{holding}/{}", report.expectations.len()),
            format::count(report.totals.offered),
            format::count(report.totals.ok),
            report.headline().to_owned(),
        ]);
        if report.interrupted || report.verdict != Judgement::Pass {
            let line = format!("  {}, seed {}: {}", format::label(&info.name, 32), info.seed, first_trouble(report));
            self.troubles.push(format::label(&line, super::COLUMNS));
        }
    }

    /// The table, with a final newline; empty without runs.
    pub fn text(&self, colour: Colour) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let mut table = Table::new(&["scenario", "mode", "seed", "holds", "offered", "ok", "verdict"]);
        self.rows.iter().for_each(|row| table.row(row.clone()));
        let mut lines = table.render(Paint::new(colour));
        lines.extend(self.troubles.iter().cloned());
        lines.join("\n") + "\n"
    }
}

fn first_trouble(report: &Report) -> String {
    let worst = report.expectations.iter().find(|row| row.verdict == report.verdict);
    match worst {
        Some(row) if !report.interrupted && report.stimulus.delivered => format!("{}: {}", row.name, row.reason),
        _ => report.conclusion(),
    }
}
