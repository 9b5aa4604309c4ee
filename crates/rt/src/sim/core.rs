//! The state of the run on this thread, and how handles, timers and wakers reach it.
//!
//! Every borrow ends before foreign code can run: futures and wakers are taken out, the borrow is let go, and only then are
//! they polled, woken or dropped. So a future may spawn, sleep or wake from its `Drop` as well as from its `poll`.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ptr;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use coldfront_clock::Instant;

use super::tasks::{BoxFuture, Key, Tasks};
use super::wakers::Remote;
use crate::sleep::{Class, UNREGISTERED};
use crate::timers::Timers;

/// How many steps one instant may take before it counts as a live-lock.
pub(super) const STEPS_PER_INSTANT_MAX: u64 = 10_000_000;

thread_local! {
    pub(super) static CORE: Core = const { Core::idle() };
}

/// The task being polled, and what its own waker looks like.
#[derive(Clone, Copy)]
struct Current {
    key: Key,
    data: *const (),
    vtable: *const (),
}

/// What the next deadline did.
pub(super) enum Fired {
    /// There is none.
    Nothing,
    /// It was this task's, whose turn it is now.
    Task(Key),
    /// It woke somebody by their own waker.
    Waker,
}

/// The state of the run on this thread.
pub(super) struct Core {
    /// The number of the run; 0 if there is none.
    pub(super) run: Cell<u64>,
    now: Cell<u64>,
    /// The class whose turn has come within this instant.
    turn: Cell<Class>,
    /// Steps taken within this instant.
    pub(super) steps: Cell<u64>,
    /// Tasks are being dropped at the end of the run: none may start.
    ending: Cell<bool>,
    current: Cell<Current>,
    ready: RefCell<VecDeque<Key>>,
    tasks: RefCell<Tasks>,
    pub(super) timers: RefCell<Timers>,
}

// === impl Core ===

impl Core {
    const fn idle() -> Self {
        Self {
            run: Cell::new(0),
            now: Cell::new(0),
            turn: Cell::new(Class::Event),
            steps: Cell::new(0),
            ending: Cell::new(false),
            current: Cell::new(Current::NOBODY),
            ready: RefCell::new(VecDeque::new()),
            tasks: RefCell::new(Tasks::none()),
            timers: RefCell::new(Timers::new()),
        }
    }

    /// Runs `work` with this thread's core.
    pub(super) fn with<R>(work: impl FnOnce(&Self) -> R) -> R {
        CORE.with(work)
    }

    pub(super) fn is_idle(&self) -> bool {
        self.run.get() == 0
    }

    /// Makes this the core of run number `run`, with nothing in it.
    pub(super) fn begin(&self, run: u64, remote: Arc<Remote>) {
        self.run.set(run);
        self.now.set(0);
        self.turn.set(Class::Event);
        self.steps.set(0);
        self.ending.set(false);
        *self.tasks.borrow_mut() = Tasks::new(run, remote);
    }

    /// From now on nothing starts; what is left can be dropped.
    pub(super) fn begin_ending(&self) {
        self.ending.set(true);
        self.current.set(Current::NOBODY);
    }

    /// Forgets the run, after everything of it was dropped.
    pub(super) fn end(&self) {
        self.run.set(0);
        self.ready.borrow_mut().clear();
        let timers = self.timers.replace(Timers::new());
        let tasks = self.tasks.replace(Tasks::none());
        drop((timers, tasks));
    }

    pub(super) fn now(&self) -> Instant {
        Instant::from_nanos(self.now.get())
    }

    pub(super) fn tasks<R>(&self, work: impl FnOnce(&mut Tasks) -> R) -> R {
        work(&mut self.tasks.borrow_mut())
    }

    /// Starts a task; at the end of the run it is dropped instead.
    pub(super) fn spawn(&self, kind: &'static str, daemon: bool, future: Option<BoxFuture>) -> Key {
        if self.ending.get() {
            drop(future);
            return Key::NONE;
        }
        let key = self.tasks(|tasks| tasks.insert(kind, daemon, future));
        self.ready.borrow_mut().push_back(key);
        key
    }

    /// Makes a task runnable, if it is not yet.
    pub(super) fn wake(&self, key: Key) {
        if self.tasks(|tasks| tasks.mark_queued(key)) {
            self.ready.borrow_mut().push_back(key);
        }
    }

    pub(super) fn next_ready(&self) -> Option<Key> {
        self.ready.borrow_mut().pop_front()
    }

