//! The target: the embedded mock service, tier by tier, or a real one at a URL.

use std::time::Duration;

/// What the load is aimed at.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// The mock service of this project.
    Embedded(Box<MockSpec>),
    /// A real service; live only.
    External(External),
}

/// A service at a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// `http://host:port` with an optional path prefix.
    pub url: String,
    /// A path polled until it answers 2xx before time zero.
    pub ready: Option<String>,
    /// How to make it cold before time zero.
    pub reset: Option<Reset>,
}

/// How an external target is made cold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reset {
    /// POST to this path; any 2xx is success.
    Post(String),
    /// Run this program with these arguments; only with `--allow-commands`.
    Command(Vec<String>),
}

/// The mock service. A tier that is `None` is switched off and costs nothing.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MockSpec {
    /// The modelled network between client and target; sim only, a real wire has its own cost.
    pub network: Network,
    /// Whether the target goes on working for a client that gave up.
    pub abandoned: Abandoned,
    /// Limiter, queue, workers, upstream timeout.
    pub gateway: Option<Gateway>,
    /// The application.
    pub catalog: Option<Catalog>,
    /// The look-aside cache in front of the database.
    pub cache: Option<Cache>,
    /// The database and the pool in front of it.
    pub db: Option<Db>,
}

/// The modelled wire of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    /// Time to open a client connection. Default 200 µs.
    pub connect: Duration,
    /// Time for request and answer to travel, in sum. Default 100 µs.
    pub round_trip: Duration,
}

/// What happens to the target's work when the client gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Abandoned {
    /// It stops where it waits. The default.
    #[default]
    Stops,
    /// It goes on to the end.
    Continues,
}

/// A law of durations.
#[derive(Clone, Debug, PartialEq)]
pub enum Law {
    /// Always the same.
    Fixed(Duration),
    /// Exponential with this mean; above zero.
    Exponential {
        /// The mean.
        mean: Duration,
    },
    /// Log-normal given by two of its quantiles: µ = ln median, σ = ln(p99 / median) / 2.3263478740408408.
    LogNormal {
        /// The 50 % quantile; above zero.
        median: Duration,
        /// The 99 % quantile; at least the median.
        p99: Duration,
    },
    /// One of several laws, by weight; at least one, weights above zero, not nested.
    Mixture(Vec<(f64, Law)>),
}

/// An extra cost of a newly started tier, which decays linearly to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColdPenalty {
    /// Added to the first call.
    pub extra: Duration,
    /// How it decays.
    pub decay: Decay,
}

/// How a cold penalty decays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decay {
    /// Call n (from 0) pays extra × (1 − n / calls), nothing from call `calls` on.
    Calls(u64),
    /// A call at t after the start pays extra × (1 − t / time), nothing from `time` on.
    Time(Duration),
}

/// The gateway: limiter → queue → workers → catalog.
#[derive(Clone, Debug, PartialEq)]
pub struct Gateway {
    /// Its own work per request. Default nothing.
    pub service: Law,
    /// The cold cost of its first requests.
    pub cold: Option<ColdPenalty>,
    /// Requests served at once; `None`: no bound, and no queue.
    pub workers: Option<u32>,
    /// Who is let in.
    pub limiter: Option<Limiter>,
    /// Where a request waits for a worker; `None` with workers: it does not wait, it is shed.
    pub queue: Option<Queue>,
    /// Longest wait for the tiers below, then 504.
    pub upstream_timeout: Option<Duration>,
}

/// A limiter. `limit` at least 1, `per` above zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limiter {
    /// A counter per aligned window of length `per` from the target's start.
    FixedWindow {
        /// Admissions per window.
        limit: u32,
        /// The window.
        per: Duration,
    },
    /// A log of admissions: never more than `limit` in any (t − per, t].
    SlidingWindow {
        /// Admissions per trailing window.
        limit: u32,
        /// The window.
        per: Duration,
    },
    /// Previous window's count weighted by its overlap, plus the present one's.
    SlidingWindowCounter {
        /// The estimate's bound.
        limit: u32,
        /// The window.
        per: Duration,
    },
    /// Tokens refill continuously; a request takes one.
    TokenBucket {
        /// Tokens per second; above zero.
        rate: f64,
        /// Capacity, full at the start; at least 1.
        burst: u32,
    },
}

/// Where requests wait for a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// First in, first out.
    Fifo {
        /// At most this many wait; beyond: 503. At least 1.
        capacity: u32,
        /// Longest wait, then 503; `None`: as long as the client.
        timeout: Option<Duration>,
    },
}

/// The application tier.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalog {
    /// Its own work per call.
    pub service: Law,
    /// Class loading and just-in-time compilation of a fresh process.
    pub cold: Option<ColdPenalty>,
    /// Units that `POST /api/v1/seckill/order` can sell of each product before it answers 409. Default 1,000,000.
    pub stock: u64,
}

/// The cache tier.
#[derive(Clone, Debug, PartialEq)]
pub struct Cache {
    /// Entries it can hold, least recently used out first; at least 1.
    pub capacity: u64,
    /// How long an entry is fresh; `None`: for ever.
    pub ttl: Option<Duration>,
    /// Cost of a look-up that hits.
    pub hit: Law,
    /// Cost of a look-up that misses, before the load.
    pub miss: Law,
    /// Keys `0..warm_keys` present at the start, at most the capacity; 0: cold.
    pub warm_keys: u64,
    /// One load per key at a time; others wait for it.
    pub single_flight: bool,
}

/// The database tier.
#[derive(Clone, Debug, PartialEq)]
pub struct Db {
    /// The law of a query.
    pub query: Law,
    /// Connections that the server accepts; beyond, a connect fails. `None`: no bound.
    pub max_connections: Option<u32>,
    /// The connection pool; `None`: queries need no connection.
    pub pool: Option<Pool>,
}

/// A connection pool.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// Which implementation.
    pub kind: PoolKind,
    /// Connections at most; at least 1.
    pub max: u32,
    /// The law of connect and authentication.
    pub connect: Law,
    /// Longest wait for a connection, connecting included, as one absolute deadline; then 503.
    pub acquire_timeout: Option<Duration>,
    /// How it fills.
    pub warm_up: WarmUp,
}

/// Pool implementations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolKind {
    /// The `deadpool` crate: connects inside the acquire.
    Deadpool,
}

/// How a pool fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmUp {
    /// Connections are opened when a request needs one. The default.
    Lazy,
    /// Background fill keeps at least `min` connections open, from the start, beside the traffic.
    MinIdle {
        /// 1 to the pool's maximum.
        min: u32,
    },
    /// Opens `to` connections at the start.
    Prewarm {
        /// 1 to the pool's maximum.
        to: u32,
        /// How many connects run at once; at least 1. Default: all.
        parallel: u32,
        /// Whether the target is not ready (503, `/readyz` 503) until they are open. Default true.
        gate: bool,
    },
}

impl Default for Network {
    fn default() -> Self {
        Self { connect: Duration::from_micros(200), round_trip: Duration::from_micros(100) }
    }
}
