//! How far the generator fell behind its plan.
//!
//! `N_planned(t)` arrivals are due by t, `N_sent(t)` of them are taken up by t. Nothing is taken up before it is due, so the
//! difference is the backlog: arrivals that are due and not taken up. It grows only when one becomes due, so its largest value
//! is found by looking then. Arrivals that the policy dropped are in neither number.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Arrivals that a backlog remembers; a larger one counts as this many.
const MOST: usize = 1 << 20;

/// The largest backlog of a sequence of arrivals, exact, in memory that follows the backlog.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delivery {
    /// When each arrival of the present backlog was taken up.
    waiting: BinaryHeap<Reverse<u64>>,
    /// The largest backlog so far.
    pub(crate) backlog: u64,
    /// Arrivals so far.
    pub(crate) arrivals: u64,
}

impl Delivery {
    /// An arrival due at `intended`, in that order, and taken up at `taken_up`.
    pub(crate) fn record(&mut self, intended: u64, taken_up: u64) {
        self.arrivals += 1;
        while self.waiting.peek().is_some_and(|first| first.0 <= intended) {
            self.waiting.pop();
        }
        if taken_up > intended && self.waiting.len() < MOST {
            self.waiting.push(Reverse(taken_up));
            self.backlog = self.backlog.max(self.waiting.len() as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn backlog(arrivals: &[(u64, u64)]) -> u64 {
        let mut delivery = Delivery::default();
        for (intended, taken_up) in arrivals {
            delivery.record(*intended, *taken_up);
        }
        delivery.backlog
    }

    #[test]
    fn a_generator_on_time_has_no_backlog() {
        assert_eq!(backlog(&[(1, 1), (2, 2), (2, 2), (9, 9)]), 0);
    }

    #[test]
    fn a_stall_is_the_number_due_during_it() {
        assert_eq!(backlog(&[(1, 10), (2, 10), (3, 10), (10, 10), (11, 11)]), 3);
    }

    proptest! {
        #[test]
        fn it_equals_counting_at_every_moment(mut arrivals in proptest::collection::vec((0_u64..50, 0_u64..20), 0..40)) {
            arrivals.sort_by_key(|arrival| arrival.0);
            let arrivals: Vec<(u64, u64)> = arrivals.into_iter().map(|(at, late)| (at, at + late)).collect();
            let behind = |t: u64| {
                let planned = arrivals.iter().filter(|arrival| arrival.0 <= t).count();
                let sent = arrivals.iter().filter(|arrival| arrival.1 <= t).count();
                (planned - sent) as u64
            };
            prop_assert_eq!(backlog(&arrivals), (0..80).map(behind).max().unwrap());
        }
    }
}
