//! Bounds: what is measured decides the unit.

use super::Resolver;
use crate::Kind;
use crate::error::{Code, Finding};
use crate::expectation::syntax::{BoundWritten, Piece};
use crate::expectation::{Bound, Measure, Statistic};

/// The unit of what is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// A number of things, or a level.
    Count,
    /// A duration.
    Time,
    /// Per second.
    Rate,
    /// A quotient.
    Ratio,
}

/// The unit of a measure.
pub(super) fn unit(measure: &Measure) -> Unit {
    match measure {
        Measure::Statistic(statistic, selection) => statistic_unit(*statistic, selection.series.kind()),
        Measure::Extreme { .. } => Unit::Count,
        Measure::Ratio(..) => Unit::Ratio,
        Measure::Recovery { .. } => Unit::Time,
    }
}

/// The unit of a statistic of a series.
pub(super) fn statistic_unit(statistic: Statistic, kind: Kind) -> Unit {
    match (statistic, kind) {
        (Statistic::Rate, _) => Unit::Rate,
        (Statistic::Count, _) | (_, Kind::Counter | Kind::Gauge) => Unit::Count,
        (_, Kind::Histogram) => Unit::Time,
    }
}

impl Resolver<'_> {
    /// The bound, if its unit is the measure's.
    pub(super) fn bound(&mut self, written: &Piece<BoundWritten>, unit: Unit) -> Option<Bound> {
        let (code, message, help) = match (unit, written.value) {
            (Unit::Count | Unit::Ratio, BoundWritten::Number(number)) => {
                return Some(Bound::Number(number));
            }
            (Unit::Ratio, BoundWritten::Percent(fraction)) => return Some(Bound::Number(fraction)),
            (Unit::Time, BoundWritten::Duration(duration)) => return Some(Bound::Duration(duration)),
            (Unit::Rate, BoundWritten::PerSecond(rate)) => return Some(Bound::PerSecond(rate)),
            (Unit::Time, BoundWritten::Number(number)) => {
                let help = format!("write {number}ms for milliseconds or {number}s for seconds");
                (Code::Unit, format!("the bound is a duration, and {number} has no unit"), help)
            }
            (Unit::Rate, BoundWritten::Number(number)) => {
                let help = format!("write {number}/s for so many per second");
                (Code::Unit, format!("the bound is a rate, and {number} has no unit"), help)
            }
            (Unit::Count, bound) => (
                Code::Bound,
                format!("what is measured is a number, and {bound} is not"),
                "write a number without unit".to_owned(),
            ),
            (Unit::Ratio, bound) => {
                let help = "write a number such as 0.95, or 95%".to_owned();
                (Code::Bound, format!("what is measured is a ratio, and {bound} is not"), help)
            }
            (Unit::Time, bound) => {
                let help = "write a duration such as 250ms".to_owned();
                (Code::Bound, format!("what is measured is a duration, and {bound} is not"), help)
            }
            (Unit::Rate, bound) => {
                let help = "write a rate such as 100/s".to_owned();
                (Code::Bound, format!("what is measured is a rate, and {bound} is not"), help)
            }
        };
        self.problems.add(Finding::new(code, &written.span, message).help(help))
    }
}
