//! The slab of tasks.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Waker;

use super::wakers::{Remote, TaskWaker};

/// A task's future. The simulator stays on one thread, so it needs no `Send` here.
pub(super) type BoxFuture = Pin<Box<dyn Future<Output = ()>>>;

/// The name of a task: slot in the low half, generation of the slot in the high half. Never given twice in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(u64);

/// What has become of a slot's task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    /// There is none.
    Free,
    Alive,
    /// It is dropped at its next turn.
    Aborted,
}

/// What every turn of a task touches.
struct Slot {
    generation: u32,
    life: Life,
    /// Whether the task is in the ready queue.
    queued: bool,
    daemon: bool,
    /// Absent while the task is polled, and for the main future, which the run itself holds.
    future: Option<BoxFuture>,
    /// The one waker all polls of this slot use; absent while the task is polled.
    waker: Option<Waker>,
}

/// What only the begin and the end of a task touch.
struct Record {
    kind: &'static str,
    /// Number of the spawn, for an order that does not depend on the reuse of slots.
    spawned: u64,
    /// What the slot's waker refers to.
    shared: Arc<TaskWaker>,
}

/// All tasks of a run.
pub(super) struct Tasks {
    slots: Vec<Slot>,
    /// By slot.
    records: Vec<Record>,
    free: Vec<u32>,
    spawned: u64,
    run: u64,
    /// Absent while there is no run.
    remote: Option<Arc<Remote>>,
}

/// What the executor shall do with a task whose turn has come.
pub(super) enum Turn {
    /// The task has ended or is being polled: nothing.
    Skip,
    /// Poll the main future.
    Main(Waker),
    /// Poll this task.
    Poll { future: BoxFuture, waker: Waker, is_daemon: bool },
    /// Drop this future, then forget the task.
    Abort(BoxFuture),
}

// === impl Key ===

impl Key {
    /// The main future of every run.
    pub(super) const MAIN: Self = Self(0);
    /// No task.
    pub(super) const NONE: Self = Self(u64::MAX);

    fn new(slot: u32, generation: u32) -> Self {
        Self(u64::from(generation) << 32 | u64::from(slot))
    }

    pub(super) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub(super) fn to_bits(self) -> u64 {
        self.0
    }

    fn slot(self) -> usize {
        (self.0 & u64::from(u32::MAX)) as usize
    }

