//! The summary for a person: what happened, what held, and how to see it again, in 100 columns.

mod expectations;
mod layout;
mod stages;
mod summary;
mod target;
mod wave;

pub use layout::Colour;
pub use summary::{Overview, Width};

use crate::format;
use crate::model::{Again, Judgement, Report};
use layout::{Paint, wrap};

/// The width that every line keeps, colour codes apart.
pub const COLUMNS: usize = 100;

impl Report {
    /// The summary of one run, with a final newline.
    ///
    /// Lines are at most 100 columns, unless a single word of the scenario is longer. Without [`Colour::Always`] there is no
    /// escape sequence in it, whatever the scenario is called.
    pub fn text(&self, colour: Colour) -> String {
        let paint = Paint::new(colour);
        let sections = [
            header(self, paint),
            stages::section(self, paint),
            wave::section(self, paint),
            target::section(self, paint),
            expectations::section(self, paint),
            closing(self, paint),
        ];
        let said = sections.iter().filter(|lines| !lines.is_empty());
        let blocks: Vec<String> = said.map(|lines| lines.join("\n") + "\n").collect();
        blocks.join("\n")
    }

    /// The command that runs the same again; `None` if the scenario did not come from a file.
    pub fn replay(&self) -> Option<String> {
        let Again { file, url, allow_commands } = &self.again;
        if file.starts_with('<') {
            return None;
        }
        let mut command =
            format!("coldfront run {} --{} --seed {}", quoted(file), self.scenario.mode, self.scenario.seed);
        command.extend(url.iter().map(|url| format!(" --url {}", quoted(url))));
        command.push_str(if *allow_commands { " --allow-commands" } else { "" });
        Some(command)
    }

    /// The verdict as a sentence: `all 6 expectations hold`.
    pub fn conclusion(&self) -> String {
        let of = |judgement| self.expectations.iter().filter(|row| row.verdict == judgement).count();
        let total = self.expectations.len();
        let noun = if total == 1 { "expectation" } else { "expectations" };
        if self.interrupted {
            return "stopped before its end; what follows covers only the part that ran".to_owned();
        }
        if let Some(error) = &self.internal_error {
            return error.clone();
        }
        if !self.stimulus.delivered {
            return format!("the planned load was not delivered: {}", self.stimulus.reasons.join("; "));
        }
        match (self.verdict, of(Judgement::Fail), of(Judgement::Invalid)) {
            (Judgement::Pass, ..) if total == 0 => "no expectations to judge".to_owned(),
            (Judgement::Pass, ..) if total == 1 => "the expectation holds".to_owned(),
            (Judgement::Pass, ..) => format!("all {total} expectations hold"),
            (Judgement::Fail, failed, unknown) => {
                let does = if failed == 1 { "does" } else { "do" };
                let unjudged = if unknown > 0 { format!(", {unknown} cannot be judged") } else { String::new() };
                format!("{failed} of {total} {noun} {does} not hold{unjudged}")
            }
            (Judgement::Invalid, _, unknown) => format!("{unknown} of {total} {noun} cannot be judged"),
        }
    }

    /// Why the run did not pass, for a panic message: each expectation that does not hold with what was measured, and the
    /// command that runs the same again.
    pub fn failure(&self) -> String {
        let info = &self.scenario;
        let mut lines = vec![format!("{}: {}", format::label(&info.name, 200), self.conclusion())];
        for row in self.expectations.iter().filter(|row| row.verdict != Judgement::Pass) {
            let measured = expectations::measured(row).unwrap_or_else(|| "nothing".to_owned());
            let mark = expectations::mark(row.verdict);
            lines.push(format!("  {mark} {}: {}", format::label(&row.name, 80), format::label(&row.text, 500)));
            lines.push(format!("      measured {measured}: {}", row.reason));
        }
        lines.push(format!("  seed {}, {}, {}", info.seed, info.mode, format::label(&info.file, 200)));
        lines.extend(self.replay().map(|command| format!("  to see it again: {command}")));
        lines.join("\n")
    }

    /// The verdict in a word: PASS, FAIL, INVALID or INTERRUPTED; RAN if there was nothing to judge.
    pub fn headline(&self) -> &'static str {
        match (self.interrupted, self.verdict) {
            (true, _) => "INTERRUPTED",
            (_, Judgement::Pass) if self.expectations.is_empty() => "RAN",
            (_, Judgement::Pass) => "PASS",
            (_, Judgement::Fail) => "FAIL",
            (_, Judgement::Invalid) => "INVALID",
        }
    }
}

fn header(report: &Report, paint: Paint) -> Vec<String> {
    let headline = report.headline();
    let indent = headline.chars().count() + 2;
    let info = &report.scenario;
    let title = format!("{}: {}", format::label(&info.name, 200), report.conclusion());
    let mut lines = wrap(&title, COLUMNS - indent);
    lines.extend(wrap(
        &format!("{}, seed {}, {}", info.mode, info.seed, format::label(&info.file, 200)),
        COLUMNS - indent,
    ));
    for note in &report.mode_notes {
        lines.extend(wrap(&format!("note: {note}"), COLUMNS - indent));
    }
    let headline = paint.verdict(headline, report.verdict, report.interrupted);
    layout::hang(&format!("{headline}  "), indent, lines)
}

/// What the generator achieved, and how to see it again.
fn closing(report: &Report, paint: Paint) -> Vec<String> {
    let planned: u64 = report.stages.iter().map(|stage| stage.planned).sum();
    let mut facts = vec![format!("sent {} of {} planned", format::count(report.totals.sent), format::count(planned))];
    if let Some(error) = report.stimulus.delivery_error {
        facts.push(format!("at most {} off the plan", format::percent(error)));
    }
    if let Some(lateness) = report.stimulus.lateness_p99_ms {
        facts.push(format!("lateness p99 {}", format::millis(lateness)));
    }
    let mut lines = layout::entry("load", &facts.join(", "), paint);
    if report.totals.unaccounted != 0 {
        let lost = format!("UNACCOUNTED requests: {}, a defect of coldfront", report.totals.unaccounted);
        lines.extend(layout::entry("accounting", &lost, paint));
    }
    if let Some(command) = report.replay() {
        lines.extend(layout::entry("replay", &command, paint));
    }
    lines
}

/// A word for a shell: as it is where that is safe, else in single quotes.
fn quoted(word: &str) -> String {
    let safe = |c: char| c.is_alphanumeric() || "-_./+=:@%".contains(c);
    if !word.is_empty() && word.chars().all(safe) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests;
