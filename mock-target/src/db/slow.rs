//! A database that is slow for a while.

use crate::law::whole_nanos;
use coldfront_clock::{Instant, nanos_of};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Slow spells that are kept at once; more than a scenario has events.
const SPELLS_MAX: usize = 4096;

/// Multiplies the time of queries that start within a slow spell; those that run already are left alone.
///
/// Where spells overlap the largest factor applies, and each ends at its own time.
#[derive(Debug)]
pub(super) struct Slow {
    /// The first nanosecond at which no spell applies any more: what a query of a healthy database looks at.
    until: AtomicU64,
    spells: Mutex<Vec<Spell>>,
}

#[derive(Debug)]
struct Spell {
    factor: f64,
    /// The first moment at which it no longer applies.
    until: Instant,
}

impl Slow {
    pub(super) const fn new() -> Self {
        Self { until: AtomicU64::new(0), spells: Mutex::new(Vec::new()) }
    }

    /// `factor` for queries that start in [now, now + lasting); `None`: from now on.
    pub(super) fn set(&self, now: Instant, factor: f64, lasting: Option<Duration>) {
        let until = lasting.map_or(Instant::MAX, |lasting| now + lasting);
        let mut spells = self.spells.lock().unwrap_or_else(PoisonError::into_inner);
        // One that another outlasts and outdoes never shows again.
        spells.retain(|spell| spell.until > now && (spell.until > until || spell.factor > factor));
        if spells.len() < SPELLS_MAX {
            spells.push(Spell { factor: factor.max(0.0), until });
        }
        self.until.fetch_max(until.as_nanos(), Ordering::Relaxed);
    }

    /// What a query of `time` that starts at `now` takes.
    pub(super) fn stretch(&self, now: Instant, time: Duration) -> Duration {
        if now.as_nanos() >= self.until.load(Ordering::Relaxed) {
            return time;
        }
        let spells = self.spells.lock().unwrap_or_else(PoisonError::into_inner);
        let factors = spells.iter().filter(|spell| spell.until > now).map(|spell| spell.factor);
        factors.reduce(f64::max).map_or(time, |factor| whole_nanos(nanos_of(time) as f64 * factor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_slow_from_its_start_and_no_longer_at_its_end() {
        let at = |millis| Instant::after_start(Duration::from_millis(millis));
        let time = Duration::from_millis(4);
        let slow = Slow::new();
        assert_eq!(slow.stretch(at(0), time), time);
        slow.set(at(1000), 2.5, Some(Duration::from_secs(1)));
        assert_eq!(slow.stretch(at(1000), time), Duration::from_millis(10));
        assert_eq!(slow.stretch(at(1999), time), Duration::from_millis(10));
        assert_eq!(slow.stretch(at(2000), time), time);
        slow.set(at(3000), 3.0, None);
        assert_eq!(slow.stretch(at(1_000_000), time), Duration::from_millis(12));
    }

    #[test]
    fn of_spells_that_overlap_the_slowest_counts_and_each_ends_at_its_own_time() {
        let at = |millis| Instant::after_start(Duration::from_millis(millis));
        let slow = Slow::new();
        let factor = |now| slow.stretch(at(now), Duration::from_millis(1)).as_millis();
        slow.set(at(100), 10.0, None);
        slow.set(at(300), 3.0, Some(Duration::from_millis(100)));
        assert_eq!([factor(299), factor(300), factor(399), factor(400), factor(9999)], [10; 5]);
        slow.set(at(10_000), 20.0, Some(Duration::from_millis(100)));
        assert_eq!([factor(10_000), factor(10_099), factor(10_100)], [20, 20, 10]);
    }
}
