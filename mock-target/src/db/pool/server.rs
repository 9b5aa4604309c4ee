//! The database server as a pool sees it, and the books of the connections to it.

use super::connect::Connect;
use crate::gateway::lock;
use crate::law::Sampler;
use crate::meter::Meter;
use coldfront_clock::Instant;
use coldfront_protection::pool::{Books, ConnectEnd, Levels, Purpose};
use coldfront_rt::{Rt, Stream};
use coldfront_scenarios::{Pool as PoolSpec, Series};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::Notify;

const CONNECT: Stream = Stream::named("db.connect");

/// Accepts connections up to its limit, each after connect and authentication, and keeps the books of all of them.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) rt: Rt,
    pub(super) meter: Meter,
    connect: Sampler,
    max_connections: Option<u32>,
    state: Mutex<State>,
    /// A connection has become spare, or there is room for one: an acquire that waits for either looks again.
    room: Notify,
    /// There is a connection less: who keeps a watermark looks again.
    pub(super) fewer: Notify,
}

#[derive(Debug)]
struct State {
    books: Books,
    /// Connections that fills have opened and nobody has used yet. They count as idle.
    spare: u32,
    /// Connects so far, which numbers them for their draws.
    connects: u64,
    /// Connections that the server has accepted or is accepting.
    accepted: u32,
    /// How often the server has closed every connection.
    era: u64,
    /// Fills that wait before they try again.
    backing_off: u32,
    /// What the gauges show.
    shown: Levels,
    is_retired: bool,
}

/// The server accepts no more connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ConnectRefused;

/// An open connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opened {
    /// The era in which it was opened; once the server's has moved on, it is closed.
    pub(super) era: u64,
}

impl Server {
    pub(super) fn new(spec: &PoolSpec, max_connections: Option<u32>, rt: &Rt, meter: &Meter, now: Instant) -> Self {
        let state = State {
            books: Books::new(spec.max),
            spare: 0,
            connects: 0,
            accepted: 0,
            era: 0,
            backing_off: 0,
            shown: Levels::default(),
            is_retired: false,
        };
        let mut report = meter.at(now);
        for series in [Series::DbPoolSize, Series::DbPoolIdle, Series::DbPoolConnecting, Series::DbPoolWaiters] {
            report.gauge(series, 0);
        }
        drop(report);
        Self {
            rt: rt.clone(),
            meter: meter.clone(),
            connect: Sampler::new(&spec.connect),
            max_connections,
            state: Mutex::new(state),
            room: Notify::new(),
            fewer: Notify::new(),
        }
    }

    // --- connections for acquires ---

    /// A connection for an acquire: a spare one, or else a new one. While the pool is at its maximum because fills are at
    /// work, it waits for what they open. The connection is in use from then on.
    pub(super) async fn open_for_acquire(&self) -> Result<Opened, ConnectRefused> {
        loop {
            match self.take_spare_or_start() {
                Some(Ok(spare)) => return Ok(spare),
                Some(Err(connect)) => return connect.run().await,
                None => self.room.notified().await,
            }
        }
    }

