//! What wakes a task, from this thread or another.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Wake, Waker};

use super::core;
use super::tasks::Key;

/// What wakes the task of one slot, from any thread.
#[derive(Debug)]
pub(super) struct TaskWaker {
    key: AtomicU64,
    run: u64,
    remote: Arc<Remote>,
}

/// Wake-ups that came from other threads, to be taken in by the run's own.
#[derive(Debug, Default)]
pub(super) struct Remote {
    pending: AtomicBool,
    keys: Mutex<BTreeSet<Key>>,
}

// === impl TaskWaker ===

impl TaskWaker {
    /// A waker for the task `key`, and what it refers to.
    pub(super) fn new(key: Key, run: u64, remote: Arc<Remote>) -> (Arc<Self>, Waker) {
        let shared = Arc::new(Self { key: AtomicU64::new(key.to_bits()), run, remote });
        let waker = Waker::from(Arc::clone(&shared));
        (shared, waker)
    }

    /// Makes it wake another task. Only for a waker that has no clones.
    pub(super) fn rename(&self, key: Key) {
        self.key.store(key.to_bits(), Ordering::Relaxed);
    }
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let key = Key::from_bits(self.key.load(Ordering::Relaxed));
        if !core::wake_here(self.run, key) {
            self.remote.push(key);
        }
    }
}

// === impl Remote ===

impl Remote {
    fn push(&self, key: Key) {
        self.keys.lock().expect("nothing under this lock can panic").insert(key);
        self.pending.store(true, Ordering::Release);
    }

    /// Whether there may be something to take. One relaxed load: it is asked before every step.
    pub(super) fn is_pending(&self) -> bool {
        self.pending.load(Ordering::Relaxed)
    }

    pub(super) fn take(&self) -> BTreeSet<Key> {
        self.pending.store(false, Ordering::Relaxed);
        std::mem::take(&mut *self.keys.lock().expect("nothing under this lock can panic"))
    }
}
