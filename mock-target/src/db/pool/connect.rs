//! One connect, from its start to an open connection or to nothing.

use super::server::{ConnectRefused, Opened, Server};
use coldfront_clock::Instant;
use coldfront_protection::pool::Purpose;
use coldfront_scenarios::Series;
use std::time::Duration;

/// A connect under way. Dropping it gives it up, and the server forgets it at once.
#[must_use = "a connect that is dropped is given up"]
pub(super) struct Connect<'a> {
    server: &'a Server,
    purpose: Purpose,
    /// Whether the server will accept it. It says so at the end: it has to accept the socket to send its refusal.
    is_accepted: bool,
    started: Instant,
    time: Duration,
    is_over: bool,
}

impl<'a> Connect<'a> {
    pub(super) const fn new(
        server: &'a Server,
        purpose: Purpose,
        is_accepted: bool,
        started: Instant,
        time: Duration,
    ) -> Self {
        Self { server, purpose, is_accepted, started, time, is_over: false }
    }

    /// Waits for connect and authentication.
    pub(super) async fn run(mut self) -> Result<Opened, ConnectRefused> {
        let server = self.server;
        if !self.time.is_zero() {
            server.rt.sleep_until(self.started + self.time).await;
        }
        if !self.is_accepted {
            server.meter.at(server.rt.now()).count(Series::DbConnectFailures);
            self.is_over = true;
            server.refused(self.purpose);
            return Err(ConnectRefused);
        }
        self.is_over = true;
        Ok(server.opened(self.purpose, self.started))
    }
}

impl Drop for Connect<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.server.given_up(self.purpose, self.is_accepted);
        }
    }
}
