//! One worker: a connection at most, and one request at a time on it.

use super::lane::{Lane, connect};
use super::pool::{Job, Next};
use crate::transport::{Exchange, Request, Transport, TransportError};
use coldfront_clock::Instant;
use coldfront_measure::{ColdCosts, Parts, Sample};
use coldfront_rt::Rt;
use coldfront_scenarios::{Outcome, Series};
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

/// A worker at its place.
pub(super) struct Worker<T: Transport> {
    lane: Arc<Lane<T>>,
    place: usize,
    connection: Option<T::Connection>,
    /// Whether the connection was opened during the run and has carried nothing yet.
    is_new: bool,
}

/// How one attempt ended.
enum Attempt {
    Answered(Exchange),
    Failed(TransportError),
    TimedOut,
}

// === impl Worker ===

impl<T: Transport> Worker<T> {
    pub(super) fn new(lane: Arc<Lane<T>>, place: usize, connection: Option<T::Connection>) -> Self {
        Self { lane, place, connection, is_new: false }
    }

    /// Works until there is neither a connection nor a need for one, or the attack is over.
    pub(super) async fn run(mut self) {
        let mut upcoming = None;
        while self.has_connection().await {
            let mut next = match upcoming.take() {
                Some(next) => next,
                None => poll_fn(|cx| Poll::Ready(self.lane.next(self.place, cx))).await,
            };
            if next == Next::Idle {
                next = self.idle().await;
            }
            match next {
                Next::Send(job) => upcoming = self.serve(&job).await,
                Next::Expired(job) => {
                    self.lane.end_unsent(&job, Outcome::TimedOut, self.rt().now());
                    self.lane.tell_if_settled();
                }
                Next::Idle => self.close(),
                Next::Over => return,
            }
        }
    }

    fn rt(&self) -> &Rt {
        &self.lane.shared.rt
    }

    /// Opens a connection if there is none and a request waits for one; each failure is the end of one request.
    async fn has_connection(&mut self) -> bool {
        while self.connection.is_none() {
            if !self.lane.should_connect(self.place) {
                return false;
            }
            if let Err(error) = self.connect().await {
                self.lane.fail_waiting(error);
            }
        }
        true
    }

    async fn connect(&mut self) -> Result<(), TransportError> {
        let shared = &self.lane.shared;
        shared.recorder.count(Series::ClientConnects, shared.rt.now());
        let connection = connect(&shared.rt, &self.lane.transport).await?;
        shared.connection_opened();
        self.connection = Some(connection);
        self.is_new = true;
        Ok(())
    }

    fn close(&mut self) {
        if self.connection.take().is_some() {
            self.lane.shared.connection_closed();
        }
    }

    /// Waits to be handed a request; [`Next::Idle`] means that the connection was lost first.
    async fn idle(&mut self) -> Next {
        let (lane, place) = (&*self.lane, self.place);
        let connection = self.connection.as_mut().expect("an idle worker has a connection");
        let mut closed = pin!(lane.transport.closed(connection));
        let mut is_awake = true;
        poll_fn(|cx| {
            // It has only just become idle when it is here for the first time.
            if !std::mem::take(&mut is_awake)
                && let Some(next) = lane.handed(place, cx)
            {
                return Poll::Ready(next);
            }
            if closed.as_mut().poll(cx).is_ready() && lane.lost_idle(place) {
                Poll::Ready(Next::Idle)
            } else {
                Poll::Pending
            }
        })
        .await
    }

    /// Serves one request and settles its outcome; says what is next if the connection lives on.
    async fn serve(&mut self, job: &Job) -> Option<Next> {
        let arrival = &job.arrival;
        let id = arrival.id();
        let key = self.lane.mix.key(arrival.route, id);
        let request = Request { traffic: arrival.traffic, route: arrival.route, id, key };
        let mut sent_at = self.rt().now();
        // Everything but the waiting: what passed until it was taken up, and from its connection to here.
        let lateness = job.taken_up_at.since(arrival.intended_at) + sent_at.since(job.connected_at);
        let mut is_new = std::mem::take(&mut self.is_new);
        let mut attempt = self.attempt(job, &request, sent_at).await;
        if matches!(attempt, Attempt::Failed(TransportError::Stale)) {
            (sent_at, attempt) = self.attempt_afresh(job, &request).await;
            is_new = std::mem::take(&mut self.is_new);
        }
        let mut sample = Sample {
            arrival: *arrival,
            outcome: Outcome::TimedOut,
            status: None,
            ended_at: sent_at,
            parts: Parts { lateness, connect: job.connect, first_byte: None, transfer: None },
            cold: ColdCosts::default(),
            new_connection: is_new,
        };
        match attempt {
            Attempt::Answered(exchange) => self.answered(&exchange, sent_at, &mut sample),
            Attempt::Failed(error) => {
                self.lane.shared.count_error(error);
                (sample.outcome, sample.ended_at) = (Outcome::Failed, self.rt().now());
                self.close();
            }
            Attempt::TimedOut => {
                sample.ended_at = self.rt().now();
                self.close();
            }
        }
        let is_connected = self.connection.is_some();
        poll_fn(|cx| Poll::Ready(self.lane.finish(self.place, &sample, is_connected, cx))).await
    }

    /// One attempt on the connection at hand, until the request's deadline.
    async fn attempt(&mut self, job: &Job, request: &Request, sent_at: Instant) -> Attempt {
        let lane = &*self.lane;
        lane.shared.recorder.sent(&job.arrival, sent_at);
        let connection = self.connection.as_mut().expect("a worker that serves has a connection");
        // Pinned where it is made: in process it holds the whole target's state, and each move would copy that.
        let exchange = pin!(lane.transport.exchange(connection, request));
        match within(&lane.shared.rt, job.deadline, exchange).await {
            Some(Ok(exchange)) => Attempt::Answered(exchange),
            Some(Err(error)) => Attempt::Failed(error),
            None => Attempt::TimedOut,
        }
    }

    /// A second attempt, on a connection of its own, for a request that met a stale one. Returns when it was sent.
    async fn attempt_afresh(&mut self, job: &Job, request: &Request) -> (Instant, Attempt) {
        self.close();
        let lane = Arc::clone(&self.lane);
        let connected = within(&lane.shared.rt, job.deadline, pin!(self.connect())).await;
        let sent_at = lane.shared.rt.now();
        match connected {
            None => (sent_at, Attempt::TimedOut),
            Some(Err(error)) => (sent_at, Attempt::Failed(error)),
            Some(Ok(())) => (sent_at, self.attempt(job, request, sent_at).await),
        }
    }

    fn answered(&mut self, exchange: &Exchange, sent_at: Instant, sample: &mut Sample) {
        let route = &self.lane.spec().mix[usize::from(sample.arrival.route)];
        sample.outcome = match exchange.status {
            status if route.expects(status) => Outcome::Ok,
            429 => Outcome::Rejected,
            503 => Outcome::Shed,
            _ => Outcome::Failed,
        };
        sample.status = Some(exchange.status);
        sample.ended_at = exchange.completed_at;
        sample.parts.first_byte = Some(exchange.first_byte_at.since(sent_at));
        sample.parts.transfer = Some(exchange.completed_at.since(exchange.first_byte_at));
        sample.cold = exchange.cold;
        if !exchange.reusable {
            self.close();
        }
    }
}

/// The output of `work`, or `None` if it takes until after `deadline`.
async fn within<F: Future>(rt: &Rt, deadline: Instant, work: Pin<&mut F>) -> Option<F::Output> {
    if deadline == Instant::MAX { Some(work.await) } else { rt.timeout_at(deadline, work).await.ok() }
}
