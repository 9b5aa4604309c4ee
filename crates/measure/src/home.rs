//! Where a recorder's state lives: behind a lock, or with one thread.
//!
//! An uncontended lock costs more than most of what is done under it, and a simulation, which makes all its calls from one
//! thread, makes some twenty of them for each request. So a state may live in a table of its thread instead, where a call
//! costs a look-up.

use crate::state::State;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where one state lives.
#[derive(Debug)]
pub(crate) enum Home {
    /// Behind a lock, for calls from any thread.
    Shared(Box<Mutex<State>>),
    /// In the table of the thread that made it.
    Local(Place),
}

/// A place in a thread's table. The key tells it from the same place in another thread's.
#[derive(Debug)]
pub(crate) struct Place {
    slot: usize,
    key: u64,
}

#[derive(Debug)]
struct Resident {
    key: u64,
    state: Box<State>,
}

thread_local! {
    static RESIDENTS: RefCell<Vec<Option<Resident>>> = const { RefCell::new(Vec::new()) };
}

// === impl Home ===

impl Home {
    pub(crate) fn shared(state: State) -> Self {
        Self::Shared(Box::new(Mutex::new(state)))
    }

    pub(crate) fn local(state: State) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let key = NEXT.fetch_add(1, Ordering::Relaxed);
        let resident = Some(Resident { key, state: Box::new(state) });
        let slot = RESIDENTS.with_borrow_mut(|residents| {
            let free = residents.iter().position(Option::is_none);
            let slot = free.unwrap_or(residents.len());
            if free.is_some() {
                residents[slot] = resident;
            } else {
                residents.push(resident);
            }
            slot
        });
        Self::Local(Place { slot, key })
    }

    /// Does something with the state.
    #[inline]
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        match self {
            Self::Local(place) => RESIDENTS.with_borrow_mut(|residents| match residents.get_mut(place.slot) {
                Some(Some(resident)) if resident.key == place.key => work(&mut resident.state),
                _ => stranger(),
            }),
            Self::Shared(mutex) => work(&mut mutex.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// Holds the lock, if there is one.
    pub(crate) fn hold(&self) -> Option<MutexGuard<'_, State>> {
        match self {
            Self::Local(_) => None,
            Self::Shared(mutex) => Some(mutex.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

#[cold]
fn stranger() -> ! {
    panic!("a local recorder was called from a thread that did not make it; use Recorder::new for several threads")
}

impl Drop for Place {
    fn drop(&mut self) {
        // From another thread, or while this one ends, the state stays until its own thread's end.
        let removed = RESIDENTS.try_with(|residents| {
            let mut residents = residents.try_borrow_mut().ok()?;
            let resident = residents.get_mut(self.slot)?;
            resident.take_if(|resident| resident.key == self.key)
        });
        drop(removed);
    }
}