    fn take_spare_or_start(&self) -> Option<Result<Opened, Connect<'_>>> {
        let mut state = self.lock();
        if state.spare > 0 {
            state.spare -= 1;
            state.books.take();
            if state.spare > 0 {
                // One notification may have stood for several spares.
                self.room.notify_one();
            }
            return Some(Ok(Opened { era: state.era }));
        }
        self.start(&mut state, Purpose::Acquire).map(Err)
    }

    /// An acquire has got its connection. `was_idle`: out of the pool's own idle ones.
    pub(super) fn acquired(&self, was_idle: bool, has_waited: bool) {
        let mut state = self.lock();
        if was_idle {
            state.books.take();
        }
        if has_waited {
            state.books.acquire_ended();
        }
        self.show(&mut state);
    }

    /// An acquire has to wait.
    pub(super) fn acquire_waits(&self) {
        let mut state = self.lock();
        state.books.acquire_waits();
        self.show(&mut state);
    }

    /// An acquire ends without a connection.
    pub(super) fn acquire_failed(&self, has_waited: bool) {
        let mut state = self.lock();
        if has_waited {
            state.books.acquire_ended();
        }
        self.show(&mut state);
    }

    /// A connection in use comes back. `false`: the server has closed it meanwhile, and so must the pool.
    pub(super) fn give_back(&self, connection: Opened) -> bool {
        let mut state = self.lock();
        let is_open = connection.era == state.era;
        if is_open {
            state.books.give_back();
        } else {
            state.books.close_in_use();
            state.accepted -= 1;
            self.tell_of_fewer(Purpose::Acquire);
        }
        self.show(&mut state);
        is_open
    }

    // --- connections for fills ---

    /// Begins to open one more connection, if the pool holds fewer than `watermark`.
    pub(super) fn start_fill(&self, watermark: u32) -> Option<Connect<'_>> {
        let mut state = self.lock();
        if state.is_retired || state.books.missing(watermark) == 0 {
            return None;
        }
        self.start(&mut state, Purpose::Fill)
    }

    /// How many connections short of `watermark` the pool is, those apart that a fill is about to try again.
    pub(super) fn missing(&self, watermark: u32) -> u32 {
        let state = self.lock();
        state.books.missing(watermark).saturating_sub(state.backing_off)
    }

    /// Waits before a fill tries again.
    pub(super) async fn back_off(&self, wait: Duration) {
        self.lock().backing_off += 1;
        self.rt.sleep(wait).await;
        self.lock().backing_off -= 1;
    }

    // --- the server's side ---

    /// Closes every connection: spare ones and those that `drop_idle` takes out of the pool and counts, now; those in use
    /// when they come back. Connects under way go on.
    pub(super) fn kill(&self, drop_idle: impl FnOnce() -> u32) {
        let mut state = self.lock();
        state.era += 1;
        let closed = std::mem::take(&mut state.spare) + drop_idle();
        state.books.close_idle(closed);
        state.accepted -= closed;
        self.tell_of_fewer(Purpose::Acquire);
        self.show(&mut state);
    }

    /// Ends the fills.
    pub(super) fn retire(&self) {
        self.lock().is_retired = true;
        self.fewer.notify_one();
    }

    pub(super) fn is_retired(&self) -> bool {
        self.lock().is_retired
    }

    pub(super) fn levels(&self) -> Levels {
        self.lock().books.levels()
    }

    fn start(&self, state: &mut State, purpose: Purpose) -> Option<Connect<'_>> {
        if !state.books.start_connect(purpose) {
            return None;
        }
        let now = self.rt.now();
        self.meter.at(now).count(Series::DbConnects);
        let is_accepted = self.max_connections.is_none_or(|max| state.accepted < max);
        state.accepted += u32::from(is_accepted);
        let time = self.connect.draw(|| self.rt.random(CONNECT, state.connects));
        state.connects += 1;
        self.show(state);
        Some(Connect::new(self, purpose, is_accepted, now, time))
    }

    /// A connect has led to a connection.
    pub(super) fn opened(&self, purpose: Purpose, started: Instant) -> Opened {
        let mut state = self.lock();
        let now = self.rt.now();
        self.meter.at(now).observe(Series::DbConnect, now.since(started));
        state.books.end_connect(purpose, ConnectEnd::Opened);
        // An acquire shows the levels itself in this same instant, once it has also stopped waiting.
        if purpose == Purpose::Fill {
            state.spare += 1;
            self.show(&mut state);
            self.room.notify_one();
        }
        Opened { era: state.era }
    }

    /// A connect was refused.
    pub(super) fn refused(&self, purpose: Purpose) {
        let mut state = self.lock();
        state.books.end_connect(purpose, ConnectEnd::Gone);
        // As above: an acquire has not stopped waiting yet, and does so in this same instant.
        if purpose == Purpose::Fill {
            self.show(&mut state);
        }
        self.tell_of_fewer(purpose);
    }

    /// A connect was given up by who ran it.
    pub(super) fn given_up(&self, purpose: Purpose, was_accepted: bool) {
        let mut state = self.lock();
        state.books.end_connect(purpose, ConnectEnd::Gone);
        state.accepted -= u32::from(was_accepted);
        self.show(&mut state);
        self.tell_of_fewer(purpose);
    }

    /// A fill knows itself that it has to try again; of all else that leaves the pool smaller, the keeper is told.
    fn tell_of_fewer(&self, purpose: Purpose) {
        self.room.notify_one();
        if purpose == Purpose::Acquire {
            self.fewer.notify_one();
        }
    }

    /// Brings the gauges up to date.
    fn show(&self, state: &mut State) {
        let levels = state.books.levels();
        if levels == state.shown {
            return;
        }
        let shown = std::mem::replace(&mut state.shown, levels);
        let mut report = self.meter.at(self.rt.now());
        let mut show = |series, before: u32, level: u32| {
            if level != before {
                report.gauge(series, u64::from(level));
            }
        };
        show(Series::DbPoolSize, shown.size, levels.size);
        show(Series::DbPoolIdle, shown.idle, levels.idle);
        show(Series::DbPoolConnecting, shown.connecting, levels.connecting);
        show(Series::DbPoolWaiters, shown.waiters, levels.waiters);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}
