//! The few combinators that a run needs: they poll in the order written, so they are the same every time.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

/// The output of whichever of two futures finished first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Either<A, B> {
    /// The first future finished.
    First(A),
    /// The second future finished, and the first had not.
    Second(B),
}

pin_project! {
    /// The future of [`race`].
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct Race<A, B> {
        #[pin]
        first: A,
        #[pin]
        second: B,
    }
}

pin_project! {
    /// The future of [`join_all`].
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct JoinAll<F: Future> {
        running: Vec<Option<Pin<Box<F>>>>,
        outputs: Vec<Option<F::Output>>,
        left: usize,
    }
}

/// Waits for whichever of two futures finishes first; the first is always polled first, so it wins a tie.
///
/// The loser is dropped with the returned future. Cost: both are polled at each wake-up.
pub fn race<A: Future, B: Future>(first: A, second: B) -> Race<A, B> {
    Race { first, second }
}

/// Waits for all the futures and returns their outputs in the order given.
///
/// Cost: every unfinished future is polled at each wake-up, so it suits tens of futures, not thousands: spawn those.
pub fn join_all<F: Future>(futures: impl IntoIterator<Item = F>) -> JoinAll<F> {
    let running: Vec<_> = futures.into_iter().map(|future| Some(Box::pin(future))).collect();
    let left = running.len();
    JoinAll { outputs: running.iter().map(|_| None).collect(), running, left }
}

// === impl Race ===

impl<A: Future, B: Future> Future for Race<A, B> {
    type Output = Either<A::Output, B::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Poll::Ready(output) = this.first.poll(cx) {
            return Poll::Ready(Either::First(output));
        }
        this.second.poll(cx).map(Either::Second)
    }
}

// === impl JoinAll ===

impl<F: Future> Future for JoinAll<F> {
    type Output = Vec<F::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        for (running, output) in this.running.iter_mut().zip(this.outputs.iter_mut()) {
            let Some(future) = running else { continue };
            if let Poll::Ready(value) = future.as_mut().poll(cx) {
                *output = Some(value);
                *running = None;
                *this.left -= 1;
            }
        }
        if *this.left > 0 {
            return Poll::Pending;
        }
        Poll::Ready(this.outputs.iter_mut().filter_map(Option::take).collect())
    }
}
