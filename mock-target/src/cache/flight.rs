//! The two parts in a shared load: leading it and waiting for it.

use super::{Cache, State};
use crate::db::DbFailure;
use coldfront_protection::cache::Waiting;
use std::future::poll_fn;
use std::task::Waker;

/// What a waiter is told.
#[derive(Clone, Copy, Debug)]
pub(super) enum Turn {
    /// The load ended so.
    Done(Result<(), DbFailure>),
    /// The leader gave up; this waiter leads from now on.
    Leads,
}

/// The duty to load for everybody who joins. Dropping it hands the duty to the oldest waiter.
#[derive(Debug)]
pub(super) struct Lead<'a> {
    cache: &'a Cache,
    key: u64,
    is_finished: bool,
}

/// A place among those who wait for a load. Dropping it leaves.
#[derive(Debug)]
pub(super) struct Place<'a> {
    cache: &'a Cache,
    number: usize,
    waiting: Waiting,
    key: u64,
    has_left: bool,
}

impl<'a> Lead<'a> {
    pub(super) const fn new(cache: &'a Cache, key: u64) -> Self {
        Self { cache, key, is_finished: false }
    }

    /// The load ended: a value is kept, and everybody who waits is told; an error is told and not kept.
    pub(super) fn finish(mut self, result: Result<(), DbFailure>) {
        self.is_finished = true;
        let mut wakers: Vec<Waker> = Vec::new();
        let mut state = self.cache.lock();
        let now = self.cache.rt.now();
        if result.is_ok() {
            state.entries.insert(now, self.key, ());
            state.show(&mut self.cache.meter.at(now));
        }
        let State { flights, waits, .. } = &mut *state;
        flights.finish(self.key, |number| wakers.extend(waits.tell(number, Turn::Done(result))));
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        if self.is_finished {
            return;
        }
        let mut state = self.cache.lock();
        let State { flights, waits, .. } = &mut *state;
        let heir = flights.abandon(self.key).and_then(|number| waits.tell(number, Turn::Leads));
        drop(state);
        if let Some(waker) = heir {
            waker.wake();
        }
    }
}

impl<'a> Place<'a> {
    pub(super) const fn new(cache: &'a Cache, number: usize, waiting: Waiting, key: u64) -> Self {
        Self { cache, number, waiting, key, has_left: false }
    }

    /// Waits for the load to end (`Err` with its result), or for the lead to be handed over (`Ok`).
    pub(super) async fn wait(mut self) -> Result<Lead<'a>, Result<(), DbFailure>> {
        let turn = poll_fn(|cx| self.cache.lock().waits.poll(self.number, cx)).await;
        self.has_left = true;
        match turn {
            Turn::Leads => Ok(Lead::new(self.cache, self.key)),
            Turn::Done(result) => Err(result),
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if self.has_left {
            return;
        }
        let mut state = self.cache.lock();
        state.flights.leave(self.waiting);
        let told = state.waits.leave(self.number);
        drop(state);
        // The lead was handed over at the very instant at which this client gave up: it goes on to the next.
        if let Some(Turn::Leads) = told {
            drop(Lead::new(self.cache, self.key));
        }
    }
}