    /// Takes in the wake-ups of other threads.
    pub(super) fn accept(&self, remote: &Remote) {
        for key in remote.take() {
            self.wake(key);
        }
    }

    /// Says who is being polled, so that its waits can be woken by key.
    pub(super) fn enter(&self, key: Key, waker: &Waker) {
        self.current.set(Current { key, data: waker.data(), vtable: ptr::from_ref(waker.vtable()).cast() });
    }

    /// Moves to the next deadline and wakes its waiter. To be called when nothing is ready.
    pub(super) fn fire_next(&self) -> Fired {
        let Some(due) = self.timers.borrow_mut().pop() else { return Fired::Nothing };
        if due.deadline > self.now.get() {
            self.now.set(due.deadline);
            self.turn.set(due.class);
            self.steps.set(0);
        } else {
            self.turn.set(self.turn.get().max(due.class));
        }
        match due.waker {
            // Through the ready queue it would be the next one anyway.
            None => Fired::Task(Key::from_bits(due.owner)),
            Some(waker) => {
                waker.wake();
                Fired::Waker
            }
        }
    }

    /// Whether a task that is not a daemon waits for a deadline.
    pub(super) fn has_timer_of_a_task(&self) -> bool {
        let timers = self.timers.borrow();
        self.tasks(|tasks| timers.owners().any(|owner| !tasks.is_daemon(Key::from_bits(owner))))
    }

    /// How many deadlines are set.
    #[cfg(test)]
    pub(super) fn timers_len(&self) -> usize {
        self.timers.borrow().len()
    }

    /// Takes the wakers that timers still keep, for the caller to drop.
    pub(super) fn take_wakers(&self) -> Vec<Waker> {
        self.timers.borrow_mut().take_wakers()
    }

    /// The running task, and whether `waker` is its own: then its waits need not keep the waker.
    fn waiter(&self, waker: &Waker) -> (u64, bool) {
        let current = self.current.get();
        let is_own = waker.data() == current.data && ptr::from_ref(waker.vtable()).cast() == current.vtable;
        (current.key.to_bits(), is_own)
    }

    pub(super) fn poll_sleep(&self, at: Instant, class: Class, slot: &mut u32, cx: &Context<'_>) -> Poll<()> {
        if *slot != UNREGISTERED {
            return self.poll_registered(slot, cx);
        }
        let (at, now) = (at.as_nanos(), self.now.get());
        if at < now || (at == now && self.turn_has_come(class)) {
            return self.pass();
        }
        if at == u64::MAX {
            return Poll::Pending;
        }
        let (owner, is_own) = self.waiter(cx.waker());
        let waker = if is_own { None } else { Some(cx.waker().clone()) };
        *slot = self.timers.borrow_mut().insert(at, class, owner, waker);
        Poll::Pending
    }

    fn poll_registered(&self, slot: &mut u32, cx: &Context<'_>) -> Poll<()> {
        let mut timers = self.timers.borrow_mut();
        if timers.has_fired(*slot) {
            let waker = timers.release(*slot);
            drop(timers);
            drop(waker);
            *slot = UNREGISTERED;
            return Poll::Ready(());
        }
        let (owner, is_own) = self.waiter(cx.waker());
        let former = if is_own {
            timers.set_waker(*slot, owner, None)
        } else if timers.waker(*slot).is_some_and(|waker| waker.will_wake(cx.waker())) {
            None
        } else {
            drop(timers);
            let waker = cx.waker().clone();
            self.timers.borrow_mut().set_waker(*slot, owner, Some(waker))
        };
        drop(former);
        Poll::Pending
    }

    /// Whether a wait for the present instant is over. Completions do not queue behind anything, so theirs always is.
    fn turn_has_come(&self, class: Class) -> bool {
        class <= Class::Completion || class <= self.turn.get()
    }

    /// Lets a wait complete at once, and counts it as a step: a loop of such waits never leaves its task's poll otherwise.
    fn pass(&self) -> Poll<()> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if steps > STEPS_PER_INSTANT_MAX { Poll::Pending } else { Poll::Ready(()) }
    }
}

impl Current {
    const NOBODY: Self = Self { key: Key::NONE, data: ptr::null(), vtable: ptr::null() };
}

/// Makes a task runnable if its run is on this thread; false if it is not, or the thread is ending.
pub(super) fn wake_here(run: u64, key: Key) -> bool {
    CORE.try_with(|core| {
        let is_here = core.run.get() == run;
        if is_here {
            core.wake(key);
        }
        is_here
    })
    .unwrap_or(false)
}
