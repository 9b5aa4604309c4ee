//! Connection pools: the books that every implementation keeps, and the plan that fills it.
//!
//! **Problem.** A connection costs a connect and an authentication, often more than the query it is for. A pool that starts
//! empty makes the first wave pay them all at once: the connect herd.
//!
//! **Rule.** Every connection is idle, in use or being opened; together they are the pool's size, which never exceeds its
//! maximum. An acquire that neither got a connection nor may open one waits. [`Books`] holds these numbers and refuses the
//! step that would break the bound; [`FillPlan`] says how many connections a warm-up opens, and how many at once.
//!
//! **Formula.** With connect time c, N connections and k connects at once, the pool is full after ⌈N / k⌉ × c
//! ([`FillPlan::fill_time`]). A lazy pool under n concurrent acquires starts min(n, N) connects. A full pool serves at most
//! N / (hold + test) per second; in a closed loop of n clients each waits (n / N − 1) × hold.
//!
//! **Source.** The fill laws of deadpool and sqlx (connect inside the acquire), r2d2 (three connects at once), asyncpg, `HikariCP`
//! (one adder), each in its own code.
//!
//! **When it fails.** A warm-up that runs beside the traffic competes with it for the same bound; a pool larger than the
//! server's own limit never fills.

use coldfront_clock::nanos_of;
use coldfront_scenarios::WarmUp;
use std::time::Duration;

/// The books of one pool. Invariant: idle + in use + connecting ≤ max.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Books {
    max: u32,
    idle: u32,
    in_use: u32,
    /// Connects that an acquire runs and waits for.
    connecting_for_acquire: u32,
    /// Connects that a fill runs.
    connecting_for_fill: u32,
    /// Acquires that have begun and not ended.
    acquiring: u32,
}

/// The levels of a pool, as the gauges show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Levels {
    /// Connections open or being opened.
    pub size: u32,
    /// Open connections that nobody holds.
    pub idle: u32,
    /// Connections being opened.
    pub connecting: u32,
    /// Acquires waiting because no connection is free and none may be opened.
    pub waiters: u32,
}

/// Who a connect is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// An acquire that waits for it; the connection is in use once open.
    Acquire,
    /// A warm-up; the connection is idle once open.
    Fill,
}

/// How a connect ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectEnd {
    /// The connection is open.
    Opened,
    /// It was refused, or its caller gave up.
    Gone,
}

impl Books {
    /// The books of an empty pool of at most `max` connections.
    pub const fn new(max: u32) -> Self {
        Self { max, idle: 0, in_use: 0, connecting_for_acquire: 0, connecting_for_fill: 0, acquiring: 0 }
    }

    /// The most connections there may be.
    pub const fn max(&self) -> u32 {
        self.max
    }

    /// Connections open or being opened.
    pub const fn size(&self) -> u32 {
        self.idle + self.in_use + self.connecting_for_acquire + self.connecting_for_fill
    }

    /// Connections that somebody holds.
    pub const fn in_use(&self) -> u32 {
        self.in_use
    }

    /// The levels at this moment.
    pub const fn levels(&self) -> Levels {
        Levels {
            size: self.size(),
            idle: self.idle,
            connecting: self.connecting_for_acquire + self.connecting_for_fill,
            waiters: self.acquiring.saturating_sub(self.connecting_for_acquire),
        }
    }

    /// How many connections short of `watermark` (at most the maximum) the pool is.
    pub const fn missing(&self, watermark: u32) -> u32 {
        let watermark = if watermark < self.max { watermark } else { self.max };
        watermark.saturating_sub(self.size())
    }

    /// An acquire has to wait: for a connect of its own, or for somebody else's connection.
    pub const fn acquire_waits(&mut self) {
        self.acquiring += 1;
    }

    /// An acquire that had to wait is over, with a connection or without.
    pub const fn acquire_ended(&mut self) {
        self.acquiring = self.acquiring.saturating_sub(1);
    }

    /// A connect wants to start; `false`, and nothing is noted, if the pool is at its maximum.
    pub const fn start_connect(&mut self, purpose: Purpose) -> bool {
        if self.size() >= self.max {
            return false;
        }
        match purpose {
            Purpose::Acquire => self.connecting_for_acquire += 1,
            Purpose::Fill => self.connecting_for_fill += 1,
        }
        true
    }

    /// A connect ended.
    pub const fn end_connect(&mut self, purpose: Purpose, end: ConnectEnd) {
        let (connecting, open) = match purpose {
            Purpose::Acquire => (&mut self.connecting_for_acquire, &mut self.in_use),
            Purpose::Fill => (&mut self.connecting_for_fill, &mut self.idle),
        };
        debug_assert!(*connecting > 0, "a connect ended that never started");
        *connecting = connecting.saturating_sub(1);
        if let ConnectEnd::Opened = end {
            *open += 1;
        }
    }

    /// An idle connection is handed out.
    pub const fn take(&mut self) {
        debug_assert!(self.idle > 0, "a connection was taken that was not idle");
        self.idle = self.idle.saturating_sub(1);
        self.in_use += 1;
    }

    /// A connection in use comes back.
    pub const fn give_back(&mut self) {
        debug_assert!(self.in_use > 0, "a connection came back that nobody held");
        self.in_use = self.in_use.saturating_sub(1);
        self.idle += 1;
    }

    /// `count` idle connections are closed.
    pub const fn close_idle(&mut self, count: u32) {
        debug_assert!(self.idle >= count, "more connections were closed than were idle");
        self.idle = self.idle.saturating_sub(count);
    }

    /// A connection in use is closed instead of coming back.
    pub const fn close_in_use(&mut self) {
        debug_assert!(self.in_use > 0, "a connection was closed that nobody held");
        self.in_use = self.in_use.saturating_sub(1);
    }
}

/// How a warm-up fills a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FillPlan {
    /// Connections that the pool shall hold.
    pub watermark: u32,
    /// Connects at once, at least 1.
    pub parallel: u32,
    /// Whether the target is not ready until the watermark is reached.
    pub gate: bool,
    /// Whether the watermark is kept for ever, or filled to once.
    pub keep: bool,
}

impl FillPlan {
    /// The plan of this warm-up for a pool of at most `max`; `None` for a lazy pool.
    pub fn of(warm_up: WarmUp, max: u32) -> Option<Self> {
        match warm_up {
            WarmUp::Lazy => None,
            WarmUp::MinIdle { min } => Some(Self { watermark: min.min(max), parallel: max, gate: false, keep: true }),
            WarmUp::Prewarm { to, parallel, gate } => {
                Some(Self { watermark: to.min(max), parallel: parallel.max(1), gate, keep: false })
            }
        }
    }

    /// How many connects run at once to open `missing` connections.
    pub fn workers(&self, missing: u32) -> u32 {
        missing.min(self.parallel)
    }

    /// How long opening `missing` connections takes if each takes `connect`: ⌈missing / parallel⌉ × connect.
    pub fn fill_time(&self, missing: u32, connect: Duration) -> Duration {
        let rounds = u64::from(missing.div_ceil(self.parallel.max(1)));
        Duration::from_nanos(nanos_of(connect).saturating_mul(rounds))
    }
}

#[cfg(test)]
mod tests;
