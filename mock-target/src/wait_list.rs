//! Where futures wait to be told something by whoever holds the lock around this list.

use slab::Slab;
use std::task::{Context, Poll, Waker};

/// Waiting futures by number. Entering and telling cost O(1); memory grows to the most that ever waited at once.
#[derive(Debug)]
pub(crate) struct WaitList<T> {
    slots: Slab<Slot<T>>,
}

#[derive(Debug)]
enum Slot<T> {
    Waiting(Option<Waker>),
    Told(T),
}

impl<T> WaitList<T> {
    pub(crate) const fn new() -> Self {
        Self { slots: Slab::new() }
    }

    /// Enters, and gives the number under which to poll.
    pub(crate) fn enter(&mut self) -> usize {
        self.slots.insert(Slot::Waiting(None))
    }

    /// Tells one that waits. The waker is to be woken once the lock is let go.
    #[must_use]
    pub(crate) fn tell(&mut self, number: usize, news: T) -> Option<Waker> {
        match self.slots.get_mut(number) {
            Some(slot @ Slot::Waiting(_)) => match std::mem::replace(slot, Slot::Told(news)) {
                Slot::Waiting(waker) => waker,
                Slot::Told(_) => None,
            },
            _ => None,
        }
    }

    /// Ready with the news once told, which also leaves the list.
    pub(crate) fn poll(&mut self, number: usize, cx: &Context<'_>) -> Poll<T> {
        if let Some(Slot::Waiting(waker)) = self.slots.get_mut(number) {
            match waker {
                Some(waker) => waker.clone_from(cx.waker()),
                None => *waker = Some(cx.waker().clone()),
            }
            return Poll::Pending;
        }
        match self.slots.remove(number) {
            Slot::Told(news) => Poll::Ready(news),
            Slot::Waiting(_) => unreachable!("a waiting slot was returned for above"),
        }
    }

    /// Leaves the list: the news that was told and not taken, if any.
    pub(crate) fn leave(&mut self, number: usize) -> Option<T> {
        match self.slots.try_remove(number) {
            Some(Slot::Told(news)) => Some(news),
            _ => None,
        }
    }
}
