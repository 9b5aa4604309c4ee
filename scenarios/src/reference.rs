//! The reference page, written from the declarations of the file format and the registries.

mod sections;

use crate::error::{Code, MOST_PROBLEMS};
use crate::file::{MOST_EVENTS, MOST_EXPECTATIONS, MOST_ROUTES, MOST_STAGES, MOST_TRAFFIC, ScenarioFile};
use crate::resolve::observable::{Need, labels, need};
use crate::routes::RouteKind;
use crate::shape::Table;
use crate::{LARGEST_FILE, Outcome, Series, Side};
use sections::Page;

/// The scenario reference as Markdown, as `docs/scenario-reference.md` has it.
pub fn reference() -> String {
    let mut page = Page::default();
    page.text(include_str!("reference/head.md"));
    page.heading(2, "The file");
    page.tables(&ScenarioFile::table_schema());
    page.heading(2, "Values in several forms");
    page.forms();
    page.text(include_str!("reference/expectations.md"));
    page.text(&outcomes());
    page.text(include_str!("reference/series.md"));
    page.text(&series());
    page.text(include_str!("reference/routes.md"));
    page.text(&routes());
    page.text(include_str!("reference/errors.md"));
    page.text(&codes());
    page.text(&limits());
    page.into_text()
}

fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn outcomes() -> String {
    let head = row(&["outcome", "the client saw", "in `latency`"]) + &row(&["---"; 3]);
    let line = |outcome: Outcome| {
        let latency = if outcome.has_latency() { "yes" } else { "" };
        row(&[&format!("`{}`", outcome.name()), outcome.series().about(), latency])
    };
    Outcome::ALL.into_iter().fold(head, |text, outcome| text + &line(outcome)) + "\n"
}

fn series() -> String {
    let head = row(&["series", "kind", "placed by", "labels", "what", "needs"]) + &row(&["---"; 6]);
    let line = |series: Series| {
        let placed = match series.side() {
            Side::Client => "intended time",
            Side::Target => "event time",
        };
        let needs = match need(series) {
            Need::Nothing => String::new(),
            Need::Part(part) => part.setting().to_owned(),
            Need::Later(why) => format!("not in this version: {why}"),
        };
        let labels = labels(series).join(", ");
        row(&[&format!("`{}`", series.name()), series.kind().name(), placed, &labels, series.about(), &needs])
    };
    Series::ALL.iter().fold(head, |text, series| text + &line(*series)) + "\n"
}

fn routes() -> String {
    RouteKind::ALL.iter().fold(String::new(), |text, route| text + &format!("- `{}`\n", route.name())) + "\n"
}

fn codes() -> String {
    let head = row(&["code", "when"]) + &row(&["---"; 2]);
    Code::ALL.iter().fold(head, |text, code| text + &row(&[&format!("`{code}`"), code.about()])) + "\n"
}

fn limits() -> String {
    let lines = [
        ("a file", format!("{LARGEST_FILE} bytes")),
        ("problems shown of one file", MOST_PROBLEMS.to_string()),
        ("streams", MOST_TRAFFIC.to_string()),
        ("stages of a stream", MOST_STAGES.to_string()),
        ("entries of a mix", MOST_ROUTES.to_string()),
        ("events", MOST_EVENTS.to_string()),
        ("expectations", MOST_EXPECTATIONS.to_string()),
        ("any duration, and the stages of a stream in sum", "100 hours".to_owned()),
        ("any rate", "10 million per second".to_owned()),
        ("requests that a run plans, over all streams", "1 billion".to_owned()),
    ];
    let head = "## Limits\n\n".to_owned() + &row(&["of", "at most"]) + &row(&["---"; 2]);
    lines.iter().fold(head, |text, (of, most)| text + &row(&[of, most]))
}
