//! Who waits and who works: the book-keeping of one stream's requests and connections.
//!
//! No clock, no wait, no connection: `now` is an argument, a decision is a value. Each place (a number below the maximum of
//! connections) is one worker with at most one connection. Requests without a connection wait in one queue in intended
//! order; its first `admitted` are inside the in-flight bound, the rest wait by policy.
//!
//! Invariants: a request waits inside the bound only if no worker is idle; one waits by policy only if the bound is reached;
//! for each request that waits inside the bound a worker is coming, if there are places.

use coldfront_clock::Instant;
use coldfront_measure::Arrival;
use coldfront_scenarios::{Connections, InFlight, InFlightPolicy};
use std::collections::VecDeque;
use std::time::Duration;

/// A request that was taken up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) arrival: Arrival,
    /// When it has waited long enough; [`Instant::MAX`] for never.
    pub(super) deadline: Instant,
    /// When the generator took it up.
    pub(super) taken_up_at: Instant,
    /// When it entered the in-flight bound.
    admitted_at: Instant,
    /// How long it then waited for a connection, once it has one.
    pub(super) connect: Option<Duration>,
    /// When it got one.
    pub(super) connected_at: Instant,
}

/// What became of an offered request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    /// The idle worker at this place has it now: wake it.
    Handed(usize),
    /// It waits, and a worker is to be started at this place to open a connection.
    Connect(usize),
    /// It waits.
    Waiting,
    /// It is not to be sent, by policy.
    Dropped,
}

/// What a worker with a connection does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It sends this request.
    Send(Job),
    /// The request in front has waited too long and is not sent; then it asks again.
    Expired(Job),
    /// Nothing to do: it is idle now.
    Idle,
    /// The attack is over.
    Over,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Vacant,
    /// The worker will ask for a request: it opens a connection, or has just finished with another request.
    Coming,
    Idle,
    Busy(Job),
}

/// The book of one stream.
#[derive(Debug)]
pub(super) struct Pool {
    places: Vec<Place>,
    vacant: Vec<usize>,
    /// Idle places, the one used last at the end: it is used first again.
    idle: Vec<usize>,
    coming: usize,
    busy: usize,
    waiting: VecDeque<Job>,
    /// How many of the waiting are inside the in-flight bound: the first so many.
    admitted: usize,
    in_flight_max: usize,
    queue_capacity: usize,
    is_over: bool,
}

// === impl Job ===

impl Job {
    /// A request that is taken up at `now`.
    pub(super) fn new(arrival: Arrival, deadline: Instant, now: Instant) -> Self {
        Self { arrival, deadline, taken_up_at: now, admitted_at: now, connect: None, connected_at: now }
    }

    fn connected(mut self, now: Instant) -> Self {
        self.connect = Some(now.since(self.admitted_at));
        self.connected_at = now;
        self
    }
}

// === impl Pool ===

impl Pool {
    pub(super) fn new(connections: Connections, in_flight: InFlight) -> Self {
        let places = connections.max.max(1) as usize;
        let queue_capacity = match in_flight.policy {
            InFlightPolicy::Drop => 0,
            InFlightPolicy::Queue { capacity } => capacity as usize,
        };
        Self {
            places: vec![Place::Vacant; places],
            vacant: (0..places).rev().collect(),
            idle: Vec::new(),
            coming: 0,
            busy: 0,
            waiting: VecDeque::new(),
            admitted: 0,
            in_flight_max: in_flight.max.max(1) as usize,
            queue_capacity,
            is_over: false,
        }
    }

    /// How many workers there can be.
    pub(super) fn places(&self) -> usize {
        self.places.len()
    }

    /// Whether no request is without an outcome.
    pub(super) fn is_settled(&self) -> bool {
        self.busy == 0 && self.waiting.is_empty()
    }

    /// When the request that waits longest has waited too long.
    pub(super) fn earliest_deadline(&self) -> Option<Instant> {
        self.waiting.front().map(|job| job.deadline)
    }

    /// Takes in a request.
    pub(super) fn offer(&mut self, job: Job) -> Offer {
        if self.busy + self.admitted >= self.in_flight_max {
            if self.waiting.len() - self.admitted >= self.queue_capacity {
                return Offer::Dropped;
            }
            self.waiting.push_back(job);
            return Offer::Waiting;
        }
        if let Some(place) = self.idle.pop() {
            self.busy += 1;
            self.places[place] = Place::Busy(job.connected(job.taken_up_at));
            return Offer::Handed(place);
        }
        self.waiting.push_back(job);
        self.admitted += 1;
        self.more_connections().map_or(Offer::Waiting, Offer::Connect)
    }

