//! Statistics of durations, compared exactly where the recording allows it.

use crate::bound::holds;
use crate::expectation::{CannotTell, Finding};
use crate::words::{Plural, duration, number};
use coldfront_measure::statistics::{least_count_for_quantile, quantile_rank, supports_quantile};
use coldfront_measure::{Distribution, Split};
use coldfront_scenarios::expectation::{Comparison, Statistic};

pub(crate) fn find(
    split: &Split,
    statistic: Statistic,
    comparison: Comparison,
    bound: f64,
    what: &str,
) -> Result<Finding, CannotTell> {
    let distribution = split.distribution();
    let count = distribution.count();
    let what = what.to_owned();
    if statistic == Statistic::Count {
        let value = count as f64;
        return Ok(Finding { value, holds: Some(holds(value, comparison, bound)), what, detail: number(value) });
    }
    if count == 0 {
        return Err(format!("{what} is of nothing: there was no value"));
    }
    if let Statistic::Quantile(q) = statistic {
        return quantile(split, q, comparison, bound, what);
    }
    let value = plain_statistic(distribution, statistic).ok_or_else(crate::expectation::mismatch)?;
    let is_met = match statistic {
        Statistic::Mean => mean_holds(distribution, comparison, bound),
        _ => holds(value, comparison, bound),
    };
    let detail = format!("{} over {}", duration(value), Plural(count, "value"));
    Ok(Finding { value, holds: Some(is_met), what, detail })
}

/// A statistic that needs no bound, in nanoseconds; `None` without values.
pub(crate) fn plain_statistic(distribution: &Distribution, statistic: Statistic) -> Option<f64> {
    let nanos = |duration: std::time::Duration| duration.as_nanos() as f64;
    match statistic {
        Statistic::Min => distribution.min().map(nanos),
        Statistic::Max => distribution.max().map(nanos),
        Statistic::Mean => {
            (distribution.count() > 0).then(|| distribution.sum_ns() as f64 / distribution.count() as f64)
        }
        Statistic::Quantile(q) => distribution.quantile(q).map(nanos),
        Statistic::Count | Statistic::Rate => Some(distribution.count() as f64),
        Statistic::Last => None,
    }
}

/// Compares the sum with count × bound in whole nanoseconds.
fn mean_holds(distribution: &Distribution, comparison: Comparison, bound: f64) -> bool {
    let (sum, wanted) = (distribution.sum_ns(), bound as u128 * u128::from(distribution.count()));
    match comparison {
        Comparison::AtMost => sum <= wanted,
        Comparison::Below => sum < wanted,
        Comparison::AtLeast => sum >= wanted,
        Comparison::Above => sum > wanted,
        Comparison::Equal => sum == wanted,
    }
}

/// The quantile is at most the bound iff at least ⌈qn⌉ values are, and below it iff at least ⌈qn⌉ values are below.
fn quantile(split: &Split, q: f64, comparison: Comparison, bound: f64, what: String) -> Result<Finding, CannotTell> {
    let distribution = split.distribution();
    let count = distribution.count();
    if !supports_quantile(q, count) {
        let least = number(least_count_for_quantile(q) as f64);
        return Err(format!("{what} says nothing of {}: it takes {least}", Plural(count, "value")));
    }
    let rank = quantile_rank(q, count);
    let reported = distribution.quantile(q).map_or(0.0, |value| value.as_nanos() as f64);
    let is_exact = split.bound_ns() == Some(bound as u64);
    let (is_at_most, is_below) = if is_exact {
        (split.at_most() >= rank, split.below() >= rank)
    } else {
        (holds(reported, Comparison::AtMost, bound), holds(reported, Comparison::Below, bound))
    };
    let is_met = match comparison {
        Comparison::AtMost => is_at_most,
        Comparison::Below => is_below,
        Comparison::AtLeast => !is_below,
        Comparison::Above => !is_at_most,
        Comparison::Equal => is_at_most && !is_below,
    };
    // The histogram's bucket may reach over the bound although the quantile does not.
    let value = match (is_exact, is_at_most, is_below) {
        (true, _, true) => reported.min((bound - 1.0).max(0.0)),
        (true, true, false) => bound,
        (true, false, _) => reported.max(bound + 1.0),
        (false, ..) => reported,
    };
    let within = if is_exact {
        format!(", {} of {} within the bound", number(split.at_most() as f64), number(count as f64))
    } else {
        format!(" over {}", Plural(count, "value"))
    };
    Ok(Finding { value, holds: Some(is_met), what, detail: format!("{}{within}", duration(value)) })
}
