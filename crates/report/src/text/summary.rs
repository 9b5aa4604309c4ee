//! The table that closes several runs.

use super::COLUMNS;
use super::layout::{Colour, Paint, Table, width_of};
use crate::format;
use crate::model::{Judgement, Report};

/// The columns of a path in the table, where lines have to be short.
const FILE_COLUMNS: usize = 40;

/// One line per run, and the first trouble of each that has some. It keeps the lines, not the reports.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    rows: Vec<Row>,
    not_started: usize,
}

/// How long a line may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// As long as what it says: for files and other programs.
    Whole,
    /// [`COLUMNS`] at most, cut: for a terminal.
    Terminal,
}

/// One run.
#[derive(Clone, Debug)]
struct Row {
    /// What can be typed to run it, its title if there is nothing.
    file: String,
    mode: &'static str,
    seed: u64,
    holds: String,
    offered: String,
    ok: String,
    headline: &'static str,
    trouble: Option<String>,
}

impl Overview {
    /// Adds a run.
    pub fn add(&mut self, report: &Report) {
        let info = &report.scenario;
        let holding = report.expectations.iter().filter(|row| row.verdict == Judgement::Pass).count();
        let has_trouble = report.interrupted || report.verdict != Judgement::Pass;
        let from_no_file = report.again.file.starts_with('<');
        self.rows.push(Row {
            file: format::label(if from_no_file { &info.name } else { &report.again.file }, usize::MAX),
            mode: info.mode,
            seed: info.seed,
            holds: format!("{holding}/{}", report.expectations.len()),
            offered: format::count(report.totals.offered),
            ok: format::count(report.totals.ok),
            headline: report.headline(),
            trouble: has_trouble.then(|| first_trouble(report)),
        });
    }

    /// Adds a run that could not be made, and why: it is invalid.
    pub fn add_unmade(&mut self, file: &str, mode: &'static str, seed: u64, reason: &str) {
        self.rows.push(Row {
            file: format::label(file, usize::MAX),
            mode,
            seed,
            holds: "-".to_owned(),
            offered: "-".to_owned(),
            ok: "-".to_owned(),
            headline: "INVALID",
            trouble: Some(format!("the run could not be made: {reason}")),
        });
    }

    /// Takes note of runs that did not start, because the batch was interrupted.
    pub fn add_not_started(&mut self, runs: usize) {
        self.not_started += runs;
    }

    /// The table, with a final newline; empty without runs.
    pub fn text(&self, colour: Colour, width: Width) -> String {
        let mut lines = Vec::new();
        if !self.rows.is_empty() {
            let mut table = Table::new(&["scenario", "mode", "seed", "holds", "offered", "ok", "verdict"]);
            self.rows.iter().for_each(|row| table.row(row.cells(width)));
            lines.extend(table.render(Paint::new(colour)));
            lines.extend(self.rows.iter().filter_map(|row| row.trouble(width)));
        }
        if self.not_started > 0 {
            let runs = self.rows.len() + self.not_started;
            lines.push(format!("  {} of {} runs did not start", self.not_started, runs));
        }
        lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
    }
}

impl Row {
    fn cells(&self, width: Width) -> Vec<String> {
        vec![
            self.file(width),
            self.mode.to_owned(),
            self.seed.to_string(),
            self.holds.clone(),
            self.offered.clone(),
            self.ok.clone(),
            self.headline.to_owned(),
        ]
    }

    fn trouble(&self, width: Width) -> Option<String> {
        let line = format!("  {}, seed {}: {}", self.file(width), self.seed, self.trouble.as_ref()?);
        let columns = if width == Width::Terminal { COLUMNS } else { usize::MAX };
        Some(format::label(&line, columns))
    }

    /// The end of a path says more than its start.
    fn file(&self, width: Width) -> String {
        let too_long = width_of(&self.file).saturating_sub(FILE_COLUMNS);
        if width == Width::Whole || too_long == 0 {
            return self.file.clone();
        }
        std::iter::once('…').chain(self.file.chars().skip(too_long + 1)).collect()
    }
}

fn first_trouble(report: &Report) -> String {
    let worst = report.expectations.iter().find(|row| row.verdict == report.verdict);
    match worst {
        Some(row) if !report.interrupted && report.stimulus.delivered => format!("{}: {}", row.name, row.reason),
        _ => report.conclusion(),
    }
}
