//! What only measure and scope together can tell.

use super::Resolver;
use super::scope::Resolved;
use crate::Side;
use crate::error::{Code, Finding};
use crate::expectation::syntax::{GoalWritten, MeasureWritten, SelectionWritten, Written};
use crate::expectation::{Goal, Measure, Selection, Statistic};
use crate::quantity::duration_text;
use std::time::Duration;

impl Resolver<'_> {
    /// What only measure and scope together can tell.
    pub(super) fn fits(&mut self, written: &Written, measure: &Measure, scope: &Resolved) -> Option<()> {
        if let (Measure::Recovery { .. }, false) = (measure, scope.is_after) {
            let finding = Finding::new(Code::Scope, &written.measure.span, "`recovery` needs `after` and a stage");
            return self.problems.add(finding.help("add, for example, `after spike`"));
        }
        let windowed = match measure {
            Measure::Extreme { per, .. } | Measure::Recovery { per, .. } => Some(*per),
            Measure::Statistic(..) | Measure::Ratio(..) => None,
        };
        if scope.scope.first.is_some()
            && (windowed.is_some() || matches!(measure, Measure::Statistic(Statistic::Rate, _)))
        {
            let finding = Finding::new(
                Code::Scope,
                &written.scope.span,
                "`first … of` is a number of requests, not a stretch of time, so it has no windows and no rate",
            );
            return self.problems.add(finding.help("write a slice such as `during spike[0s..500ms]`"));
        }
        if let Some(per) = windowed.filter(|per| *per > scope.length) {
            return self.window_too_long(written, per, scope.length);
        }
        self.baseline_fits(written, measure, scope)?;
        for (selection, place) in selections(measure).into_iter().zip(places(&written.measure.value)) {
            self.selection_in_scope(selection, place, scope, &written.scope.span)?;
        }
        Some(())
    }

    fn window_too_long<T>(&mut self, written: &Written, per: Duration, length: Duration) -> Option<T> {
        let span = match &written.measure.value {
            MeasureWritten::Extreme(_, _, per) | MeasureWritten::Recovery { per, .. } => &per.span,
            _ => &written.measure.span,
        };
        let (per, length) = (duration_text(per), duration_text(length));
        let finding = Finding::new(
            Code::Scope,
            span,
            format!("the window of {per} is longer than the scope, which lasts {length}"),
        );
        self.problems.add(finding.also(&written.scope.span, "the scope").help("shorten the window or widen the scope"))
    }

    /// A stage restricts client series to its stream: those of two streams cannot be compared.
    fn baseline_fits(&mut self, written: &Written, measure: &Measure, scope: &Resolved) -> Option<()> {
        let Measure::Recovery { selection, goal: Goal::Within { baseline, .. }, .. } = measure else { return Some(()) };
        if selection.series.side() == Side::Target || baseline.traffic == scope.scope.traffic {
            return Some(());
        }
        let MeasureWritten::Recovery { goal: GoalWritten::Within(_, stage), .. } = &written.measure.value else {
            return Some(());
        };
        let message = format!("`{}` is a stage of another stream than the scope", stage.name);
        let finding = Finding::new(Code::Scope, &stage.span, message).also(&written.scope.span, "the scope");
        self.problems.add(finding.help("name a stage of the same stream"))
    }
}

fn selections(measure: &Measure) -> Vec<&Selection> {
    match measure {
        Measure::Statistic(_, selection) | Measure::Extreme { selection, .. } | Measure::Recovery { selection, .. } => {
            vec![selection]
        }
        Measure::Ratio(upper, lower) => vec![upper, lower],
    }
}

fn places(written: &MeasureWritten) -> Vec<&SelectionWritten> {
    match written {
        MeasureWritten::Statistic(_, selection)
        | MeasureWritten::Extreme(_, selection, _)
        | MeasureWritten::Recovery { selection, .. } => vec![selection],
        MeasureWritten::Ratio(upper, lower) => vec![upper, lower],
    }
}
