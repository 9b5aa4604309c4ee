//! An expectation as it is written: names not yet looked up, every part with its place in the file.

mod parse;
mod print;
mod token;

pub(crate) use parse::read;

use super::{Comparison, Extreme, Statistic};
use crate::source::Span;
use std::ops::Deref;
use std::time::Duration;

/// A part and its place. Two parts are equal if they say the same, wherever they stand.
#[derive(Clone, Debug)]
pub(crate) struct Piece<T> {
    pub(crate) span: Span,
    pub(crate) value: T,
}

impl<T: PartialEq> PartialEq for Piece<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T> Deref for Piece<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// `measure cmp bound [ scope ]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Written {
    /// As the file has it.
    pub(crate) text: String,
    pub(crate) measure: Piece<MeasureWritten>,
    pub(crate) comparison: Piece<Comparison>,
    pub(crate) bound: Piece<BoundWritten>,
    pub(crate) scope: Piece<ScopeWritten>,
}

/// What is measured.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MeasureWritten {
    Statistic(Piece<Statistic>, SelectionWritten),
    Extreme(Piece<Extreme>, SelectionWritten, Piece<Duration>),
    Ratio(SelectionWritten, SelectionWritten),
    Recovery { statistic: Piece<Statistic>, selection: SelectionWritten, per: Piece<Duration>, goal: GoalWritten },
}

/// A series with labels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SelectionWritten {
    pub(crate) series: Piece<String>,
    pub(crate) labels: Vec<(Piece<String>, Piece<String>)>,
}

/// What counts as recovered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum GoalWritten {
    Within(Piece<f64>, Piece<StageWritten>),
    AtMost(Piece<BoundWritten>),
}

/// A number with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum BoundWritten {
    Number(f64),
    Percent(f64),
    Duration(Duration),
    PerSecond(f64),
}

/// The name of a stage.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StageWritten {
    pub(crate) traffic: Option<String>,
    pub(crate) name: String,
}

/// A part of the run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ScopeWritten {
    Run(Option<SliceWritten>),
    During(Piece<StageWritten>, Option<SliceWritten>),
    First(Piece<u64>, Piece<StageWritten>),
    After(Piece<StageWritten>, Option<SliceWritten>),
}

/// A part of a scope, from its start.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SliceWritten {
    pub(crate) from: Piece<Duration>,
    pub(crate) to: Option<Piece<Duration>>,
}

#[cfg(test)]
mod tests;
