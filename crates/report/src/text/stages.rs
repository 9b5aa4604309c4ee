//! The table of stages: where the requests went, and how long they took.

use super::layout::{Paint, Table};
use crate::format;
use crate::model::{Counts, Quantiles, Report, Stage};

/// A column of counts, shown if it is always wanted or anywhere above zero.
struct Column {
    head: &'static str,
    always: bool,
    of: fn(&Counts) -> u64,
}

const COLUMNS: [Column; 8] = [
    Column { head: "offered", always: true, of: |counts| counts.offered },
    Column { head: "ok", always: true, of: |counts| counts.ok },
    Column { head: "rejected", always: true, of: |counts| counts.rejected },
    Column { head: "shed", always: true, of: |counts| counts.shed },
    Column { head: "timed out", always: true, of: |counts| counts.timed_out },
    Column { head: "failed", always: false, of: |counts| counts.failed },
    Column { head: "dropped", always: false, of: |counts| counts.dropped },
    Column { head: "unfinished", always: false, of: |counts| counts.unfinished },
];

pub(super) fn section(report: &Report, paint: Paint) -> Vec<String> {
    let shown: Vec<&Column> =
        COLUMNS.iter().filter(|column| column.always || (column.of)(&report.totals) > 0).collect();
    let mut head = vec!["stage"];
    head.extend(shown.iter().map(|column| column.head));
    head.extend(["p50", "p95", "p99", "max"]);
    let mut table = Table::new(&head);
    let several = report.stages.iter().any(|stage| stage.traffic != report.stages[0].traffic);
    for stage in &report.stages {
        let mut row = vec![format::label(&name(stage, several), 20)];
        row.extend(counts(&stage.counts, &shown));
        row.extend(quantiles(&stage.latency_ms));
        table.row(row);
    }
    if report.stages.len() > 1 {
        let mut row = vec!["total".to_owned()];
        row.extend(counts(&report.totals, &shown));
        table.row(row);
    }
    let mut lines = table.render(paint);
    lines.push(paint.dim("  times from the intended start, over ok, timed-out and failed requests"));
    lines
}

/// The stage's name, with its stream's if there are several.
pub(super) fn name(stage: &Stage, several: bool) -> String {
    if several { format!("{}.{}", stage.traffic, stage.name) } else { stage.name.clone() }
}

fn counts(counts: &Counts, shown: &[&Column]) -> Vec<String> {
    shown.iter().map(|column| format::count((column.of)(counts))).collect()
}

fn quantiles(latency: &Quantiles) -> Vec<String> {
    let show = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), format::millis);
    [latency.p50, latency.p95, latency.p99, latency.max].map(show).to_vec()
}
