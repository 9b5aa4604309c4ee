//! The registry of series: every quantity that a run measures, in one place.
//!
//! The expectation language, the recorder, the verdict and every report read this table. A series is added here and nowhere
//! else; what is not here cannot be measured, and what is here is measured in both modes.

/// What kind of quantity a series is; it decides which statistics apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A number of things that happened: `count`, `rate`, extremes over trailing windows, `ratio`.
    Counter,
    /// A level over time: `min`, `max`, `last`, `mean` (time-weighted).
    Gauge,
    /// A distribution of durations in nanoseconds: quantiles, `min`, `mean`, `max`, `count`.
    Histogram,
}

/// Who observes a series, and by which instant it is placed in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The load generator, placed by the request's intended time. Observable for every target.
    Client,
    /// The embedded target, placed by the event's own time. Not observable for an external target.
    Target,
}

macro_rules! registry {
    ($( $variant:ident, $name:literal, $kind:ident, $side:ident, $about:literal; )*) => {
        /// One measured quantity. The discriminant is an index below [`Series::COUNT`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Series { $( #[doc = $about] $variant, )* }

        impl Series {
            /// Every series, in registry order.
            pub const ALL: &'static [Self] = &[ $( Self::$variant, )* ];
            /// How many series there are.
            pub const COUNT: usize = Self::ALL.len();

            /// The name in scenario files and reports.
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )* }
            }

            /// Which kind of quantity it is.
            pub const fn kind(self) -> Kind {
                match self { $( Self::$variant => Kind::$kind, )* }
            }

            /// Who observes it.
            pub const fn side(self) -> Side {
                match self { $( Self::$variant => Side::$side, )* }
            }

            /// What it counts, in one sentence.
            pub const fn about(self) -> &'static str {
                match self { $( Self::$variant => $about, )* }
            }
        }
    };
}

