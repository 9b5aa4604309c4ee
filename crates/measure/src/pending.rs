//! Arrivals without an outcome, and those that wait for an earlier one: the reorder buffer.
//!
//! Outcomes come in any order, but windows over client series are placed by intended time. Each stream's arrivals stand in
//! a ring in intended order; the front leaves when it has its outcome, over all streams in time order. A stream with an
//! empty ring may still offer an arrival as late as a second ([`OFFER_SLACK_NS`]) after its time, so it holds the others
//! back that long; one that comes later still is told as disordered.
//!
//! Memory is 24 bytes for each arrival since the oldest one without an outcome, at most `capacity` of them. Beyond that the
//! oldest is set aside: it keeps its accounting, but the order behind it is no longer known (`is_given_up`).

use coldfront_scenarios::Outcome;
use std::collections::{BTreeMap, VecDeque};

/// How late a stream may offer an arrival when other streams run ahead.
pub(crate) const OFFER_SLACK_NS: u64 = 1_000_000_000;

/// All streams' rings.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    rings: Vec<Ring>,
    capacity: usize,
    held: usize,
    /// The latest moment heard of.
    now: u64,
    /// Everything up to here has left.
    settled: u64,
    /// Arrivals offered after others of a later time had left.
    pub(crate) disordered: u64,
    /// Whether arrivals left without their outcome.
    pub(crate) is_given_up: bool,
}

#[derive(Clone, Debug, Default)]
struct Ring {
    entries: VecDeque<Entry>,
    /// The full sequence number of the front.
    front: u64,
    last_offered: u64,
    set_aside: BTreeMap<u64, Entry>,
}

/// An arrival whose turn has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaver {
    pub(crate) stream: usize,
    pub(crate) sequence: u64,
    pub(crate) entry: Entry,
}

/// One arrival.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) intended: u64,
    pub(crate) taken_up: u64,
    /// The low half of the sequence number.
    sequence: u32,
    pub(crate) route: u16,
    /// Times on the wire, up to 255.
    pub(crate) attempts: u8,
    /// [`RESOLVED`], [`GOOD`], [`COLD`] and the outcome above them.
    flags: u8,
}

const RESOLVED: u8 = 1;
const GOOD: u8 = 2;
const COLD: u8 = 4;
const OUTCOME_SHIFT: u8 = 3;

// === impl Entry ===

impl Entry {
    pub(crate) fn resolve(&mut self, outcome: Outcome, is_good: bool, is_cold: bool, taken_up: u64) {
        self.taken_up = taken_up;
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        self.flags = RESOLVED | flag(is_good, GOOD) | flag(is_cold, COLD) | ((outcome as u8) << OUTCOME_SHIFT);
    }

    pub(crate) const fn is_resolved(&self) -> bool {
        self.flags & RESOLVED != 0
    }

    pub(crate) const fn is_good(&self) -> bool {
        self.flags & GOOD != 0
    }

    pub(crate) const fn is_cold(&self) -> bool {
        self.flags & COLD != 0
    }

    pub(crate) const fn outcome(&self) -> Outcome {
        Outcome::ALL[(self.flags >> OUTCOME_SHIFT) as usize]
    }
}

// === impl Ring ===

impl Ring {
    /// No arrival that is still to leave has a time before this.
    fn bound(&self, now: u64) -> u64 {
        match self.entries.front() {
            Some(front) => front.intended,
            None => self.last_offered.max(now.saturating_sub(OFFER_SLACK_NS)),
        }
    }

    fn position(&self, sequence: u64) -> Option<usize> {
        let offset = sequence.checked_sub(self.front)?;
        let low = sequence as u32;
        // Without gaps the offset is the position; a shard's gaps need a search.
        match self.entries.get(offset as usize) {
            Some(entry) if entry.sequence == low => Some(offset as usize),
            _ => self.search(offset),
        }
    }

    #[cold]
    fn search(&self, offset: u64) -> Option<usize> {
        let first = self.front as u32;
        let offset_of = |entry: &Entry| u64::from(entry.sequence.wrapping_sub(first));
        let position = self.entries.partition_point(|entry| offset_of(entry) < offset);
        self.entries.get(position).filter(|entry| offset_of(entry) == offset).map(|_| position)
    }

