//! Waiting for a moment, and giving up at one.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use coldfront_clock::Instant;
use pin_project_lite::pin_project;

use crate::handle::Mode;

/// The number of no slot: the wait is not registered.
pub(crate) const UNREGISTERED: u32 = u32::MAX;

/// What a wait is for. Within one instant of sim the classes take turns in this order, and the waits of a class fire in the
/// order in which they were registered.
///
/// After each wait that fires, everything it makes runnable runs before the next one fires: so all work that the completions
/// of an instant set off is done before its timeouts are looked at, and its arrivals come last.
///
/// In live the classes only order waits that are found due by the same wake-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// An event of the scenario: a flush, a restart, a change of a setting.
    Event = 0,
    /// The end of modelled work or of any plain wait.
    Completion = 1,
    /// A deadline: what ends in its very instant is in time.
    Timeout = 2,
    /// New load: a request that arrives at `t` meets the state after all else that happens at `t`.
    Arrival = 3,
}

/// The time ran out before the work was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("deadline has elapsed")]
#[non_exhaustive]
pub struct Elapsed;

/// A wait for a moment, made by `Rt::sleep_until` and its kin.
///
/// # Cancel safety
///
/// Dropping it takes the deadline out of the timer at once; a cancelled deadline never moves the clock.
#[must_use = "futures do nothing unless polled"]
pub struct Sleep {
    mode: Mode,
    at: Instant,
    class: Class,
    slot: u32,
}

pin_project! {
    /// Work with a deadline, made by `Rt::timeout_at`.
    ///
    /// # Cancel safety
    ///
    /// Dropping it drops the work and the deadline.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct Timeout<F> {
        #[pin]
        work: F,
        deadline: Sleep,
    }
}

// === impl Sleep ===

impl Sleep {
    pub(crate) fn new(mode: Mode, at: Instant, class: Class) -> Self {
        Self { mode, at, class, slot: UNREGISTERED }
    }

    /// The moment waited for.
    pub fn deadline(&self) -> Instant {
        self.at
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        match &this.mode {
            Mode::Sim(token) => token.poll_sleep(this.at, this.class, &mut this.slot, cx),
            Mode::Live(live) => live.timers.poll_sleep(this.at, this.class, &mut this.slot, cx),
        }
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if self.slot != UNREGISTERED {
            match &self.mode {
                Mode::Sim(token) => token.cancel_sleep(self.slot),
                Mode::Live(live) => live.timers.cancel_sleep(self.slot),
            }
        }
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sleep").field("deadline", &self.at).field("class", &self.class).finish_non_exhaustive()
    }
}

// === impl Timeout ===

impl<F> Timeout<F> {
    pub(crate) fn new(work: F, deadline: Sleep) -> Self {
        Self { work, deadline }
    }
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, Elapsed>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Poll::Ready(output) = this.work.poll(cx) {
            return Poll::Ready(Ok(output));
        }
        Pin::new(this.deadline).poll(cx).map(|()| Err(Elapsed))
    }
}
