//! Recordings of one run put together.
//!
//! Counts, sums and histograms add exactly. What no sum can tell exactly, the extremes of windows and levels that both
//! recordings saw, becomes bounds and says so; where only one recording saw anything, as with a generator's and a target's
//! recordings, everything stays exact. Merging is associative.

use super::{
    Counts, DeliveryRecord, ExpectationRecord, GaugeTotal, LimiterPeak, LogEntry, MAX_EVENTS, Recording, StageRecord,
};
use crate::first_wave::FirstWaveRow;
use crate::not_ok::NotOkCounts;
use thiserror::Error;

/// Why two recordings do not merge.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergeError {
    /// They were made for different scenarios.
    #[error("the recordings were made for different scenarios")]
    DifferentPlans,
}

// === impl Recording ===

impl Recording {
    /// Adds what `other` recorded of the same run.
    ///
    /// # Errors
    ///
    /// The recordings are of different scenarios; `self` is unchanged.
    pub fn merge(&mut self, other: Self) -> Result<(), MergeError> {
        if !self.fits(&other) {
            return Err(MergeError::DifferentPlans);
        }
        self.end_ns = self.end_ns.max(other.end_ns);
        self.interrupted_ns = match (self.interrupted_ns, other.interrupted_ns) {
            (Some(mine), Some(theirs)) => Some(mine.min(theirs)),
            (mine, theirs) => mine.or(theirs),
        };
        for (mine, theirs) in self.streams.iter_mut().zip(&other.streams) {
            mine.delivery.add(theirs.delivery);
        }
        self.stages.iter_mut().zip(&other.stages).for_each(|(mine, theirs)| mine.merge(theirs));
        self.counters.iter_mut().zip(&other.counters).for_each(|(mine, theirs)| *mine += theirs);
        self.gauges.iter_mut().zip(other.gauges).for_each(|(mine, theirs)| *mine = merged_gauge(*mine, theirs));
        for (mine, theirs) in self.histograms.iter_mut().zip(other.histograms) {
            match (mine.as_mut(), theirs) {
                (Some(mine), Some(theirs)) => mine.merge(&theirs),
                (None, theirs) => *mine = theirs,
                (Some(_), None) => {}
            }
        }
        self.expectations.iter_mut().zip(&other.expectations).for_each(|(mine, theirs)| mine.merge(theirs));
        if let (Some(mine), Some(theirs)) = (&mut self.limiter, &other.limiter) {
            mine.merge(theirs);
        }
        self.rows.merge(&other.rows);
        self.merge_first_wave(other.first_wave);
        self.merge_events(other.events, other.events_lost);
        let mut not_ok = NotOkCounts::default();
        for row in std::mem::take(&mut self.not_ok).into_iter().chain(other.not_ok) {
            not_ok.add(row);
        }
        self.not_ok = not_ok.rows();
        Ok(())
    }

    fn fits(&self, other: &Self) -> bool {
        self.shape == other.shape
            && self.streams.len() == other.streams.len()
            && self.stages.len() == other.stages.len()
            && self.expectations.len() == other.expectations.len()
            && self.limiter.is_some() == other.limiter.is_some()
    }

    /// Of each stage, the earliest rows up to its share.
    fn merge_first_wave(&mut self, other: Vec<FirstWaveRow>) {
        self.first_wave.extend(other);
        self.first_wave.sort();
        let mut left = self.first_wave_budgets.clone();
        let stages = &self.stages;
        let first_of = |traffic: usize| stages.iter().position(|stage| stage.traffic == traffic).unwrap_or(0);
        self.first_wave.retain(|row| {
            let Some(left) = left.get_mut(first_of(usize::from(row.traffic)) + usize::from(row.stage)) else {
                return false;
            };
            let stays = *left > 0;
            *left = left.saturating_sub(1);
            stays
        });
    }

    /// The earliest entries up to the bound.
    fn merge_events(&mut self, other: Vec<LogEntry>, lost: u64) {
        self.events.extend(other);
        self.events.sort();
        self.events_lost += lost + self.events.len().saturating_sub(MAX_EVENTS) as u64;
        self.events.truncate(MAX_EVENTS);
    }
}

fn merged_gauge(mine: Option<GaugeTotal>, theirs: Option<GaugeTotal>) -> Option<GaugeTotal> {
    match (mine, theirs) {
        (Some(mine), Some(theirs)) => Some(GaugeTotal {
            max: mine.max + theirs.max,
            max_at_ns: mine.max_at_ns.min(theirs.max_at_ns),
            last: mine.last + theirs.last,
        }),
        (mine, theirs) => mine.or(theirs),
    }
}

// === impl the parts ===

impl Counts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.offered += other.offered;
        self.sent += other.sent;
        self.ok += other.ok;
        self.good += other.good;
        self.rejected += other.rejected;
        self.shed += other.shed;
        self.timed_out += other.timed_out;
        self.failed += other.failed;
        self.dropped += other.dropped;
        self.unfinished += other.unfinished;
        self.attempts += other.attempts;
        self.unaccounted += other.unaccounted;
    }
}

impl StageRecord {
    fn merge(&mut self, other: &Self) {
        // A recording that offered nothing was told no plan either: the target's.
        self.planned = match (self.planned, other.planned) {
            (Some(mine), Some(theirs)) => Some(mine + theirs),
            (mine, theirs) => mine.or(theirs),
        };
        self.counts.add(&other.counts);
        self.delivery.add(other.delivery);
        self.late += other.late;
        self.latency.merge(&other.latency);
        self.lateness.merge(&other.lateness);
        self.connect.merge(&other.connect);
        self.first_byte.merge(&other.first_byte);
        self.transfer.merge(&other.transfer);
    }
}

impl DeliveryRecord {
    fn add(&mut self, other: Self) {
        self.backlog += other.backlog;
        self.arrivals += other.arrivals;
    }
}

impl ExpectationRecord {
    fn merge(&mut self, other: &Self) {
        let fits = "recordings of one plan have the same measurements";
        self.measured.merge(&other.measured).expect(fits);
        if let (Some(mine), Some(theirs)) = (&mut self.second, &other.second) {
            mine.merge(theirs).expect(fits);
        }
    }
}

impl LimiterPeak {
    fn merge(&mut self, other: &Self) {
        self.admitted.merge(&other.admitted);
    }
}
