//! An ordered set of deadlines: the indexed 4-ary heap behind both clocks.
//!
//! Entries are ordered by (deadline, class, order of insertion). Each entry knows its slot and each slot its place in the
//! heap, so a cancelled deadline leaves at once: it costs nothing later and can never move the clock. A slot belongs to the
//! `Sleep` that inserted it until that `Sleep` releases it, also after it fired; so a slot number can never mean another wait.
//!
//! An entry is one number of 128 bits, so a node's four children fill one cache line and are compared without branches:
//!
//! | bits | what |
//! |---|---|
//! | 127–64 | deadline, in nanoseconds |
//! | 63–62 | class |
//! | 61–24 | number of the insertion, taken anew from 0 when it runs out |
//! | 23–0 | slot |

use std::hint::select_unpredictable;
use std::mem;
use std::task::Waker;

use crate::sleep::Class;

/// Children per node. Four keeps the tree shallow and a node's children together in memory.
const ARITY: usize = 4;
/// The place of a slot whose deadline is not in the heap.
const NOWHERE: u32 = u32::MAX;
const SLOT_BITS: u32 = 24;
const SLOTS_MAX: usize = 1 << SLOT_BITS;
const NUMBERS_MAX: u64 = 1 << 38;
const CLASS_SHIFT: u32 = 62;

/// A deadline in the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry(u128);

/// Whom a slot wakes.
#[derive(Debug)]
struct Waiter {
    /// The task that waits, in the executor's own terms; kept by the simulator only.
    owner: u64,
    /// Kept only if the wait was polled with another waker than the owner's own.
    waker: Option<Waker>,
}

/// A deadline that was taken from the set because its turn has come.
#[derive(Debug)]
pub(crate) struct Due {
    pub(crate) deadline: u64,
    pub(crate) class: Class,
    pub(crate) owner: u64,
    pub(crate) waker: Option<Waker>,
}

/// The ordered set of deadlines.
#[derive(Debug)]
pub(crate) struct Timers {
    heap: Vec<Entry>,
    /// By slot: where its deadline is in the heap. Apart from the waiters, because every move in the heap writes here.
    places: Vec<u32>,
    /// By slot: whom it wakes.
    waiters: Vec<Waiter>,
    free: Vec<u32>,
    /// The number of the next insertion.
    next: u64,
}

// === impl Entry ===

impl Entry {
    fn new(deadline: u64, class: Class, number: u64, slot: u32) -> Self {
        let order = ((class as u64) << CLASS_SHIFT) | (number << SLOT_BITS) | u64::from(slot);
        Self(u128::from(deadline) << 64 | u128::from(order))
    }

    fn deadline(self) -> u64 {
        (self.0 >> 64) as u64
    }

    fn class(self) -> Class {
        match self.0 as u64 >> CLASS_SHIFT {
            0 => Class::Event,
            1 => Class::Completion,
            2 => Class::Timeout,
            _ => Class::Arrival,
        }
    }

    fn slot(self) -> usize {
        self.0 as usize & (SLOTS_MAX - 1)
    }
}

// === impl Timers ===

impl Timers {
    /// An empty set; allocates nothing.
    pub(crate) const fn new() -> Self {
        Self { heap: Vec::new(), places: Vec::new(), waiters: Vec::new(), free: Vec::new(), next: 0 }
    }

    /// Adds a deadline and returns its slot, which is the caller's until [`Timers::release`]. O(log n).
    ///
    /// # Panics
    ///
    /// With 2^24 (16.8 million) slots in use.
    pub(crate) fn insert(&mut self, deadline: u64, class: Class, owner: u64, waker: Option<Waker>) -> u32 {
        let waiter = Waiter { owner, waker };
        let slot = if let Some(slot) = self.free.pop() {
            self.waiters[slot as usize] = waiter;
            slot
        } else {
            let slot = self.waiters.len();
            assert!(slot < SLOTS_MAX, "more than {SLOTS_MAX} waits at a time");
            self.waiters.push(waiter);
            self.places.push(NOWHERE);
            slot as u32
        };
        if self.next == NUMBERS_MAX {
            self.renumber();
        }
        let entry = Entry::new(deadline, class, self.next, slot);
        self.next += 1;
        self.heap.push(entry);
        self.sift_up(self.heap.len() - 1, entry);
        slot
    }

