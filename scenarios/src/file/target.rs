//! `[target]`: the embedded mock service tier by tier, or a real one.

use super::words::{path, url};
use super::{LAW, PLAIN_LAW, RESET, words_of_command};
use crate::shape::{At, boolean, choice, duration, integer, kinds, kinds_of, list, nested, number, rate, table, text};
use crate::{Abandoned, Law, PoolKind, Reset};
use std::time::Duration;

table! {
    /// What the load is aimed at. Either the embedded mock service, of which each tier that has a table is switched on and
    /// every other costs nothing; or a real service, with `url`, and then nothing of the embedded one.
    TargetFile {
        /// The address of a real service, `http://host[:port]` with an optional path prefix; without a port, 80. Live only.
        url: Option<At<String>> = optional("url", text("an address", "\"http://127.0.0.1:8080\"", url));
        /// With `url`: a path that is polled until it answers 2xx, before time zero, for up to 60 s.
        ready: Option<At<String>> = optional("ready", text("a path", "\"/readyz\"", path));
        /// With `url`: how the service is made cold before time zero.
        reset: Option<At<Reset>> = optional("reset", RESET);
        /// Whether the embedded target goes on working for a client that gave up. Left out: it stops.
        abandoned: Option<At<Abandoned>> = optional("abandoned", choice(ABANDONED, &[]));
        /// The modelled wire between client and embedded target; only a simulation has it.
        network: Option<At<NetworkFile>> = optional("network", nested::<NetworkFile>());
        /// The first tier: limiter, then queue, then workers.
        gateway: Option<At<GatewayFile>> = optional("gateway", nested::<GatewayFile>());
        /// The application.
        catalog: Option<At<CatalogFile>> = optional("catalog", nested::<CatalogFile>());
        /// The cache in front of the database.
        cache: Option<At<CacheFile>> = optional("cache", nested::<CacheFile>());
        /// The database and the connection pool in front of it.
        db: Option<At<DbFile>> = optional("db", nested::<DbFile>());
    }
}

const ABANDONED: &[(&str, Abandoned, &str)] = &[
    ("stops", Abandoned::Stops, "work for it ends where it waits"),
    ("continues", Abandoned::Continues, "work for it goes on to the end, for nobody"),
];

table! {
    /// `{ post }`: a request to the service itself.
    PostFile {
        /// The path; any 2xx is success.
        post: At<String> = required("post", text("a path", "\"/admin/cold\"", path));
    }
}

table! {
    /// `{ command }`: a program on this machine; refused unless the command line says `--allow-commands`.
    CommandFile {
        /// The program and its arguments.
        command: At<Vec<At<String>>> = required("command", words_of_command());
    }
}

table! {
    /// The modelled wire of a simulation; live runs have a real one.
    NetworkFile {
        /// The time to open a client connection.
        connect: At<Duration> = default("connect", duration(), "\"200us\"");
        /// The time that request and answer travel, in sum.
        round_trip: At<Duration> = default("round_trip", duration(), "\"100us\"");
    }
    presets {
        "loopback": "{ connect = \"200us\", round_trip = \"100us\" }", "Client and target on one machine.";
        "lan": "{ connect = \"500us\", round_trip = \"500us\" }", "One data centre: half a millisecond there and back.";
        "region": "{ connect = \"70ms\", round_trip = \"70ms\" }", "Across an ocean: 70 ms there and back.";
    }
}

table! {
    /// An extra cost of a newly started tier that decays linearly to nothing, over `calls` calls or over `time`: exactly one
    /// of the two.
    ColdFile {
        /// Added to the first call.
        extra: At<Duration> = required("extra", duration());
        /// Call n (from 0) pays extra × (1 − n / calls).
        calls: Option<At<u64>> = optional("calls", integer::<u64>(1, 1_000_000_000));
        /// A call at t after the start pays extra × (1 − t / time).
        time: Option<At<Duration>> = optional("time", duration().above_zero());
    }
    presets {
        "jvm": "{ extra = \"1s\", time = \"20s\" }", "A Java service: a first request of about 1.2 s against 100–200 ms warm, warm after 20 s.";
    }
}

table! {
    /// The gateway. A request passes the limiter, waits in the queue for one of the workers, then goes on to the catalog.
    GatewayFile {
        /// Its own work per request.
        service: At<Law> = default("service", LAW, "\"0s\"");
        /// The cold cost of its first requests.
        cold: Option<At<ColdFile>> = optional("cold", nested::<ColdFile>());
        /// Requests served at once. Left out: no bound, and no queue.
        workers: Option<At<u32>> = optional("workers", integer::<u32>(1, 1_000_000));
        /// Who is let in; the others get 429 with `Retry-After`. Left out: everybody.
        limiter: Option<At<LimiterFile>> = optional("limiter", kinds_of::<LimiterFile>());
        /// Where a request waits for a worker. Left out: it does not wait but gets 503.
        queue: Option<At<QueueFile>> = optional("queue", kinds_of::<QueueFile>());
        /// The longest wait for the tiers below; then 504. Left out: no bound.
        upstream_timeout: Option<At<Duration>> = optional("upstream_timeout", duration().above_zero());
    }
    later {
        "breaker": "circuit breakers are not in this version";
        "retry": "retries are not in this version";
        "shed": "of load shedding this version has the queue's capacity and timeout";
    }
}

