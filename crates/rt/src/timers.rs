//! An ordered set of deadlines: the indexed 4-ary heap behind both clocks.
//!
//! Entries are ordered by (deadline, class, order of insertion). Each entry knows its slot and each slot its place in the
//! heap, so a cancelled deadline leaves at once: it costs nothing later and can never move the clock. A slot belongs to the
//! `Sleep` that inserted it until that `Sleep` releases it, also after it fired; so a slot number can never mean another wait.

use std::task::Waker;

use crate::sleep::Class;

/// Children per node. Four keeps the tree shallow and a node's children in two cache lines.
const ARITY: usize = 4;
/// The place of a slot whose deadline has fired.
const FIRED: u32 = u32::MAX;
/// Insertion numbers use the low bits of an entry's order; the class is above them. 2^61 insertions outlast any run.
const CLASS_SHIFT: u32 = 61;

/// A deadline in the heap.
#[derive(Clone, Copy, Debug)]
struct Entry {
    deadline: u64,
    /// Class, then number of insertion: the order of equal deadlines.
    order: u64,
    slot: u32,
}

/// What a slot knows: its place in the heap and whom to wake.
#[derive(Debug)]
struct Slot {
    place: u32,
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
    slots: Vec<Slot>,
    free: Vec<u32>,
    inserted: u64,
}

// === impl Entry ===

impl Entry {
    fn key(&self) -> u128 {
        (u128::from(self.deadline) << 64) | u128::from(self.order)
    }

    fn class(&self) -> Class {
        match self.order >> CLASS_SHIFT {
            0 => Class::Event,
            1 => Class::Completion,
            2 => Class::Timeout,
            _ => Class::Arrival,
        }
    }
}

// === impl Timers ===

impl Timers {
    /// An empty set; allocates nothing.
    pub(crate) const fn new() -> Self {
        Self { heap: Vec::new(), slots: Vec::new(), free: Vec::new(), inserted: 0 }
    }

    /// Adds a deadline and returns its slot, which is the caller's until [`Timers::release`]. O(log n).
    pub(crate) fn insert(&mut self, deadline: u64, class: Class, owner: u64, waker: Option<Waker>) -> u32 {
        let slot = if let Some(slot) = self.free.pop() {
            let free = &mut self.slots[slot as usize];
            free.owner = owner;
            free.waker = waker;
            slot
        } else {
            let slot = u32::try_from(self.slots.len()).expect("four billion waits do not fit in memory");
            self.slots.push(Slot { place: FIRED, owner, waker });
            slot
        };
        let order = ((class as u64) << CLASS_SHIFT) | self.inserted;
        self.inserted += 1;
        let entry = Entry { deadline, order, slot };
        self.heap.push(entry);
        self.sift_up(self.heap.len() - 1, entry);
        slot
    }

    /// Gives a slot back; its deadline, if still to come, leaves the heap at once. O(log n), O(1) if it fired.
    ///
    /// The waker is returned so that the caller can drop it after letting go of the set: dropping it runs foreign code.
    #[must_use]
    pub(crate) fn release(&mut self, slot: u32) -> Option<Waker> {
        let place = self.slots[slot as usize].place;
        if place != FIRED {
            self.slots[slot as usize].place = FIRED;
            self.remove_at(place as usize);
        }
        self.free.push(slot);
        self.slots[slot as usize].waker.take()
    }

    /// Whether the slot's deadline has been taken by [`Timers::pop`].
    pub(crate) fn has_fired(&self, slot: u32) -> bool {
        self.slots[slot as usize].place == FIRED
    }

    /// The waker kept for a slot.
    pub(crate) fn waker(&self, slot: u32) -> Option<&Waker> {
        self.slots[slot as usize].waker.as_ref()
    }

    /// Changes whom a slot wakes, and returns the former waker for the caller to drop.
    #[must_use]
    pub(crate) fn set_waker(&mut self, slot: u32, owner: u64, waker: Option<Waker>) -> Option<Waker> {
        let slot = &mut self.slots[slot as usize];
        slot.owner = owner;
        std::mem::replace(&mut slot.waker, waker)
    }

    /// The earliest deadline. O(1).
    pub(crate) fn earliest(&self) -> Option<u64> {
        self.heap.first().map(|entry| entry.deadline)
    }

    /// The tasks that wait for a deadline, in no particular order.
    pub(crate) fn owners(&self) -> impl Iterator<Item = u64> {
        self.heap.iter().map(|entry| self.slots[entry.slot as usize].owner)
    }

    /// Takes the first deadline in order. O(log n).
    pub(crate) fn pop(&mut self) -> Option<Due> {
        let first = *self.heap.first()?;
        let slot = &mut self.slots[first.slot as usize];
        slot.place = FIRED;
        let due = Due { deadline: first.deadline, class: first.class(), owner: slot.owner, waker: slot.waker.take() };
        self.remove_at(0);
        Some(due)
    }

    /// Takes the first deadline in order if it is not after `now`. O(log n).
    pub(crate) fn pop_due(&mut self, now: u64) -> Option<Due> {
        if self.earliest()? <= now { self.pop() } else { None }
    }

    /// Takes every waker that is still kept, for the caller to drop.
    pub(crate) fn take_wakers(&mut self) -> Vec<Waker> {
        self.slots.iter_mut().filter_map(|slot| slot.waker.take()).collect()
    }

    fn remove_at(&mut self, place: usize) {
        let Some(last) = self.heap.pop() else { return };
        if place == self.heap.len() {
            return;
        }
        if place > 0 && last.key() < self.heap[(place - 1) / ARITY].key() {
            self.sift_up(place, last);
        } else {
            self.sift_down(place, last);
        }
    }

    fn sift_up(&mut self, mut place: usize, entry: Entry) {
        let key = entry.key();
        while place > 0 {
            let above = (place - 1) / ARITY;
            let parent = self.heap[above];
            if parent.key() <= key {
                break;
            }
            self.put(place, parent);
            place = above;
        }
        self.put(place, entry);
    }

    fn sift_down(&mut self, mut place: usize, entry: Entry) {
        let key = entry.key();
        loop {
            let first = place * ARITY + 1;
            let Some(children) = self.heap.get(first..(first + ARITY).min(self.heap.len())) else { break };
            let mut least = None;
            let mut least_key = key;
            for (offset, child) in children.iter().enumerate() {
                let child_key = child.key();
                if child_key < least_key {
                    least_key = child_key;
                    least = Some(first + offset);
                }
            }
            let Some(least) = least else { break };
            let child = self.heap[least];
            self.put(place, child);
            place = least;
        }
        self.put(place, entry);
    }

    fn put(&mut self, place: usize, entry: Entry) {
        self.heap[place] = entry;
        self.slots[entry.slot as usize].place = place as u32;
    }
}

#[cfg(test)]
mod tests;
