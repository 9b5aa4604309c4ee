//! The expectations: a mark, what was measured, how far from the bound, and why.

use super::COLUMNS;
use super::layout::{Paint, hang, width_of, wrap};
use crate::format;
use crate::model::{Expectation, Judgement, Report};

pub(super) fn section(report: &Report, paint: Paint) -> Vec<String> {
    let rows = &report.expectations;
    if rows.is_empty() {
        return Vec::new();
    }
    let name_width = rows.iter().map(|row| width_of(&name(row))).max().unwrap_or(0).max(8);
    let head = format!("{:width$}  {:>9}  {:>9}", "expectations", "measured", "margin", width = name_width + 4);
    let mut lines = vec![paint.dim(&head)];
    lines.extend(rows.iter().flat_map(|row| expectation(row, name_width, paint)));
    if rows.iter().any(|row| row.verdict == Judgement::Invalid) {
        lines.push(paint.dim("  ? cannot be judged"));
    }
    lines
}

fn expectation(row: &Expectation, name_width: usize, paint: Paint) -> Vec<String> {
    let indent = name_width + 28;
    let measured = measured(row).unwrap_or_else(|| "-".to_owned());
    // Of an exact bound that is met there is nothing to spare.
    let margin = row.margin.filter(|margin| row.op != "==" || *margin != 0.0);
    let margin = margin.map_or_else(|| "-".to_owned(), format::margin);
    let mark = paint.verdict(mark(row.verdict), row.verdict, false);
    let lead = format!("  {mark} {:name_width$}  {measured:>9}  {margin:>9}  ", name(row));
    let mut lines = hang(&lead, indent, wrap(&format::label(&row.text, 500), COLUMNS - indent));
    if row.verdict != Judgement::Pass {
        lines.extend(hang("      ", 6, wrap(&row.reason, COLUMNS - 6)));
    }
    lines
}

/// What was found, in words.
pub(super) fn measured(row: &Expectation) -> Option<String> {
    let words = |value| if row.in_percent { format::share(value) } else { format::in_unit(value, row.unit) };
    row.measured.map(words)
}

fn name(row: &Expectation) -> String {
    format::label(&row.name, 24)
}

/// One character per verdict; `?` for what the run cannot tell.
pub(super) const fn mark(verdict: Judgement) -> &'static str {
    match verdict {
        Judgement::Pass => "✓",
        Judgement::Fail => "✗",
        Judgement::Invalid => "?",
    }
}
