//! Requests that were not ok, by route and status: what to look at first when something fails.

use coldfront_scenarios::Outcome;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Rows that a recording holds; a service that answers with more different statuses is not served better by more rows.
pub const MAX_NOT_OK: usize = 1024;

/// Requests of one route that ended alike, and not ok.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotOk {
    /// Their stream: index into the scenario's traffic.
    pub traffic: u16,
    /// Their route: index into the stream's mix.
    pub route: u16,
    /// How they ended.
    #[serde(with = "crate::encoding::outcome_name")]
    pub outcome: Outcome,
    /// The status they were answered with; `None`: no answer.
    pub status: Option<u16>,
    /// How many.
    pub count: u64,
}

/// The counts while a run goes on.
#[derive(Debug, Default)]
pub(crate) struct NotOkCounts {
    counts: BTreeMap<(u16, u16, Outcome, Option<u16>), u64>,
}

// === impl NotOkCounts ===

impl NotOkCounts {
    /// Adds `count` requests; a row that would be one too many is passed over.
    pub(crate) fn add(&mut self, row: NotOk) {
        let key = (row.traffic, row.route, row.outcome, row.status);
        if self.counts.len() < MAX_NOT_OK || self.counts.contains_key(&key) {
            *self.counts.entry(key).or_default() += row.count;
        }
    }

    /// The rows by stream, route, outcome and status.
    pub(crate) fn rows(self) -> Vec<NotOk> {
        let row = |((traffic, route, outcome, status), count)| NotOk { traffic, route, outcome, status, count };
        self.counts.into_iter().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_apart_in_order_and_bounded() {
        let mut counts = NotOkCounts::default();
        let row = |status, count| NotOk { traffic: 0, route: 1, outcome: Outcome::Failed, status, count };
        for status in [Some(500), Some(400), None, Some(500)] {
            counts.add(row(status, 1));
        }
        (1000..4000).for_each(|status| counts.add(row(Some(status), 1)));
        counts.add(row(Some(400), 5));
        let rows = counts.rows();
        assert_eq!(rows[..3], [row(None, 1), row(Some(400), 6), row(Some(500), 2)]);
        assert_eq!(rows.len(), MAX_NOT_OK);
    }
}
