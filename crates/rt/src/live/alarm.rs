//! An alarm clock: wakes its one listener at the moment it was last set for.

#[cfg(target_os = "linux")]
mod timerfd;

mod thread;

use std::io;

use coldfront_clock::Instant;

use super::clock::Clock;

/// Which way of waking is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A timerfd that the runtime's reactor watches.
    #[cfg(target_os = "linux")]
    Timerfd,
    /// A thread that waits on a condition variable.
    Thread,
}

/// Sets the moment at which the paired [`Listener`] wakes.
#[derive(Debug)]
pub(super) enum Alarm {
    #[cfg(target_os = "linux")]
    Timerfd(timerfd::Alarm),
    Thread(thread::Alarm),
}

/// Waits for the alarm.
#[derive(Debug)]
pub(super) enum Listener {
    #[cfg(target_os = "linux")]
    Timerfd(timerfd::Listener),
    Thread(thread::Listener),
}

// === impl Kind ===

impl Kind {
    /// Every kind there is on this system, the best first.
    pub(super) const ALL: &[Self] = &[
        #[cfg(target_os = "linux")]
        Self::Timerfd,
        Self::Thread,
    ];

    /// An alarm of this kind and its listener, on the runtime that is current.
    pub(super) fn start(self, clock: &Clock) -> io::Result<(Alarm, Listener)> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Timerfd => {
                timerfd::start(clock).map(|(alarm, listener)| (Alarm::Timerfd(alarm), Listener::Timerfd(listener)))
            }
            Self::Thread => {
                thread::start(clock).map(|(alarm, listener)| (Alarm::Thread(alarm), Listener::Thread(listener)))
            }
        }
    }
}

// === impl Alarm ===

impl Alarm {
    /// The first kind of alarm that the system grants: a sandbox may refuse a timerfd.
    pub(super) fn best(clock: &Clock) -> io::Result<(Self, Listener)> {
        let mut refused = None;
        for kind in Kind::ALL {
            match kind.start(clock) {
                Ok(alarm) => return Ok(alarm),
                Err(error) => refused = Some(error),
            }
        }
        Err(refused.unwrap_or_else(|| io::ErrorKind::Unsupported.into()))
    }

    /// Wakes the listener at `at`, and no longer at the moment set before; at once if `at` is reached.
    pub(super) fn set(&self, at: Instant) {
        match self {
            #[cfg(target_os = "linux")]
            Self::Timerfd(alarm) => alarm.set(at),
            Self::Thread(alarm) => alarm.set(at),
        }
    }
}

// === impl Listener ===

impl Listener {
    /// Waits for the alarm. It may also wake with nothing due.
    pub(super) async fn rung(&mut self) {
        match self {
            #[cfg(target_os = "linux")]
            Self::Timerfd(listener) => listener.rung().await,
            Self::Thread(listener) => listener.rung().await,
        }
    }
}
