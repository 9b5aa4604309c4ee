//! A bounded first-in-first-out queue with one absolute deadline per entry.
//!
//! **Problem.** A pulse above the service rate should wait rather than fail, but not without end, and neither the wait nor the
//! memory may grow without bound.
//!
//! **Rule.** At most `capacity` wait; one more is refused. An entry that came at t expires at t + timeout: it may still be
//! served at that very instant, and not later. A timeout is set once and never re-armed.
//!
//! **Formula.** With service rate µ and capacity K the longest wait is K / µ. A pulse λ > µ of length T fills the room after
//! K / (λ − µ) and loses λT − (µT + K).
//!
//! **Source.** The waiting room of every proxy (`maxqueue` and `timeout queue` in `HAProxy`).
//!
//! **When it fails.** Under lasting overload the head is always the entry that is about to expire: with a deadline the useful
//! work goes to zero although every worker is busy.

use coldfront_clock::{Instant, nanos_of};
use std::time::Duration;

/// No entry.
const NONE: u32 = u32::MAX;

/// A bounded FIFO. Enqueue, dequeue and cancel cost O(1); memory grows to the longest queue there was.
#[derive(Clone, Debug)]
pub struct Fifo<T> {
    capacity: u32,
    timeout: Option<u64>,
    nodes: Vec<Node<T>>,
    /// Head of the list of unused nodes, linked by `next`.
    unused: u32,
    oldest: u32,
    newest: u32,
    len: u32,
}

#[derive(Clone, Debug)]
struct Node<T> {
    /// `None` while the node is unused.
    entry: Option<Entry<T>>,
    /// Told apart from earlier entries of the same node.
    generation: u32,
    previous: u32,
    next: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry<T> {
    item: T,
    since: Instant,
    deadline: Instant,
}

/// A place in a [`Fifo`]. It goes stale when its entry has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    index: u32,
    generation: u32,
}

/// The queue already holds as many as it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// An entry that leaves the queue from the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dequeued<T> {
    /// Its turn has come within its deadline.
    InTime {
        /// What was enqueued.
        item: T,
        /// How long it waited.
        waited: Duration,
    },
    /// Its deadline has passed.
    Expired {
        /// What was enqueued.
        item: T,
        /// How long it waited.
        waited: Duration,
    },
}

impl<T> Fifo<T> {
    /// An empty queue for at most `capacity` entries, each of which expires `timeout` after it came (`None`: never).
    pub fn new(capacity: u32, timeout: Option<Duration>) -> Self {
        let timeout = timeout.map(nanos_of);
        Self { capacity, timeout, nodes: Vec::new(), unused: NONE, oldest: NONE, newest: NONE, len: 0 }
    }

    /// How many wait.
    pub const fn len(&self) -> u32 {
        self.len
    }

    /// Whether nobody waits.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether one more would be refused.
    pub const fn is_full(&self) -> bool {
        self.len >= self.capacity
    }

    /// When an entry that comes at `now` expires.
    pub fn deadline(&self, now: Instant) -> Instant {
        self.timeout.map_or(Instant::MAX, |timeout| now + Duration::from_nanos(timeout))
    }

    /// Appends `item`; the error means that the queue is full and the item was not taken.
    pub fn enqueue(&mut self, now: Instant, item: T) -> Result<Ticket, Full> {
        if self.is_full() {
            return Err(Full);
        }
        let entry = Entry { item, since: now, deadline: self.deadline(now) };
        let index = self.place(entry);
        if self.newest == NONE {
            self.oldest = index;
        } else {
            self.nodes[self.newest as usize].next = index;
        }
        self.newest = index;
        self.len += 1;
        Ok(Ticket { index, generation: self.nodes[index as usize].generation })
    }

    /// Takes the oldest entry out; it is [`Dequeued::InTime`] up to and including its deadline.
    pub fn dequeue(&mut self, now: Instant) -> Option<Dequeued<T>> {
        let entry = self.remove(self.oldest)?;
        let (item, waited) = (entry.item, now.since(entry.since));
        Some(if now <= entry.deadline { Dequeued::InTime { item, waited } } else { Dequeued::Expired { item, waited } })
    }

    /// Takes the oldest entry out if its deadline has come (`now` at it or after); call until it gives `None`.
    pub fn expire(&mut self, now: Instant) -> Option<T> {
        let oldest = self.nodes.get(self.oldest as usize)?.entry.as_ref()?;
        if now < oldest.deadline { None } else { self.remove(self.oldest).map(|entry| entry.item) }
    }

    /// Takes the entry of `ticket` out, wherever it stands; `None` if it has left already.
    pub fn cancel(&mut self, ticket: Ticket) -> Option<T> {
        let node = self.nodes.get(ticket.index as usize)?;
        if node.generation != ticket.generation {
            return None;
        }
        self.remove(ticket.index).map(|entry| entry.item)
    }

    /// Puts the entry into an unused node behind the newest one.
    fn place(&mut self, entry: Entry<T>) -> u32 {
        let previous = self.newest;
        if self.unused == NONE {
            self.nodes.push(Node { entry: Some(entry), generation: 0, previous, next: NONE });
            return (self.nodes.len() - 1) as u32;
        }
        let index = self.unused;
        let node = &mut self.nodes[index as usize];
        self.unused = node.next;
        node.entry = Some(entry);
        node.previous = previous;
        node.next = NONE;
        index
    }

    fn remove(&mut self, index: u32) -> Option<Entry<T>> {
        let node = self.nodes.get_mut(index as usize)?;
        let entry = node.entry.take()?;
        node.generation = node.generation.wrapping_add(1);
        let (previous, next) = (node.previous, node.next);
        node.next = self.unused;
        self.unused = index;
        if previous == NONE {
            self.oldest = next;
        } else {
            self.nodes[previous as usize].next = next;
        }
        if next == NONE {
            self.newest = previous;
        } else {
            self.nodes[next as usize].previous = previous;
        }
        self.len -= 1;
        Some(entry)
    }
}
