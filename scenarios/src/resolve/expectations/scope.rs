//! Scopes: stages found, slices checked.

use super::Resolver;
use crate::error::{Code, Finding};
use crate::expectation::Scope;
use crate::expectation::syntax::{Piece, ScopeWritten, SliceWritten, StageWritten};
use crate::quantity::duration_text;
use crate::resolve::load;
use crate::resolve::stages::find_stage;
use crate::{Scenario, Stage};
use std::time::Duration;

/// A scope, and what the model does not keep of it.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    pub(super) scope: Scope,
    pub(super) is_after: bool,
    /// At most: the run may end before its last timeout.
    pub(super) length: Duration,
}

/// Whether nothing arrives in the stage of a scope.
pub(super) fn is_silent(scope: &Scope, scenario: &Scenario) -> bool {
    match (scope.traffic, scope.stage) {
        (Some(traffic), Some(stage)) => load::is_silent(&scenario.traffic[traffic].stages[stage].rate),
        _ => false,
    }
}

impl Resolver<'_> {
    pub(super) fn scope(&mut self, written: &Piece<ScopeWritten>) -> Option<Resolved> {
        let run_end = self.scenario.stages_end() + self.scenario.drain();
        match &written.value {
            ScopeWritten::Run(slice) => {
                let run = Scope { traffic: None, stage: None, from: Duration::ZERO, to: Duration::MAX, first: None };
                self.sliced(run, run_end, slice.as_ref(), "the run")
            }
            ScopeWritten::During(stage, slice) => {
                let scope = self.whole_stage(stage)?;
                let end = scope.to;
                self.sliced(scope, end, slice.as_ref(), "the stage")
            }
            ScopeWritten::First(count, stage) => {
                let scope = self.whole_stage(stage)?;
                let length = scope.to.saturating_sub(scope.from);
                Some(Resolved { scope: Scope { first: Some(count.value), ..scope }, is_after: false, length })
            }
            ScopeWritten::After(stage, slice) => {
                let whole = self.whole_stage(stage)?;
                let after = Scope { from: whole.to, to: Duration::MAX, ..whole };
                let resolved = self.sliced(after, run_end, slice.as_ref(), "the rest of the run")?;
                Some(Resolved { is_after: true, ..resolved })
            }
        }
    }

    /// The scope of a whole stage.
    pub(super) fn whole_stage(&mut self, written: &Piece<StageWritten>) -> Option<Scope> {
        let (traffic, stage) = find_stage(&written.value, &written.span, &self.scenario.traffic, self.problems)?;
        let Stage { start, .. } = self.scenario.traffic[traffic].stages[stage];
        let end = self.scenario.traffic[traffic].stages[stage].end();
        Some(Scope { traffic: Some(traffic), stage: Some(stage), from: start, to: end, first: None })
    }

    /// `scope`, which ends at `end` at the latest, cut to the slice.
    fn sliced(&mut self, scope: Scope, end: Duration, slice: Option<&SliceWritten>, whole: &str) -> Option<Resolved> {
        let length = end.saturating_sub(scope.from);
        let Some(slice) = slice else { return Some(Resolved { scope, is_after: false, length }) };
        let last = slice.to.as_ref().unwrap_or(&slice.from);
        if last.value > length {
            let message = format!(
                "the slice reaches to {}, and {whole} lasts {}",
                duration_text(last.value),
                duration_text(length)
            );
            return self
                .problems
                .add(Finding::new(Code::Scope, &last.span, message).help("times count from the scope's start"));
        }
        let to = slice.to.as_ref().map_or(length, |to| to.value);
        if slice.from.value >= to {
            let finding =
                Finding::new(Code::Scope, &slice.from.span, "the slice is empty: it ends where it starts, or before");
            return self.problems.add(finding.help("write the smaller time first, such as [0s..500ms]"));
        }
        let cut_end = slice.to.as_ref().map_or(scope.to, |to| scope.from + to.value);
        let cut = Scope { from: scope.from + slice.from.value, to: cut_end, ..scope };
        Some(Resolved { scope: cut, is_after: false, length: to.saturating_sub(slice.from.value) })
    }
}
