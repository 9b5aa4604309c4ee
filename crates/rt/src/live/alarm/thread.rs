//! The alarm where there is no timerfd: a thread that waits on a condition variable.

use std::io;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use coldfront_clock::Instant;
use tokio::sync::Notify;

use crate::live::clock::Clock;

/// Sets the moment at which the paired [`Listener`] wakes.
#[derive(Debug)]
pub(in crate::live) struct Alarm {
    shared: Arc<Shared>,
}

/// Waits for the alarm.
#[derive(Debug)]
pub(in crate::live) struct Listener {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    clock: Clock,
    /// The moment set, or none if the alarm has gone off or was never set.
    setting: Mutex<Setting>,
    changed: Condvar,
    rung: Notify,
}

#[derive(Debug)]
struct Setting {
    at: Option<Instant>,
    closed: bool,
}

/// An alarm and its listener.
pub(super) fn start(clock: &Clock) -> io::Result<(Alarm, Listener)> {
    let shared = Arc::new(Shared {
        clock: clock.clone(),
        setting: Mutex::new(Setting { at: None, closed: false }),
        changed: Condvar::new(),
        rung: Notify::new(),
    });
    let waiting = Arc::clone(&shared);
    thread::Builder::new().name("coldfront-alarm".into()).spawn(move || waiting.wait())?;
    Ok((Alarm { shared: Arc::clone(&shared) }, Listener { shared }))
}

// === impl Shared ===

impl Shared {
    fn wait(&self) {
        let mut setting = self.setting.lock().expect("nothing under this lock can panic");
        while !setting.closed {
            setting = match setting.at.map(|at| at.since(self.clock.now())) {
                None => self.changed.wait(setting).expect("nothing under this lock can panic"),
                Some(left) if left.is_zero() => {
                    setting.at = None;
                    self.rung.notify_one();
                    setting
                }
                Some(left) => self.changed.wait_timeout(setting, left).expect("nothing under this lock can panic").0,
            };
        }
    }
}

// === impl Alarm ===

impl Alarm {
    /// Wakes the listener at `at`, and no longer at the moment set before; at once if `at` is reached.
    pub(super) fn set(&self, at: Instant) {
        self.shared.setting.lock().expect("nothing under this lock can panic").at = Some(at);
        self.shared.changed.notify_one();
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.shared.setting.lock().expect("nothing under this lock can panic").closed = true;
        self.shared.changed.notify_one();
    }
}

// === impl Listener ===

impl Listener {
    /// Waits for the alarm.
    pub(super) async fn rung(&mut self) {
        self.shared.rung.notified().await;
    }
}
