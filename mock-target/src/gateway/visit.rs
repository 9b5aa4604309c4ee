//! One request's stay at the gateway, from admission to answer.

use super::{Door, Gateway, Refusal, Turn};
use coldfront_clock::Instant;
use coldfront_protection::queue::{Freed, Ticket};
use coldfront_scenarios::Series;
use std::future::poll_fn;
use std::task::Waker;
use std::time::Duration;

/// Holds the request's place: a worker, a place in the queue, or only its number among those in flight. Dropping it gives
/// back what is held, at that instant.
#[derive(Debug)]
pub(crate) struct Visit<'a> {
    gateway: &'a Gateway,
    holds: Holds,
}

#[derive(Clone, Copy, Debug)]
enum Holds {
    /// There are no workers to hold.
    Nothing,
    Worker,
    Place {
        /// In the wait list.
        number: usize,
        /// In the queue.
        ticket: Ticket,
        since: Instant,
    },
}

impl<'a> Visit<'a> {
    pub(super) const fn without_worker(gateway: &'a Gateway) -> Self {
        Self { gateway, holds: Holds::Nothing }
    }

    pub(super) const fn served(gateway: &'a Gateway) -> Self {
        Self { gateway, holds: Holds::Worker }
    }

    pub(super) const fn waiting(gateway: &'a Gateway, number: usize, ticket: Ticket, since: Instant) -> Self {
        Self { gateway, holds: Holds::Place { number, ticket, since } }
    }

    /// Waits for a worker until `deadline` at most; gives the time it took.
    pub(super) async fn wait(&mut self, deadline: Instant) -> Result<Duration, Refusal> {
        let Holds::Place { number, since, .. } = self.holds else { return Ok(Duration::ZERO) };
        let gateway = self.gateway;
        let turn = poll_fn(|cx| gateway.lock().waits.poll(number, cx));
        let turn = gateway.rt.timeout_at(deadline, turn).await;
        let now = gateway.rt.now();
        let waited = now.since(since);
        let mut report = gateway.meter.at(now);
        report.observe(Series::GatewayQueueWait, waited);
        match turn {
            Ok(Turn::Served) => {
                self.holds = Holds::Worker;
                return Ok(waited);
            }
            // The wait list has told and forgotten it; the queue as well.
            Ok(Turn::Expired) => self.holds = Holds::Nothing,
            Err(_elapsed) => {}
        }
        report.count(Series::GatewayQueueTimeouts);
        report.count(Series::GatewayShed);
        drop(report);
        Err(Refusal::shed("waited too long in the queue"))
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        let gateway = self.gateway;
        let mut told = Told::default();
        let mut door = gateway.lock();
        let now = gateway.rt.now();
        match self.holds {
            Holds::Nothing => {}
            Holds::Worker => door.release(now, &mut told),
            Holds::Place { number, ticket, .. } => {
                if let Some(station) = &mut door.station {
                    station.cancel(ticket);
                }
                // Handed over at the very instant at which the client gave up: the worker goes on to the next.
                if door.waits.leave(number) == Some(Turn::Served) {
                    door.release(now, &mut told);
                }
            }
        }
        door.in_flight -= 1;
        door.show(&mut gateway.meter.at(now));
        drop(door);
        told.wake();
    }
}

/// Wakers to be woken once the lock is let go. A release tells one waiter, and rarely some expired ones as well.
#[derive(Debug, Default)]
struct Told {
    one: Option<Waker>,
    more: Vec<Waker>,
}

impl Told {
    fn push(&mut self, waker: Option<Waker>) {
        if let Some(waker) = waker
            && let Some(former) = self.one.replace(waker)
        {
            self.more.push(former);
        }
    }

    fn wake(self) {
        // In the order in which they were told; `one` is the last.
        self.more.into_iter().chain(self.one).for_each(Waker::wake);
    }
}

impl Door {
    /// Hands a freed worker to the oldest waiter whose deadline has not passed.
    fn release(&mut self, now: Instant, told: &mut Told) {
        let Some(station) = &mut self.station else { return };
        loop {
            match station.release(now) {
                Freed::HandedTo { item, .. } => {
                    told.push(self.waits.tell(item, Turn::Served));
                    return;
                }
                Freed::Expired(item) => told.push(self.waits.tell(item, Turn::Expired)),
                Freed::Idle => return,
            }
        }
    }
}