kinds! {
    /// Who is let in.
    LimiterFile by "kind" {
        /// A counter per aligned window from the target's start; up to twice the limit can pass across a window's edge.
        "fixed-window" => FixedWindow(WindowFile);
        /// A log of admissions: never more than `limit` in any stretch of length `per`.
        "sliding-window" => SlidingWindow(WindowFile);
        /// The previous window's count weighted by its overlap plus the present one's: an estimate in constant memory.
        "sliding-window-counter" => SlidingWindowCounter(WindowFile);
        /// Tokens refill at `rate` up to `burst`; a request takes one. The bucket is full at the start.
        "token-bucket" => TokenBucket(BucketFile);
    }
    later {
        "gcra": "use `token-bucket`, which admits the same requests";
        "leaky-bucket": "use `token-bucket`, or a queue for shaping";
        "concurrency": "use `workers`, which bound the requests served at once";
        "adaptive": "adaptive limiters are not in this version";
        "aimd": "adaptive limiters are not in this version";
        "gradient": "adaptive limiters are not in this version";
    }
}

table! {
    /// A limit per window.
    WindowFile {
        /// Admissions per window.
        limit: At<u32> = required("limit", integer::<u32>(1, 10_000_000));
        /// The window.
        per: At<Duration> = required("per", duration().above_zero());
    }
}

table! {
    /// A refill rate and a capacity.
    BucketFile {
        /// Tokens that come back, evenly.
        rate: At<f64> = required("rate", rate().above_zero());
        /// Tokens that the bucket holds.
        burst: At<u32> = required("burst", integer::<u32>(1, 10_000_000));
    }
}

kinds! {
    /// Where a request waits for a worker.
    QueueFile by "kind" {
        /// First in, first out.
        "fifo" => Fifo(FifoFile);
    }
    later {
        "lifo": "this version has `fifo` only";
        "adaptive-lifo": "this version has `fifo` only";
        "codel": "this version has `fifo` only";
        "priority": "this version has `fifo` only";
    }
}

table! {
    /// A first-in-first-out queue.
    FifoFile {
        /// At most so many wait; beyond that: 503.
        capacity: At<u32> = required("capacity", integer::<u32>(1, 10_000_000));
        /// The longest wait, then 503. Left out: as long as the client waits.
        timeout: Option<At<Duration>> = optional("timeout", duration().above_zero());
    }
}

table! {
    /// The application.
    CatalogFile {
        /// Its own work per call.
        service: At<Law> = required("service", LAW);
        /// Class loading and just-in-time compilation of a fresh process.
        cold: Option<At<ColdFile>> = optional("cold", nested::<ColdFile>());
        /// How many of each product can be ordered before the answer is 409.
        stock: At<u64> = default("stock", integer::<u64>(0, 1_000_000_000_000), "1000000");
    }
    later {
        "replicas": "the catalog of this version is one process";
        "autoscaler": "autoscalers are not in this version";
        "discovery": "service discovery is not in this version";
        "threads": "thread pools are not in this version; `workers` of the gateway bound concurrency";
        "pause": "garbage-collection pauses are not in this version";
        "gc": "garbage-collection pauses are not in this version";
        "lock": "lock contention is not in this version";
        "bulkhead": "bulkheads are not in this version";
    }
}

table! {
    /// A look-aside cache, least recently used entries out first.
    CacheFile {
        /// Entries that it can hold.
        capacity: At<u64> = required("capacity", integer::<u64>(1, 10_000_000));
        /// How long an entry is fresh. Left out: for ever.
        ttl: Option<At<Duration>> = optional("ttl", duration().above_zero());
        /// The cost of a look-up that finds an entry.
        hit: At<Law> = default("hit", LAW, "\"1ms\"");
        /// The cost of a look-up that finds none, before the load.
        miss: At<Law> = default("miss", LAW, "\"1ms\"");
        /// The keys 0 to `warm_keys` − 1 are there at the start, at most the capacity.
        warm_keys: At<u64> = default("warm_keys", integer::<u64>(0, 10_000_000), "0");
        /// Whether a key is loaded once at a time, and others who miss it wait for that load.
        single_flight: At<bool> = default("single_flight", boolean(), "false");
    }
    later {
        "stale_while_revalidate": "stale answers are not in this version";
        "ttl_jitter": "jitter of the TTL is not in this version";
        "negative_ttl": "negative caching is not in this version";
    }
}

