//! The loop that takes arrivals up when they are due.

use super::lane::{Lane, Shared};
use super::{AttackEnd, AttackSummary};
use crate::schedule::{Due, Schedule};
use crate::transport::Transport;
use coldfront_clock::Instant;
use coldfront_rt::{Class, Stop};
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Poll, Waker};

/// How many arrivals are taken up before the workers get a turn, when more are due than that.
const BATCH: usize = 64;

/// All streams and their schedules.
pub(super) struct Driver<T: Transport> {
    shared: Arc<Shared>,
    streams: Vec<Stream<T>>,
    start: Instant,
    horizon: Instant,
    offered: u64,
    /// No request that waits for a connection has to be given up before this.
    first_deadline: Instant,
}

struct Stream<T: Transport> {
    lane: Arc<Lane<T>>,
    schedule: Schedule,
    /// The next arrival.
    next: Option<Due>,
}

/// What the driver waits for.
struct Wait {
    until: Instant,
    class: Class,
}

// === impl Driver ===

impl<T: Transport> Driver<T> {
    pub(super) fn new(shared: Arc<Shared>, lanes: Vec<Arc<Lane<T>>>, start: Instant, horizon: Instant) -> Self {
        let seed = shared.rt.seed();
        let streams = (0_u16..).zip(lanes).map(|(traffic, lane)| {
            let mut schedule = Schedule::new(lane.spec(), traffic, seed);
            for (stage, count) in (0_u16..).zip(schedule.planned()) {
                shared.recorder.planned(traffic, stage, count);
            }
            let next = schedule.next();
            Stream { lane, schedule, next }
        });
        let streams = streams.collect();
        Self { shared, streams, start, horizon, offered: 0, first_deadline: Instant::MAX }
    }

    pub(super) async fn drive(mut self, stop: Stop) -> AttackSummary {
        let end = self.until_the_end(&stop).await;
        let now = self.shared.rt.now();
        if end == AttackEnd::Horizon {
            // What was due is offered, however late we are: it counts.
            while self.offer_next(now.min(self.horizon), now) {}
        }
        for stream in &self.streams {
            stream.lane.end(now);
        }
        AttackSummary { end, ended_at: now, offered: self.offered, errors: self.shared.errors() }
    }

    async fn until_the_end(&mut self, stop: &Stop) -> AttackEnd {
        let shared = Arc::clone(&self.shared);
        let mut stopped = pin!(stop.requested());
        let mut registered: Option<Waker> = None;
        loop {
            let now = shared.rt.now();
            if stop.is_requested() {
                return AttackEnd::Stopped;
            }
            if now >= self.first_deadline {
                for stream in &self.streams {
                    stream.lane.expire(now);
                }
            }
            let all_taken = self.offer_due(now);
            if self.is_settled() {
                return AttackEnd::Settled;
            }
            if now >= self.horizon {
                return AttackEnd::Horizon;
            }
            let wait = self.next_wait();
            if !all_taken {
                yield_once().await;
                continue;
            }
            let mut sleep = shared.rt.sleep_until_class(wait.until, wait.class);
            let mut settled = pin!(shared.settled.notified());
            let is_draining = shared.is_draining.load(Ordering::Relaxed);
            poll_fn(|cx| {
                // The stop is asked for once at most: it is polled when somebody new has to be told of it, not each time.
                if !registered.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
                    registered = Some(cx.waker().clone());
                    if stopped.as_mut().poll(cx).is_ready() {
                        return Poll::Ready(());
                    }
                }
                let is_over = stop.is_requested()
                    || (is_draining && settled.as_mut().poll(cx).is_ready())
                    || Pin::new(&mut sleep).poll(cx).is_ready();
                if is_over { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
        }
    }

    /// Offers what is due at `now`; `false` if there may be more.
    fn offer_due(&mut self, now: Instant) -> bool {
        for _ in 0..BATCH {
            if !self.offer_next(now.min(self.horizon), now) {
                return true;
            }
        }
        false
    }

    /// Offers the next arrival over all streams if it is due by `until`; the first stream wins a tie.
    fn offer_next(&mut self, until: Instant, now: Instant) -> bool {
        let due_at = |stream: &&mut Stream<T>| stream.next.map_or(Instant::MAX, |due| due.at);
        let Some(stream) = self.streams.iter_mut().min_by_key(due_at) else { return false };
        match stream.next {
            Some(due) if self.start + due.at.since_start() <= until => {
                stream.next = stream.schedule.next();
                stream.lane.offer(due, self.start, now);
                self.offered += 1;
                true
            }
            _ => false,
        }
    }

    /// Whether all is offered and nothing is left without an outcome; also notes that all is offered.
    fn is_settled(&self) -> bool {
        if self.streams.iter().any(|stream| stream.next.is_some()) {
            return false;
        }
        self.shared.is_draining.store(true, Ordering::Relaxed);
        self.streams.iter().all(|stream| stream.lane.is_settled())
    }

    /// The next arrival, the next request that has waited long enough, or the horizon; of equal moments the earlier class.
    ///
    /// The horizon comes after everything else of its instant: a timeout that ends there is still a timeout.
    fn next_wait(&mut self) -> Wait {
        let deadlines = self.streams.iter().filter_map(|stream| stream.lane.earliest_deadline());
        self.first_deadline = deadlines.min().unwrap_or(Instant::MAX);
        let mut wait = Wait { until: self.horizon, class: Class::Arrival };
        for stream in &self.streams {
            if let Some(due) = stream.next {
                wait.until = wait.until.min(self.start + due.at.since_start());
            }
        }
        if self.first_deadline <= wait.until {
            wait = Wait { until: self.first_deadline, class: Class::Timeout };
        }
        wait
    }
}

impl<T: Transport> Drop for Driver<T> {
    fn drop(&mut self) {
        for stream in &self.streams {
            stream.lane.stop_workers();
        }
    }
}

/// Lets every other runnable task have a turn.
async fn yield_once() {
    let mut has_yielded = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