registry! {
    Offered, "offered", Counter, Client, "Arrivals that the schedule drew.";
    Sent, "sent", Counter, Client, "Requests whose first byte was sent.";
    Ok, "ok", Counter, Client, "Requests answered with an expected status.";
    Good, "good", Counter, Client, "Requests that were ok within the deadline.";
    Rejected, "rejected", Counter, Client, "Requests answered 429.";
    Shed, "shed", Counter, Client, "Requests answered 503.";
    TimedOut, "timed_out", Counter, Client, "Requests whose own timeout expired, counted from the intended time.";
    Failed, "failed", Counter, Client, "Requests that ended in any other status or a transport error.";
    Dropped, "dropped", Counter, Client, "Arrivals never sent, by the in-flight policy.";
    Unfinished, "unfinished", Counter, Client, "Requests still without an outcome when the run ended.";
    Attempts, "attempts", Counter, Client, "Times a request was put on the wire, retries included.";
    Sessions, "sessions", Counter, Client, "Sessions started; without session steps each arrival is one session.";
    ClientConnects, "client.connects", Counter, Client, "Connections that the generator began to open.";

    InFlight, "in_flight", Gauge, Client, "Requests offered and without an outcome yet.";
    Users, "users", Gauge, Client, "Users active in a closed loop.";
    ClientConnections, "client.connections", Gauge, Client, "Connections that the generator holds open.";

    Latency, "latency", Histogram, Client, "Intended time to last byte, over ok, timed-out and failed requests.";
    Lateness, "lateness", Histogram, Client, "Intended time to the moment the generator took the request up: its own delay.";
    Connect, "connect", Histogram, Client, "Time spent waiting for a client connection.";
    FirstByte, "first_byte", Histogram, Client, "First byte sent to first byte received.";
    Transfer, "transfer", Histogram, Client, "First byte received to last byte received.";
    Service, "service", Histogram, Client, "First byte sent to last byte received.";

    GatewayReceived, "gateway.received", Counter, Target, "Requests that reached the gateway.";
    GatewayAdmitted, "gateway.admitted", Counter, Target, "Requests that the limiter let through.";
    GatewayRejected, "gateway.rejected", Counter, Target, "Requests that the limiter refused (429).";
    GatewayShed, "gateway.shed", Counter, Target, "Requests shed by the queue, its timeout or the readiness gate (503).";
    GatewayTimeouts, "gateway.timeouts", Counter, Target, "Upstream timeouts (504).";
    GatewayQueueTimeouts, "gateway.queue.timeouts", Counter, Target, "Requests that waited longer than the queue's timeout.";
    CatalogCalls, "catalog.calls", Counter, Target, "Calls that reached the catalog.";
    CatalogImports, "catalog.imports", Counter, Target, "Imports that completed.";
    CatalogOrders, "catalog.orders", Counter, Target, "Orders that were accepted.";
    CacheHits, "cache.hits", Counter, Target, "Look-ups that found a fresh entry.";
    CacheMisses, "cache.misses", Counter, Target, "Look-ups that found none.";
    CacheLoads, "cache.loads", Counter, Target, "Loads started to fill the cache.";
    CacheCoalesced, "cache.coalesced", Counter, Target, "Misses that joined a load already under way.";
    CacheStale, "cache.stale", Counter, Target, "Look-ups answered with a stale entry.";
    DbQueries, "db.queries", Counter, Target, "Queries started.";
    DbConnects, "db.connects", Counter, Target, "Connects started.";
    DbConnectFailures, "db.connect_failures", Counter, Target, "Connects that failed.";
    DbPoolTimeouts, "db.pool.timeouts", Counter, Target, "Acquires that reached their timeout.";
    BreakerOpened, "breaker.opened", Counter, Target, "Times the circuit breaker opened.";
    BreakerRejected, "breaker.rejected", Counter, Target, "Requests that the open breaker refused.";

    GatewayInFlight, "gateway.in_flight", Gauge, Target, "Requests between admission and answer at the gateway.";
    GatewayQueueDepth, "gateway.queue.depth", Gauge, Target, "Requests waiting for a worker.";
    GatewayLimit, "gateway.limit", Gauge, Target, "The limiter's present limit.";
    BreakerState, "breaker.state", Gauge, Target, "0 closed, 1 half-open, 2 open.";
    CatalogInFlight, "catalog.in_flight", Gauge, Target, "Calls inside the catalog.";
    CatalogThreads, "catalog.threads", Gauge, Target, "Threads of the catalog's pool.";
    CatalogReplicasDesired, "catalog.replicas.desired", Gauge, Target, "Replicas that the autoscaler wants.";
    CatalogReplicasReady, "catalog.replicas.ready", Gauge, Target, "Replicas that take traffic.";
    CacheEntries, "cache.entries", Gauge, Target, "Entries in the cache.";
    DbInFlight, "db.in_flight", Gauge, Target, "Queries running.";
    DbPoolSize, "db.pool.size", Gauge, Target, "Connections open or being opened.";
    DbPoolIdle, "db.pool.idle", Gauge, Target, "Open connections that nobody holds.";
    DbPoolConnecting, "db.pool.connecting", Gauge, Target, "Connections being opened.";
    DbPoolWaiters, "db.pool.waiters", Gauge, Target, "Acquires waiting because no connection is free and none may be opened.";

    GatewayQueueWait, "gateway.queue.wait", Histogram, Target, "Time from admission to a worker, or to give up at the queue's timeout; 0 is counted.";
    CatalogService, "catalog.service", Histogram, Target, "Time inside the catalog, the tiers below excluded.";
    CatalogPause, "catalog.pause", Histogram, Target, "Garbage-collection pauses that a call waited for.";
    CatalogLockWait, "catalog.lock.wait", Histogram, Target, "Time waiting for a contended lock.";
    CacheLoad, "cache.load", Histogram, Target, "Time to load a missing entry.";
    DbConnect, "db.connect", Histogram, Target, "Time to open a connection.";
    DbQuery, "db.query", Histogram, Target, "Time a query ran.";
    DbPoolWait, "db.pool.wait", Histogram, Target, "Time to acquire a connection, or to give up at the acquire timeout; 0 is counted.";
}

impl Kind {
    /// The name in messages and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

impl Series {
    /// The series of this name, if there is one.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|series| series.name() == name)
    }

    /// Its position in [`Series::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found_again() {
        for series in Series::ALL {
            assert_eq!(Series::by_name(series.name()), Some(*series));
            assert_eq!(Series::ALL[series.index()], *series);
        }
    }
}
