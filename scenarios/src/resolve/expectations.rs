//! Expectations: series, labels, stages and units looked up and checked.

mod bound;
mod fits;
mod scope;
mod selection;

use crate::error::{Code, Finding, Problems};
use crate::expectation::syntax::{GoalWritten, MeasureWritten, Piece, SelectionWritten, Written};
use crate::expectation::{Comparison, Expectation, Goal, Measure, Selection, Statistic};
use crate::file::words::check_name;
use crate::shape::At;
use crate::{Kind, Scenario};
use bound::Unit;

/// All expectations, in file order.
pub(super) fn expectations(
    files: &[(At<String>, At<Written>)],
    scenario: &Scenario,
    problems: &mut Problems,
) -> Option<Vec<Expectation>> {
    let resolve = |(name, written): &(At<String>, At<Written>)| {
        let named = check_name(name).map_err(|(message, help)| {
            problems.add::<()>(Finding::new(Code::InvalidName, &name.span, message).help(help));
        });
        let expectation = Resolver { scenario, problems: &mut *problems }.expectation(name, written);
        expectation.filter(|_| named.is_ok())
    };
    let resolved: Vec<Option<Expectation>> = files.iter().map(resolve).collect();
    resolved.into_iter().collect()
}

struct Resolver<'a> {
    scenario: &'a Scenario,
    problems: &'a mut Problems,
}

impl Resolver<'_> {
    fn expectation(&mut self, name: &str, written: &Written) -> Option<Expectation> {
        let scope = self.scope(&written.scope);
        let measure = self.measure(&written.measure)?;
        let scope = scope?;
        let unit = bound::unit(&measure);
        let bound = self.bound(&written.bound, unit);
        self.comparison(&written.comparison, &written.bound, unit, &measure)?;
        self.fits(written, &measure, &scope)?;
        Some(Expectation {
            name: name.to_owned(),
            text: written.text.split_whitespace().collect::<Vec<_>>().join(" "),
            measure,
            comparison: written.comparison.value,
            bound: bound?,
            scope: scope.scope,
        })
    }

    fn measure(&mut self, written: &Piece<MeasureWritten>) -> Option<Measure> {
        match &written.value {
            MeasureWritten::Statistic(statistic, selection) => {
                let resolved = self.selection(selection)?;
                self.statistic(statistic, selection, &resolved, "")?;
                Some(Measure::Statistic(statistic.value, resolved))
            }
            MeasureWritten::Extreme(extreme, selection, per) => {
                let resolved = self.counter(selection, "a window extreme")?;
                Some(Measure::Extreme { extreme: extreme.value, selection: resolved, per: per.value })
            }
            MeasureWritten::Ratio(upper, lower) => {
                let (upper, lower) = (self.counter(upper, "`ratio`"), self.counter(lower, "`ratio`"));
                Some(Measure::Ratio(upper?, lower?))
            }
            MeasureWritten::Recovery { statistic, selection, per, goal } => {
                let resolved = self.selection(selection)?;
                self.statistic(statistic, selection, &resolved, " of each window")?;
                let goal = self.goal(goal, statistic.value, &resolved)?;
                Some(Measure::Recovery { statistic: statistic.value, selection: resolved, per: per.value, goal })
            }
        }
    }

    fn goal(&mut self, goal: &GoalWritten, statistic: Statistic, selection: &Selection) -> Option<Goal> {
        let (fraction, stage) = match goal {
            GoalWritten::AtMost(bound) => {
                let unit = bound::statistic_unit(statistic, selection.series.kind());
                return self.bound(bound, unit).map(Goal::AtMost);
            }
            GoalWritten::Within(fraction, stage) => (fraction.value, stage),
        };
        let baseline = self.whole_stage(stage)?;
        if statistic == Statistic::Count {
            let finding = Finding::new(
                Code::Statistic,
                &stage.span,
                "a count grows with the time it covers, so a window's cannot be compared with a stage's",
            );
            return self.problems.add(finding.help("write rate(…) instead of count(…), or a plain bound"));
        }
        if scope::is_silent(&baseline, self.scenario) {
            let finding = Finding::new(
                Code::Scope,
                &stage.span,
                format!("`{}` has rate 0: there is no baseline to recover to", stage.name),
            );
            return self.problems.add(finding.help("name a stage with traffic, or a plain bound such as 250ms"));
        }
        Some(Goal::Within { fraction, baseline })
    }

    /// A selection that must be of a counter.
    fn counter(&mut self, written: &SelectionWritten, what: &str) -> Option<Selection> {
        let selection = self.selection(written)?;
        let kind = selection.series.kind();
        if kind == Kind::Counter {
            return Some(selection);
        }
        let message = format!("{what} is of counters, and `{}` is a {}", written.series.value, kind.name());
        let finding = Finding::new(Code::Statistic, &written.series.span, message);
        self.problems.add(finding.help(format!("a {} has {}", kind.name(), statistics_of(kind))))
    }

    fn statistic(
        &mut self,
        statistic: &Piece<Statistic>,
        written: &SelectionWritten,
        selection: &Selection,
        of_what: &str,
    ) -> Option<()> {
        let kind = selection.series.kind();
        if applies(statistic.value, kind) {
            return Some(());
        }
        let (name, series) = (statistic.value, &written.series.value);
        let help = match (statistic.value, kind) {
            (Statistic::Min | Statistic::Max, Kind::Counter) if of_what.is_empty() => {
                format!("write {name}({series} per 1s), which is over all windows of that length, or count({series})")
            }
            (_, Kind::Counter) if !of_what.is_empty() => "a counter has count and rate of each window".to_owned(),
            _ => format!("a {} has {}", kind.name(), statistics_of(kind)),
        };
        let message = format!("`{name}` does not apply to `{series}`, which is a {}", kind.name());
        self.problems.add(Finding::new(Code::Statistic, &statistic.span, message).help(help))
    }

    /// Whether the comparison suits: `==` is for whole numbers only, and recovery is never compared with it.
    fn comparison(
        &mut self,
        comparison: &Piece<Comparison>,
        bound: &Piece<crate::expectation::syntax::BoundWritten>,
        unit: Unit,
        measure: &Measure,
    ) -> Option<()> {
        if comparison.value != Comparison::Equal {
            return Some(());
        }
        let whole =
            matches!(bound.value, crate::expectation::syntax::BoundWritten::Number(number) if number.fract() == 0.0);
        if unit == Unit::Count && whole && !matches!(measure, Measure::Statistic(Statistic::Mean, _)) {
            return Some(());
        }
        let finding = Finding::new(Code::Statistic, &comparison.span, "`==` compares whole numbers only");
        self.problems.add(finding.help("write <= or >=; == suits counts and gauge levels"))
    }
}

/// The statistics that a kind of series has, in words.
fn statistics_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Counter => "count, rate, ratio, and min or max with `per`",
        Kind::Gauge => "min, max, mean and last",
        Kind::Histogram => "quantiles such as p95, min, mean, max and count",
    }
}

fn applies(statistic: Statistic, kind: Kind) -> bool {
    match statistic {
        Statistic::Quantile(_) => kind == Kind::Histogram,
        Statistic::Min | Statistic::Mean | Statistic::Max => kind != Kind::Counter,
        Statistic::Last => kind == Kind::Gauge,
        Statistic::Count => kind != Kind::Gauge,
        Statistic::Rate => kind == Kind::Counter,
    }
}
