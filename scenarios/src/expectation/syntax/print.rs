//! An expectation in its plain form, which reads back as the same expectation.

use super::{
    BoundWritten, GoalWritten, MeasureWritten, ScopeWritten, SelectionWritten, SliceWritten, StageWritten, Written,
};
use crate::expectation::{Extreme, Statistic};
use crate::quantity::{duration_text, rate_text};
use std::fmt::{Display, Formatter, Result};

impl Display for Written {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let (measure, sign, bound) = (&self.measure.value, self.comparison.sign(), &self.bound.value);
        write!(f, "{measure} {sign} {bound}{}", self.scope.value)
    }
}

impl Display for MeasureWritten {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Statistic(statistic, selection) => write!(f, "{}({selection})", statistic.value),
            Self::Extreme(extreme, selection, per) => {
                let name = if extreme.value == Extreme::Min { "min" } else { "max" };
                write!(f, "{name}({selection} per {})", duration_text(per.value))
            }
            Self::Ratio(upper, lower) => write!(f, "ratio({upper} / {lower})"),
            Self::Recovery { statistic, selection, per, goal } => {
                write!(f, "recovery({}({selection} per {}), {goal})", statistic.value, duration_text(per.value))
            }
        }
    }
}

impl Display for SelectionWritten {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&self.series.value)?;
        for (index, (key, value)) in self.labels.iter().enumerate() {
            let quote = if value.contains('"') { '\'' } else { '"' };
            write!(f, "{}{}={quote}{}{quote}", if index == 0 { '{' } else { ',' }, key.value, value.value)?;
        }
        f.write_str(if self.labels.is_empty() { "" } else { "}" })
    }
}

impl Display for GoalWritten {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Within(fraction, stage) => write!(f, "{} of {}", BoundWritten::Percent(fraction.value), stage.value),
            Self::AtMost(bound) => write!(f, "{}", bound.value),
        }
    }
}

impl Display for BoundWritten {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Percent(fraction) => write!(f, "{}%", hundredfold(*fraction)),
            Self::Duration(duration) => f.write_str(&duration_text(*duration)),
            Self::PerSecond(rate) => f.write_str(&rate_text(*rate)),
        }
    }
}

impl Display for StageWritten {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.traffic {
            Some(traffic) => write!(f, "{traffic}.{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl Display for ScopeWritten {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Run(None) => Ok(()),
            Self::Run(slice) => write!(f, " during run{}", Sliced(slice.as_ref())),
            Self::During(stage, slice) => write!(f, " during {}{}", stage.value, Sliced(slice.as_ref())),
            Self::First(count, stage) => write!(f, " during first {} of {}", count.value, stage.value),
            Self::After(stage, slice) => write!(f, " after {}{}", stage.value, Sliced(slice.as_ref())),
        }
    }
}

/// The slice, or nothing.
struct Sliced<'a>(Option<&'a SliceWritten>);

impl Display for Sliced<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Some(slice) = self.0 else { return Ok(()) };
        let to = slice.to.as_ref().map(|to| duration_text(to.value)).unwrap_or_default();
        write!(f, "[{}..{to}]", duration_text(slice.from.value))
    }
}

impl Display for Statistic {
    /// The name in files and reports: `p99.9`, `mean`.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Quantile(q) => write!(f, "p{}", hundredfold(*q)),
            Self::Min => f.write_str("min"),
            Self::Mean => f.write_str("mean"),
            Self::Max => f.write_str("max"),
            Self::Last => f.write_str("last"),
            Self::Count => f.write_str("count"),
            Self::Rate => f.write_str("rate"),
        }
    }
}

/// A number times a hundred in decimal digits, by moving the point: 0.999 is 99.9 and not 99.90000000000001.
fn hundredfold(number: f64) -> String {
    let text = number.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let moved: String = fraction.chars().chain("00".chars()).take(2).collect();
    let rest = fraction.get(2..).unwrap_or_default();
    let whole = format!("{whole}{moved}");
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    if rest.is_empty() { whole.to_owned() } else { format!("{whole}.{rest}") }
}
