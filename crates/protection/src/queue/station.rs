//! A number of workers behind a waiting room.
//!
//! **Problem.** A tier serves so many at once; what comes beyond waits its turn or is turned away.
//!
//! **Rule.** A request that finds a worker free and nobody waiting is served at once. Otherwise it waits, if there is a room
//! and a place in it. A worker that becomes free goes to the oldest waiter at the same instant: nobody who comes later can
//! take it, and it is never idle while someone waits.
//!
//! **Formula.** A fluid pulse λ for T into c workers of total rate µ < λ: the longest queue is (λ − µ) T, an arrival at t
//! waits (λ − µ) t / µ, and the room is empty (λ − µ) T / µ after the pulse.
//!
//! **Source.** The station of queueing theory, G/G/c/K with first-in-first-out order.
//!
//! **When it fails.** See [`Fifo`](super::Fifo).

use super::fifo::{Dequeued, Fifo, Full, Ticket};
use coldfront_clock::Instant;
use coldfront_scenarios::Queue as QueueSpec;
use std::time::Duration;

/// Workers and their waiting room. Invariant: a worker is idle only while nobody waits.
#[derive(Clone, Debug)]
pub struct Station<T> {
    workers: u32,
    busy: u32,
    room: Fifo<T>,
}

/// What happens to a request that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrived {
    /// A worker took it up at once; give it back with [`Station::release`].
    Served,
    /// It waits.
    Waits {
        /// Its place.
        ticket: Ticket,
        /// Until when at most; [`Instant::MAX`]: without bound.
        deadline: Instant,
    },
    /// Every worker is busy and there is no place to wait.
    Full,
}

/// What happens when a worker becomes free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freed<T> {
    /// The oldest waiter takes it over.
    HandedTo {
        /// Who.
        item: T,
        /// How long it waited.
        waited: Duration,
    },
    /// This waiter's deadline had passed, so it is out; the worker is still to be handed on: call again.
    Expired(T),
    /// Nobody waits: the worker is idle.
    Idle,
}

impl<T> Station<T> {
    /// `workers` (at least 1) idle workers; `None` as the room: nobody waits.
    pub fn new(workers: u32, queue: Option<&QueueSpec>) -> Self {
        let room = match queue {
            Some(QueueSpec::Fifo { capacity, timeout }) => Fifo::new(*capacity, *timeout),
            None => Fifo::new(0, None),
        };
        Self { workers: workers.max(1), busy: 0, room }
    }

    /// How many workers are busy.
    pub const fn busy(&self) -> u32 {
        self.busy
    }

    /// How many requests wait.
    pub const fn waiting(&self) -> u32 {
        self.room.len()
    }

    /// A request arrives; `item` is called only if it has to wait.
    pub fn arrive(&mut self, now: Instant, item: impl FnOnce() -> T) -> Arrived {
        if self.busy < self.workers {
            self.busy += 1;
            return Arrived::Served;
        }
        if self.room.is_full() {
            return Arrived::Full;
        }
        match self.room.enqueue(now, item()) {
            Ok(ticket) => Arrived::Waits { ticket, deadline: self.room.deadline(now) },
            Err(Full) => Arrived::Full,
        }
    }

    /// A worker becomes free. Call again while it answers [`Freed::Expired`].
    pub fn release(&mut self, now: Instant) -> Freed<T> {
        match self.room.dequeue(now) {
            Some(Dequeued::InTime { item, waited }) => Freed::HandedTo { item, waited },
            Some(Dequeued::Expired { item, .. }) => Freed::Expired(item),
            None => {
                debug_assert!(self.busy > 0, "a worker was released that nobody held");
                self.busy = self.busy.saturating_sub(1);
                Freed::Idle
            }
        }
    }

    /// A waiter gives up or expires; `None` if it is no longer waiting.
    pub fn cancel(&mut self, ticket: Ticket) -> Option<T> {
        self.room.cancel(ticket)
    }
}
