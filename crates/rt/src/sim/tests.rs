//! The simulator, from outside except for a count of timers.

mod ends;
mod order;
mod repeat;
mod waking;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use coldfront_clock::Instant;

use crate::{Rt, Stop, sim};

/// What happened, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn push(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Writes to the log when it is dropped.
struct Tombstone {
    log: Log,
    text: &'static str,
}

impl Drop for Tombstone {
    fn drop(&mut self) {
        self.log.push(self.text);
    }
}

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

const fn at_ms(count: u64) -> Instant {
    Instant::after_start(ms(count))
}

/// Runs `main` with seed 1 and no stop.
fn simulate<F>(main: impl FnOnce(Rt) -> F) -> F::Output
where
    F: Future + Send + 'static,
{
    sim::run(1, Stop::new(), main).expect("the test's run ends by itself")
}

#[test]
fn handles_and_waits_may_cross_threads() {
    fn is_shareable<T: Send + Sync + Unpin>() {}
    fn is_movable<T: Send + Unpin>() {}
    is_shareable::<Rt>();
    is_shareable::<Stop>();
    is_shareable::<crate::live::Clock>();
    is_movable::<crate::Sleep>();
    is_movable::<crate::JoinHandle<String>>();
    is_movable::<crate::Draws>();
}
