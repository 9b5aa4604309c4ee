//! The load: streams, stages, mixes and connections.

use std::time::Duration;

/// One stream of requests, open loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// Its name, unique in the scenario.
    pub name: String,
    /// The law of the gaps between arrivals.
    pub arrivals: Arrivals,
    /// How long the client waits, from the intended time; `None` waits to the end of the run.
    pub timeout: Option<Duration>,
    /// A request is good if it is ok within this, from the intended time. Default: the timeout; `None`: any ok is good.
    pub deadline: Option<Duration>,
    /// The client's own connections.
    pub connections: Connections,
    /// How many requests may be without an outcome at once, and what happens beyond.
    pub in_flight: InFlight,
    /// What is sent, chosen per arrival by weight; at least one entry.
    pub mix: Vec<Route>,
    /// The rate over time, one after the other without gaps, from time zero; at least one.
    pub stages: Vec<Stage>,
}

/// The law of the gaps between arrivals, at unit rate, before the rate rescales time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// The k-th arrival comes where the cumulative rate reaches k.
    Uniform,
    /// Exponential gaps: a true Poisson process, whose count varies.
    Poisson,
}

/// A stretch of time with a rate. It covers (start, start + duration].
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Its name, unique in its stream.
    pub name: String,
    /// When it starts, after time zero.
    pub start: Duration,
    /// How long it lasts; above zero.
    pub duration: Duration,
    /// The rate within it.
    pub rate: Rate,
}

/// Arrivals per second over a stage; each value finite and at least 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Rate {
    /// The same throughout.
    Constant(f64),
    /// Linear from the first to the second over the stage.
    Ramp {
        /// At the stage's start.
        from: f64,
        /// At the stage's end.
        to: f64,
    },
    /// Equal parts of the stage, one rate after the other; at least one.
    Step(Vec<f64>),
    /// mean + amplitude × sin(2π t / period), t from the stage's start; amplitude at most the mean.
    Sine {
        /// The average.
        mean: f64,
        /// The largest deviation from it.
        amplitude: f64,
        /// One full wave; above zero.
        period: Duration,
    },
}

/// The client's connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connections {
    /// At most this many at once, 1 to 65,535. Default 256.
    pub max: u32,
    /// When they are opened.
    pub open: Open,
}

/// When the client opens its connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// All of them before time zero: the client is warm.
    Before,
    /// When a request finds none idle: the client is cold too. The default.
    Lazy,
}

/// The bound on requests without an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InFlight {
    /// At least 1. Default 100,000.
    pub max: u32,
    /// What happens to an arrival beyond.
    pub policy: InFlightPolicy,
}

/// What happens to an arrival that finds the in-flight bound reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InFlightPolicy {
    /// It is counted as dropped and never sent. The default.
    Drop,
    /// It waits its turn in a first-in-first-out queue of at most `capacity`; beyond that it is dropped.
    Queue {
        /// At least 1.
        capacity: u32,
    },
}

/// One kind of request in a mix.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// GET, POST, …
    pub method: String,
    /// The path and query, with at most one `{key}`.
    pub path: String,
    /// Its share of the mix relative to the others; above zero. Default 1.
    pub weight: f64,
    /// The law of `{key}`; `None` if the path has none.
    pub keys: Option<Keys>,
    /// Extra headers, as name and value, in file order.
    pub headers: Vec<(String, String)>,
    /// The body, if any; `json` bodies come with their `content-type` among the headers.
    pub body: Option<Vec<u8>>,
    /// Statuses that count as ok, ascending; empty: 200 to 399.
    pub expect: Vec<u16>,
}

/// The law of the keys 0 to count − 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keys {
    /// How many keys there are, 1 to 10^9.
    pub count: u64,
    /// Zipf exponent s ≥ 0, P(k) ∝ (k + 1)^−s; 0 is uniform.
    pub zipf: f64,
}

impl Traffic {
    /// When its last stage ends, after time zero.
    pub fn end(&self) -> Duration {
        self.stages.last().map_or(Duration::ZERO, Stage::end)
    }
}

impl Stage {
    /// When it ends, after time zero.
    pub fn end(&self) -> Duration {
        self.start + self.duration
    }
}

impl Route {
    /// Whether `status` counts as ok.
    pub fn expects(&self, status: u16) -> bool {
        if self.expect.is_empty() { (200..400).contains(&status) } else { self.expect.contains(&status) }
    }

    /// The name in labels and reports: `GET /items/{key}`.
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}
