//! The handle that everything else is written against.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use coldfront_clock::Instant;

use crate::join::JoinHandle;
use crate::live::Live;
use crate::random::{Draws, Stream};
use crate::sim::Token;
use crate::sleep::{Class, Sleep, Timeout};

/// The run's clock, timers, tasks and chance.
///
/// Cheap to clone: a number or two in sim, a reference count in live. A handle is good for the run that made it. In sim it
/// works on the run's own thread; in live it may be used from any thread.
///
/// # Panics
///
/// In sim every method but [`Rt::seed`], [`Rt::random`] and [`Rt::is_sim`] panics outside the run that made the handle.
#[derive(Clone)]
pub struct Rt {
    pub(crate) mode: Mode,
}

/// Which of the two executors is behind a handle.
#[derive(Clone)]
pub(crate) enum Mode {
    Live(Arc<Live>),
    Sim(Token),
}

// === impl Rt ===

impl Rt {
    /// The present moment: virtual in sim, monotonic in live.
    #[inline]
    pub fn now(&self) -> Instant {
        match &self.mode {
            Mode::Sim(token) => token.now(),
            Mode::Live(live) => live.now(),
        }
    }

    /// Waits until `at`, as a [`Class::Completion`].
    ///
    /// A moment that is reached completes at the first poll, without yielding. [`Instant::MAX`] never comes.
    pub fn sleep_until(&self, at: Instant) -> Sleep {
        self.sleep_until_class(at, Class::Completion)
    }

    /// Waits until the turn of `class` within the instant `at`; see [`Class`].
    pub fn sleep_until_class(&self, at: Instant, class: Class) -> Sleep {
        Sleep::new(self.mode.clone(), at, class)
    }

    /// Waits for `duration` from the time of this call. Zero completes at the first poll, without yielding.
    pub fn sleep(&self, duration: Duration) -> Sleep {
        self.sleep_until(self.now() + duration)
    }

    /// Runs `work`, but gives up at `at`.
    ///
    /// The work is polled first, and only if it is pending is a timer registered (as a [`Class::Timeout`]). Work that ends in
    /// the very instant `at` is in time.
    pub fn timeout_at<F: Future>(&self, at: Instant, work: F) -> Timeout<F> {
        Timeout::new(work, self.sleep_until_class(at, Class::Timeout))
    }

    /// Starts a task and returns the handle to its output; dropping the handle lets the task run on.
    ///
    /// `kind` names what the task does, such as `"request"`; errors about a run name tasks by it. The task is polled for the
    /// first time after the tasks that are already runnable. A panic in it ends the run.
    pub fn spawn<F>(&self, kind: &'static str, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        match &self.mode {
            Mode::Sim(token) => token.spawn(kind, future),
            Mode::Live(live) => live.spawn(kind, future),
        }
    }

    /// Starts a task whose end nobody waits for: like [`Rt::spawn`] with the handle dropped, at about half the cost.
    pub fn spawn_detached<F>(&self, kind: &'static str, future: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        match &self.mode {
            Mode::Sim(token) => token.spawn_detached(kind, false, future),
            Mode::Live(live) => drop(live.spawn(kind, future)),
        }
    }

    /// Starts a task that lasts as long as the run: it does not keep the run alive, and is dropped when the main future ends.
    ///
    /// For control loops, such as an autoscaler. A panic in it ends the run.
    pub fn spawn_daemon<F>(&self, kind: &'static str, future: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        match &self.mode {
            Mode::Sim(token) => token.spawn_detached(kind, true, future),
            Mode::Live(live) => drop(live.spawn(kind, future)),
        }
    }

    /// The draws of `stream` for the request or entity `id`: always the same ones for the same seed.
    #[inline]
    pub fn random(&self, stream: Stream, id: u64) -> Draws {
        stream.draws(self.seed(), id)
    }

    /// Whether time is virtual.
    #[inline]
    pub fn is_sim(&self) -> bool {
        matches!(self.mode, Mode::Sim(_))
    }

    /// The run's seed.
    #[inline]
    pub fn seed(&self) -> u64 {
        match &self.mode {
            Mode::Sim(token) => token.seed(),
            Mode::Live(live) => live.seed(),
        }
    }
}

impl fmt::Debug for Rt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rt").field("is_sim", &self.is_sim()).field("seed", &self.seed()).finish()
    }
}
