//! The smallest and largest number of events in any trailing window, streaming and exact.
//!
//! Over a scope (a, b] and a window W, let f(t) be the number of events in (t − W, t] for a + W ≤ t ≤ b: every window that
//! lies wholly in the scope. f steps up at an event and down when an event expires, W later, and is constant between, so its
//! extremes are found by looking at t = a + W, at each event and at each expiry. Events of one instant are one step, and an
//! event that expires as another arrives is one step too.
//!
//! Memory is one entry for each distinct instant within W, at most `capacity`; beyond it the measurement is given up, and
//! says so.

use crate::bounds::{Bounds, Extremes};
use crate::recording::TrailingSummary;
use std::collections::VecDeque;

/// A streaming count of trailing windows.
#[derive(Clone, Debug)]
pub(crate) struct Trailing {
    from: u64,
    to: u64,
    per: u64,
    /// Instants with events in (now − W, now], and how many.
    events: VecDeque<(u64, u64)>,
    /// Events in the window that ends at `now`.
    inside: u64,
    /// The instant whose events are still being collected.
    now: u64,
    smallest: u64,
    largest: u64,
    /// Whether a window has been looked at.
    has_window: bool,
    capacity: usize,
    is_given_up: bool,
    disordered: u64,
}

// === impl Trailing ===

impl Trailing {
    /// Windows of `per` nanoseconds (above zero) in (`from`, `to`]; `to` may be `u64::MAX` for "the end".
    pub(crate) fn new(from: u64, to: u64, per: u64, capacity: usize) -> Self {
        Self {
            from,
            to,
            per,
            events: VecDeque::new(),
            inside: 0,
            now: from,
            smallest: u64::MAX,
            largest: 0,
            has_window: false,
            capacity,
            is_given_up: false,
            disordered: 0,
        }
    }

    /// `n` events at `at`; times must not go back.
    pub(crate) fn record(&mut self, at: u64, n: u64) {
        if at <= self.from || at > self.to || n == 0 || self.is_given_up {
            return;
        }
        self.disordered += u64::from(at < self.now) * n;
        let at = at.max(self.now);
        self.advance(at);
        self.inside += n;
        match self.events.back_mut() {
            Some((last, count)) if *last == at => *count += n,
            _ => self.push(at, n),
        }
    }

    fn push(&mut self, at: u64, n: u64) {
        if self.events.len() >= self.capacity {
            self.is_given_up = true;
            self.events = VecDeque::new();
        } else {
            self.events.push_back((at, n));
        }
    }

    /// Looks at every step before `at`, and takes out what expires up to and at it.
    fn advance(&mut self, at: u64) {
        if at == self.now {
            return;
        }
        let first_end = self.from.saturating_add(self.per);
        self.look(self.now);
        // Nothing expires before the first window is complete.
        if self.now < first_end && first_end < at {
            self.look(first_end);
        }
        while let Some(&(oldest, count)) = self.events.front() {
            let expires = oldest.saturating_add(self.per);
            if expires > at {
                break;
            }
            self.events.pop_front();
            self.inside -= count;
            if expires < at {
                self.look(expires);
            }
        }
        self.now = at;
    }

    /// Counts the window that ends at `at`, if it lies in the scope.
    fn look(&mut self, at: u64) {
        if at >= self.from.saturating_add(self.per) && at <= self.to {
            self.smallest = self.smallest.min(self.inside);
            self.largest = self.largest.max(self.inside);
            self.has_window = true;
        }
    }

    /// Ends the scope at `end` if it is still open, and looks at the last windows.
    pub(crate) fn finish(mut self, end: u64) -> TrailingSummary {
        self.to = self.to.min(end.max(self.now));
        if !self.is_given_up && self.to > self.from {
            self.advance(self.to);
            self.look(self.to);
        }
        let extremes =
            self.has_window.then(|| Extremes { min: Bounds::exact(self.smallest), max: Bounds::exact(self.largest) });
        TrailingSummary { extremes, is_given_up: self.is_given_up, disordered: self.disordered }
    }
}

#[cfg(test)]
mod tests;