table! {
    /// The database.
    DbFile {
        /// The law of a query.
        query: At<Law> = required("query", LAW);
        /// Connections that the server accepts; beyond that a connect fails. Left out: no bound.
        max_connections: Option<At<u32>> = optional("max_connections", integer::<u32>(1, 1_000_000));
        /// The connection pool. Left out: queries need no connection.
        pool: Option<At<PoolFile>> = optional("pool", nested::<PoolFile>());
    }
}

table! {
    /// A connection pool.
    PoolFile {
        /// The implementation.
        kind: At<PoolKind> = required("kind", choice(POOL_KINDS, LATER_POOLS));
        /// At most so many connections.
        max: At<u32> = required("max", integer::<u32>(1, 100_000));
        /// The law of connect and authentication.
        connect: At<Law> = required("connect", LAW);
        /// The longest wait for a connection, connecting included; then 503. Left out: no bound.
        acquire_timeout: Option<At<Duration>> = optional("acquire_timeout", duration().above_zero());
        /// How it fills.
        warm_up: At<WarmUpFile> = default("warm_up", kinds_of::<WarmUpFile>(), "{ kind = \"lazy\" }");
    }
    later {
        "max_lifetime": "connections of this version live for ever";
        "idle_timeout": "connections of this version live for ever";
        "test_on_acquire": "connections of this version do not break by themselves";
    }
    presets {
        "pg-local": "{ kind = \"deadpool\", connect = \"50ms\" }", "PostgreSQL on the same machine, with TLS and authentication.";
        "pg-lan": "{ kind = \"deadpool\", connect = \"20ms\" }", "PostgreSQL in the same data centre.";
        "pg-region": "{ kind = \"deadpool\", connect = \"200ms\" }", "PostgreSQL in another region: nine round trips.";
        "oracle-tls": "{ kind = \"deadpool\", connect = \"1s\" }", "Oracle over TLS, as often reported.";
    }
}

const POOL_KINDS: &[(&str, PoolKind, &str)] =
    &[("deadpool", PoolKind::Deadpool, "the `deadpool` crate: connects inside the acquire")];

const LATER_POOLS: &[crate::shape::Later] = &[
    crate::shape::Later { name: "bb8", reason: "this version has `deadpool` only" },
    crate::shape::Later { name: "r2d2", reason: "this version has `deadpool` only" },
    crate::shape::Later { name: "sqlx", reason: "this version has `deadpool` only" },
    crate::shape::Later { name: "hikari", reason: "this version has `deadpool` only" },
    crate::shape::Later { name: "asyncpg", reason: "this version has `deadpool` only" },
];

kinds! {
    /// How a pool fills.
    WarmUpFile by "kind" {
        /// A connection is opened when a request needs one.
        "lazy" => Lazy(LazyFile);
        /// A background task keeps at least `min` connections open, from the start, beside the traffic.
        "min-idle" => MinIdle(MinIdleFile);
        /// `to` connections are opened at the start.
        "prewarm" => Prewarm(PrewarmFile);
    }
}

table! {
    /// Nothing to set.
    LazyFile {}
}

table! {
    /// A watermark.
    MinIdleFile {
        /// Connections that are kept open, at most the pool's `max`.
        min: At<u32> = required("min", integer::<u32>(1, 100_000));
    }
}

table! {
    /// A prewarm.
    PrewarmFile {
        /// Connections to open, at most the pool's `max`.
        to: At<u32> = required("to", integer::<u32>(1, 100_000));
        /// Connects that run at once. Left out: all of them.
        parallel: Option<At<u32>> = optional("parallel", integer::<u32>(1, 100_000));
        /// Whether the target answers 503 and is not ready until they are open.
        gate: At<bool> = default("gate", boolean(), "true");
    }
}

table! {
    /// Exponential: many short, few long.
    ExponentialFile {
        /// The mean.
        mean: At<Duration> = required("mean", duration().above_zero());
    }
}

table! {
    /// Log-normal by two of its quantiles, which is how such times are usually known.
    LogNormalFile {
        /// Half are shorter.
        median: At<Duration> = required("median", duration().above_zero());
        /// One in a hundred is longer; at least the median.
        p99: At<Duration> = required("p99", duration().above_zero());
    }
}

table! {
    /// One of several laws, picked by weight.
    MixtureFile {
        /// The laws.
        mixture: At<Vec<At<WeightedLawFile>>> = required("mixture", list(nested::<WeightedLawFile>(), 1, 16));
    }
}

table! {
    /// A law with its weight in a mixture.
    WeightedLawFile {
        /// Its share, relative to the others.
        weight: At<f64> = default("weight", number(0.0, 1e9).above_least(), "1");
        /// The law, not itself a mixture.
        law: At<Law> = required("law", PLAIN_LAW);
    }
}
