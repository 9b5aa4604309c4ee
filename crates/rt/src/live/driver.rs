//! The timer of a live run: an ordered set of deadlines, and one alarm set for the earliest.

use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use coldfront_clock::Instant;

use super::alarm::{Alarm, Listener};
use super::clock::Clock;
use crate::sleep::{Class, UNREGISTERED};
use crate::timers::Timers;

/// The deadlines of a live run.
pub(crate) struct LiveTimers {
    clock: Clock,
    alarm: Alarm,
    state: Mutex<State>,
}

struct State {
    timers: Timers,
    /// The moment the alarm is set for, in nanoseconds; `u64::MAX` if it is not set.
    set_for: u64,
    /// The driver is awake and will set the alarm itself before it waits again.
    is_driver_awake: bool,
}

/// Wakes what is due, lets it run, and sets the alarm for what comes next: waits that the woken tasks make are thus covered by
/// the same setting.
pub(super) async fn drive(timers: Arc<LiveTimers>, mut listener: Listener) -> Infallible {
    let mut due = Vec::new();
    loop {
        listener.rung().await;
        while timers.take_due(&mut due) {
            due.drain(..).for_each(Waker::wake);
            run_others().await;
        }
    }
}

/// Lets the tasks that are runnable now have their turn first.
async fn run_others() {
    let mut is_first = true;
    poll_fn(|cx| {
        if !std::mem::take(&mut is_first) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

// === impl LiveTimers ===

impl LiveTimers {
    /// An empty set that sets `alarm`; somebody must run [`drive`] with its listener.
    pub(super) fn new(clock: Clock, alarm: Alarm) -> Arc<Self> {
        let state = State { timers: Timers::new(), set_for: u64::MAX, is_driver_awake: false };
        Arc::new(Self { clock, alarm, state: Mutex::new(state) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing under this lock can panic")
    }

    /// Takes the wakers of all waits that are due; if there are none, sets the alarm for the earliest to come.
    pub(super) fn take_due(&self, due: &mut Vec<Waker>) -> bool {
        let mut state = self.lock();
        state.is_driver_awake = true;
        state.set_for = u64::MAX;
        let now = self.clock.now().as_nanos();
        while let Some(next) = state.timers.pop_due(now) {
            due.extend(next.waker);
        }
        if due.is_empty() {
            state.is_driver_awake = false;
            if let Some(earliest) = state.timers.earliest() {
                self.set_alarm(&mut state, earliest);
            }
        }
        !due.is_empty()
    }

    fn set_alarm(&self, state: &mut State, at: u64) {
        state.set_for = at;
        self.alarm.set(Instant::from_nanos(at));
    }

    pub(crate) fn poll_sleep(&self, at: Instant, class: Class, slot: &mut u32, cx: &Context<'_>) -> Poll<()> {
        if at <= self.clock.now() {
            self.cancel_sleep(std::mem::replace(slot, UNREGISTERED));
            return Poll::Ready(());
        }
        if at == Instant::MAX {
            return Poll::Pending;
        }
        let waker = cx.waker().clone();
        let mut state = self.lock();
        if *slot != UNREGISTERED {
            if !state.timers.has_fired(*slot) {
                let former = state.timers.set_waker(*slot, 0, Some(waker));
                drop(state);
                drop(former);
                return Poll::Pending;
            }
            // The clock was restarted between the wake-up and this poll. A wait that fired keeps no waker.
            let _ = state.timers.release(*slot);
        }
        let at = at.as_nanos();
        *slot = state.timers.insert(at, class, 0, Some(waker));
        // An alarm that is set too early costs one idle wake-up; it is never set too late.
        if at < state.set_for && !state.is_driver_awake {
            self.set_alarm(&mut state, at);
        }
        Poll::Pending
    }

    pub(crate) fn cancel_sleep(&self, slot: u32) {
        if slot != UNREGISTERED {
            let waker = self.lock().timers.release(slot);
            drop(waker);
        }
    }
}