    /// A place for one more worker that connects, if one more is needed and there is a place.
    fn more_connections(&mut self) -> Option<usize> {
        if self.coming >= self.admitted {
            return None;
        }
        let place = self.vacant.pop()?;
        self.places[place] = Place::Coming;
        self.coming += 1;
        Some(place)
    }

    /// Gives a place to a worker that brings an open connection with it; `None` if there is none.
    pub(super) fn join(&mut self) -> Option<usize> {
        let place = self.vacant.pop()?;
        self.places[place] = Place::Coming;
        self.coming += 1;
        Some(place)
    }

    /// What the worker at `place` does, whose connection is open and carries nothing.
    pub(super) fn next(&mut self, place: usize, now: Instant) -> Next {
        if self.is_over {
            return Next::Over;
        }
        let Some(job) = self.take_admitted() else {
            self.coming -= 1;
            self.idle.push(place);
            self.places[place] = Place::Idle;
            return Next::Idle;
        };
        if job.deadline <= now {
            self.promote(now);
            return Next::Expired(job);
        }
        let job = job.connected(now);
        self.coming -= 1;
        self.busy += 1;
        self.places[place] = Place::Busy(job);
        Next::Send(job)
    }

    /// The request that was handed to the idle worker at `place`, if one was.
    pub(super) fn handed(&self, place: usize) -> Option<Next> {
        match self.places[place] {
            Place::Busy(job) => Some(Next::Send(job)),
            _ if self.is_over => Some(Next::Over),
            _ => None,
        }
    }

    /// The worker at `place` lost its idle connection; `false` if a request was handed to it just before.
    pub(super) fn lost_idle(&mut self, place: usize) -> bool {
        if self.places[place] != Place::Idle {
            return false;
        }
        self.idle.retain(|idle| *idle != place);
        self.coming += 1;
        self.places[place] = Place::Coming;
        true
    }

    /// The request of the worker at `place` has its outcome; `false` if it was given one already, because the attack is over.
    pub(super) fn finish(&mut self, place: usize, now: Instant) -> bool {
        if !matches!(self.places[place], Place::Busy(_)) {
            return false;
        }
        self.busy -= 1;
        self.coming += 1;
        self.places[place] = Place::Coming;
        self.promote(now);
        true
    }

    /// Whether the worker at `place`, which has no connection, is to open one; if not, its place is free again.
    pub(super) fn should_connect(&mut self, place: usize) -> bool {
        if !self.is_over && self.coming <= self.admitted {
            return true;
        }
        self.coming -= 1;
        self.places[place] = Place::Vacant;
        self.vacant.push(place);
        false
    }

    /// The request to fail because a connection could not be opened: the one that has waited longest, if any waits.
    pub(super) fn take_failed(&mut self, now: Instant) -> Option<Job> {
        let job = self.take_admitted()?;
        self.promote(now);
        Some(job)
    }

    /// The next waiting request whose time is up at `now`.
    pub(super) fn take_expired(&mut self, now: Instant) -> Option<Job> {
        if self.earliest_deadline()? > now {
            return None;
        }
        let job = self.waiting.pop_front()?;
        if self.admitted > 0 {
            self.admitted -= 1;
            self.promote(now);
        }
        Some(job)
    }

    /// Ends the attack: returns every request without an outcome, in the order of their numbers.
    pub(super) fn end(&mut self) -> Vec<Job> {
        self.is_over = true;
        let mut left: Vec<Job> = self.waiting.drain(..).collect();
        for place in &mut self.places {
            if let Place::Busy(job) = *place {
                left.push(job);
                *place = Place::Vacant;
            }
        }
        (self.admitted, self.busy) = (0, 0);
        left.sort_unstable_by_key(|job| job.arrival.sequence);
        left
    }

    fn take_admitted(&mut self) -> Option<Job> {
        if self.admitted == 0 {
            return None;
        }
        self.admitted -= 1;
        self.waiting.pop_front()
    }

    /// Lets the next request that waits by policy into the in-flight bound, if it has room.
    fn promote(&mut self, now: Instant) {
        while self.busy + self.admitted < self.in_flight_max && self.admitted < self.waiting.len() {
            self.waiting[self.admitted].admitted_at = now;
            self.admitted += 1;
        }
    }
}