    fn pop(&mut self) -> Option<(u64, Entry)> {
        let entry = self.entries.pop_front()?;
        let sequence = self.front;
        if let Some(next) = self.entries.front() {
            self.front += u64::from(next.sequence.wrapping_sub(entry.sequence));
        }
        Some((sequence, entry))
    }
}

// === impl Pending ===

impl Pending {
    pub(crate) fn new(streams: usize, capacity: usize) -> Self {
        Self {
            rings: vec![Ring::default(); streams],
            capacity,
            held: 0,
            now: 0,
            settled: 0,
            disordered: 0,
            is_given_up: false,
        }
    }

    /// Something happened at `at`.
    pub(crate) fn heard(&mut self, at: u64) {
        self.now = self.now.max(at);
    }

    /// An arrival, in intended order within its stream.
    pub(crate) fn offer(&mut self, stream: usize, sequence: u64, route: u16, intended: u64) {
        self.heard(intended);
        let ring = &mut self.rings[stream];
        let earliest = ring.last_offered.max(self.settled);
        self.disordered += u64::from(intended < earliest);
        let intended = intended.max(earliest);
        ring.last_offered = intended;
        if ring.entries.is_empty() {
            ring.front = sequence;
        }
        let sequence = sequence as u32;
        ring.entries.push_back(Entry { intended, taken_up: intended, sequence, route, attempts: 0, flags: 0 });
        self.held += 1;
    }

    /// The arrival, if it was offered and has no outcome yet.
    pub(crate) fn find(&mut self, stream: usize, sequence: u64) -> Option<&mut Entry> {
        let ring = self.rings.get_mut(stream)?;
        let entry = match ring.position(sequence) {
            Some(position) => &mut ring.entries[position],
            None => ring.set_aside.get_mut(&sequence)?,
        };
        (!entry.is_resolved()).then_some(entry)
    }

    /// The arrival has been resolved: if it was set aside, it is done.
    pub(crate) fn forget_set_aside(&mut self, stream: usize, sequence: u64) {
        if self.is_given_up {
            self.rings[stream].set_aside.remove(&sequence);
        }
    }

    /// Hands over every arrival whose turn has come, in intended order.
    pub(crate) fn settle(&mut self, mut leave: impl FnMut(&Leaver)) {
        loop {
            let (stream, is_ready) = self.next_to_leave();
            let is_forced = self.held > self.capacity;
            if !is_ready && !is_forced {
                return;
            }
            self.leave(stream, &mut leave);
        }
    }

    /// Hands over everything, with outcome or without; what has none stays unaccounted.
    pub(crate) fn finish(&mut self, mut leave: impl FnMut(&Leaver)) {
        self.now = u64::MAX;
        while self.held > 0 {
            let (stream, _) = self.next_to_leave();
            self.leave(stream, &mut leave);
        }
    }

    /// The stream whose front is the earliest, and whether it may leave.
    fn next_to_leave(&self) -> (usize, bool) {
        let mut next = (0, false);
        let mut earliest = (u64::MAX, true);
        for (stream, ring) in self.rings.iter().enumerate() {
            let is_ready = ring.entries.front().is_some_and(Entry::is_resolved);
            // At equal times one that may leave goes first.
            let key = (ring.bound(self.now), !is_ready);
            if key < earliest || (key == earliest && !ring.entries.is_empty()) {
                earliest = key;
                next = (stream, is_ready);
            }
        }
        next
    }

    fn leave(&mut self, stream: usize, leave: &mut impl FnMut(&Leaver)) {
        let stream = if self.rings[stream].entries.is_empty() { self.fullest() } else { stream };
        let ring = &mut self.rings[stream];
        let Some((sequence, entry)) = ring.pop() else { return };
        self.held -= 1;
        self.settled = self.settled.max(entry.intended);
        if !entry.is_resolved() {
            self.is_given_up = true;
            ring.set_aside.insert(sequence, entry);
        }
        leave(&Leaver { stream, sequence, entry });
    }

    fn fullest(&self) -> usize {
        (0..self.rings.len()).max_by_key(|stream| self.rings[*stream].entries.len()).unwrap_or(0)
    }

    /// Nothing leaves any more with a time before this.
    pub(crate) fn watermark(&self) -> u64 {
        self.rings.iter().map(|ring| ring.bound(self.now)).min().unwrap_or(0).max(self.settled)
    }
}

#[cfg(test)]
mod tests;
