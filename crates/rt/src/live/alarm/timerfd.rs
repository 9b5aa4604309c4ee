//! The alarm of Linux: a timerfd that the runtime's reactor watches.

use std::io;
use std::sync::Arc;

use coldfront_clock::Instant;
use rustix::fd::OwnedFd;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::live::clock::Clock;

/// Sets the moment at which the paired [`Listener`] wakes.
#[derive(Debug)]
pub(in crate::live) struct Alarm {
    timer: Arc<OwnedFd>,
    clock: Clock,
}

/// Waits for the alarm.
#[derive(Debug)]
pub(in crate::live) struct Listener {
    timer: AsyncFd<Arc<OwnedFd>>,
}

/// An alarm and its listener, on the runtime that is current.
pub(super) fn start(clock: &Clock) -> io::Result<(Alarm, Listener)> {
    let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
    let timer = Arc::new(timerfd_create(TimerfdClockId::Monotonic, flags)?);
    // The contract of its unsafe successor holds: the `Arc` keeps this one descriptor open as long as it is registered.
    #[expect(deprecated, reason = "the successor is an unsafe function, and this workspace has no unsafe code")]
    let listener = Listener { timer: AsyncFd::with_interest(Arc::clone(&timer), Interest::READABLE)? };
    Ok((Alarm { timer, clock: clock.clone() }, listener))
}

// === impl Alarm ===

impl Alarm {
    /// Wakes the listener at `at`, and no longer at the moment set before; at once if `at` is reached. One system call.
    pub(super) fn set(&self, at: Instant) {
        let ns = self.clock.monotonic_ns_of(at);
        let value = Timespec {
            tv_sec: i64::try_from(ns / 1_000_000_000).expect("2^64 ns are fewer than 2^63 s"),
            tv_nsec: i64::try_from(ns % 1_000_000_000).expect("a billion fits"),
        };
        // All-zero would disarm it, but the monotonic clock is never at zero.
        let setting = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
        timerfd_settime(&*self.timer, TimerfdTimerFlags::ABSTIME, &setting)
            .expect("the descriptor is a timer and the time is valid");
    }
}

// === impl Listener ===

impl Listener {
    /// Waits for the alarm.
    ///
    /// The expiry count is not read: the reactor is edge-triggered, every expiry is an edge, and setting the alarm anew
    /// clears the count. That saves a system call for each wake-up.
    pub(super) async fn rung(&mut self) {
        self.timer.readable().await.expect("the reactor outlives its tasks").clear_ready();
    }
}