    /// Gives a slot back; its deadline, if still to come, leaves the heap at once. O(log n), O(1) if it fired.
    ///
    /// The waker is returned so that the caller can drop it after letting go of the set: dropping it runs foreign code.
    #[must_use]
    pub(crate) fn release(&mut self, slot: u32) -> Option<Waker> {
        let place = mem::replace(&mut self.places[slot as usize], NOWHERE);
        if place != NOWHERE {
            self.remove_at(place as usize);
        }
        self.free.push(slot);
        self.waiters[slot as usize].waker.take()
    }

    /// Whether the slot's deadline has been taken by [`Timers::pop`].
    pub(crate) fn has_fired(&self, slot: u32) -> bool {
        self.places[slot as usize] == NOWHERE
    }

    /// The waker kept for a slot.
    pub(crate) fn waker(&self, slot: u32) -> Option<&Waker> {
        self.waiters[slot as usize].waker.as_ref()
    }

    /// Changes whom a slot wakes, and returns the former waker for the caller to drop.
    #[must_use]
    pub(crate) fn set_waker(&mut self, slot: u32, owner: u64, waker: Option<Waker>) -> Option<Waker> {
        mem::replace(&mut self.waiters[slot as usize], Waiter { owner, waker }).waker
    }

    /// How many deadlines there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.heap.len()
    }

    /// The earliest deadline. O(1).
    pub(crate) fn earliest(&self) -> Option<u64> {
        self.heap.first().map(|entry| entry.deadline())
    }

    /// The tasks that wait for a deadline, in no particular order.
    pub(crate) fn owners(&self) -> impl Iterator<Item = u64> {
        self.heap.iter().map(|entry| self.waiters[entry.slot()].owner)
    }

    /// Takes the first deadline in order. O(log n).
    pub(crate) fn pop(&mut self) -> Option<Due> {
        let first = *self.heap.first()?;
        self.places[first.slot()] = NOWHERE;
        self.remove_at(0);
        let waiter = &mut self.waiters[first.slot()];
        Some(Due { deadline: first.deadline(), class: first.class(), owner: waiter.owner, waker: waiter.waker.take() })
    }

    /// Takes the first deadline in order if it is not after `now`. O(log n).
    pub(crate) fn pop_due(&mut self, now: u64) -> Option<Due> {
        if self.earliest()? <= now { self.pop() } else { None }
    }

    /// Takes every waker that is still kept, for the caller to drop.
    pub(crate) fn take_wakers(&mut self) -> Vec<Waker> {
        self.waiters.iter_mut().filter_map(|waiter| waiter.waker.take()).collect()
    }

    /// Numbers the entries anew from 0 in their order. O(n log n), once in 2^38 insertions.
    fn renumber(&mut self) {
        // A sorted array is a heap.
        self.heap.sort_unstable();
        for (number, entry) in self.heap.iter_mut().enumerate() {
            *entry = Entry::new(entry.deadline(), entry.class(), number as u64, entry.slot() as u32);
            self.places[entry.slot()] = number as u32;
        }
        self.next = self.heap.len() as u64;
    }

    fn remove_at(&mut self, place: usize) {
        let Some(last) = self.heap.pop() else { return };
        if place < self.heap.len() {
            let bottom = self.lift_children(place);
            self.sift_up(bottom, last);
        }
    }

    /// Moves the least child into the hole at `place`, and so on down; returns where the hole ends up.
    ///
    /// What fills the hole came from the bottom and mostly belongs there, so comparing it on the way down would be wasted.
    fn lift_children(&mut self, mut place: usize) -> usize {
        loop {
            let first = place * ARITY + 1;
            let (offset, least) = match *self.heap.get(first..).unwrap_or_default() {
                [a, b, c, d, ..] => {
                    let ab = select_unpredictable(b < a, (1, b), (0, a));
                    let cd = select_unpredictable(d < c, (3, d), (2, c));
                    select_unpredictable(cd.1 < ab.1, cd, ab)
                }
                [a, b, c] if c < a && c < b => (2, c),
                [a, b, ..] if b < a => (1, b),
                [a, ..] => (0, a),
                [] => return place,
            };
            self.put(place, least);
            place = first + offset;
        }
    }

    fn sift_up(&mut self, mut place: usize, entry: Entry) {
        while place > 0 {
            let above = (place - 1) / ARITY;
            let parent = self.heap[above];
            if parent < entry {
                break;
            }
            self.put(place, parent);
            place = above;
        }
        self.put(place, entry);
    }

    fn put(&mut self, place: usize, entry: Entry) {
        self.heap[place] = entry;
        self.places[entry.slot()] = place as u32;
    }
}

#[cfg(test)]
mod tests;