    fn generation(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

// === impl Slot ===

impl Slot {
    fn new(waker: Waker) -> Self {
        Self { generation: 0, life: Life::Free, queued: false, daemon: false, future: None, waker: Some(waker) }
    }

    fn is_occupied(&self) -> bool {
        self.life != Life::Free
    }
}

// === impl Tasks ===

impl Tasks {
    /// No tasks and no run.
    pub(super) const fn none() -> Self {
        Self { slots: Vec::new(), records: Vec::new(), free: Vec::new(), spawned: 0, run: 0, remote: None }
    }

    /// The tasks of a run, none yet.
    pub(super) fn new(run: u64, remote: Arc<Remote>) -> Self {
        Self { run, remote: Some(remote), ..Self::none() }
    }

    fn new_waker(&self, key: Key) -> (Arc<TaskWaker>, Waker) {
        let remote = self.remote.as_ref().expect("tasks exist only while there is a run");
        TaskWaker::new(key, self.run, Arc::clone(remote))
    }

    /// Adds a task, marked as queued; the caller puts it in the ready queue. The first one of a run is the main future.
    pub(super) fn insert(&mut self, kind: &'static str, daemon: bool, future: Option<BoxFuture>) -> Key {
        let index = self.free.pop().unwrap_or_else(|| self.add_slot());
        let slot = &mut self.slots[index as usize];
        slot.life = Life::Alive;
        slot.queued = true;
        slot.daemon = daemon;
        slot.future = future;
        let record = &mut self.records[index as usize];
        record.kind = kind;
        record.spawned = self.spawned;
        self.spawned += 1;
        Key::new(index, slot.generation)
    }

    fn add_slot(&mut self) -> u32 {
        let index = u32::try_from(self.slots.len()).expect("four billion tasks do not fit in memory");
        let (shared, waker) = self.new_waker(Key::new(index, 0));
        self.slots.push(Slot::new(waker));
        self.records.push(Record { kind: "", spawned: 0, shared });
        index
    }

    fn get_mut(&mut self, key: Key) -> Option<&mut Slot> {
        self.slots.get_mut(key.slot()).filter(|slot| slot.is_occupied() && slot.generation == key.generation())
    }

    fn get(&self, key: Key) -> Option<&Slot> {
        self.slots.get(key.slot()).filter(|slot| slot.is_occupied() && slot.generation == key.generation())
    }

    /// Marks a task as queued; true if the caller shall put it in the ready queue.
    pub(super) fn mark_queued(&mut self, key: Key) -> bool {
        self.get_mut(key).is_some_and(|slot| !std::mem::replace(&mut slot.queued, true))
    }

    /// Marks a task to be dropped at its next turn.
    pub(super) fn mark_aborted(&mut self, key: Key) {
        if let Some(slot) = self.get_mut(key) {
            slot.life = Life::Aborted;
        }
    }

    /// Takes what is needed to give a task its turn.
    pub(super) fn take_turn(&mut self, key: Key) -> Turn {
        let Some(slot) = self.get_mut(key) else { return Turn::Skip };
        slot.queued = false;
        if slot.life == Life::Aborted {
            return slot.future.take().map_or(Turn::Skip, Turn::Abort);
        }
        let Some(waker) = slot.waker.take() else { return Turn::Skip };
        match slot.future.take() {
            Some(future) => Turn::Poll { future, waker, is_daemon: slot.daemon },
            None => Turn::Main(waker),
        }
    }

    /// Puts back what [`Tasks::take_turn`] took, after a poll that left the task pending.
    pub(super) fn put_back(&mut self, key: Key, future: Option<BoxFuture>, waker: Waker) {
        if let Some(slot) = self.get_mut(key) {
            slot.future = future;
            slot.waker = Some(waker);
        }
    }

    /// Forgets a task that has ended, and keeps its slot for another.
    ///
    /// The slot's waker is used again only if no clone of it is left: a stale one must not wake the slot's next task.
    pub(super) fn remove(&mut self, key: Key, waker: Option<Waker>) {
        let Some(slot) = self.get_mut(key) else { return };
        slot.life = Life::Free;
        slot.generation = slot.generation.wrapping_add(1);
        if waker.is_some() {
            slot.waker = waker;
        }
        let has_waker = slot.waker.is_some();
        let next = Key::new(key.slot() as u32, slot.generation);
        let record = &self.records[key.slot()];
        if has_waker && Arc::strong_count(&record.shared) == 2 {
            record.shared.rename(next);
        } else {
            let (shared, waker) = self.new_waker(next);
            self.records[key.slot()].shared = shared;
            self.slots[key.slot()].waker = Some(waker);
        }
        self.free.push(key.slot() as u32);
    }

    pub(super) fn kind(&self, key: Key) -> &'static str {
        self.get(key).map_or("a task that has ended", |_| self.records[key.slot()].kind)
    }

    /// Whether the task is there and is a daemon.
    pub(super) fn is_daemon(&self, key: Key) -> bool {
        self.get(key).is_some_and(|slot| slot.daemon)
    }

    /// The kinds of the tasks that are left, daemons apart: each once, in the order of their first spawn.
    pub(super) fn waiting_kinds(&self) -> Vec<&'static str> {
        let mut waiting: Vec<_> = self
            .slots
            .iter()
            .zip(&self.records)
            .filter(|(slot, _)| slot.is_occupied() && !slot.daemon)
            .map(|(_, record)| (record.spawned, record.kind))
            .collect();
        waiting.sort_unstable();
        let mut seen = BTreeSet::new();
        waiting.into_iter().map(|(_, kind)| kind).filter(|kind| seen.insert(*kind)).collect()
    }

    /// Takes all futures that are left, in the order of their spawn.
    pub(super) fn take_futures(&mut self) -> Vec<BoxFuture> {
        let mut left: Vec<_> = self
            .slots
            .iter_mut()
            .zip(&self.records)
            .filter_map(|(slot, record)| Some((record.spawned, slot.future.take()?)))
            .collect();
        left.sort_unstable_by_key(|(spawned, _)| *spawned);
        left.into_iter().map(|(_, future)| future).collect()
    }
}
