//! The target.

use crate::error::{Code, Finding, Problems};
use crate::file::{CacheFile, ColdFile, DbFile, GatewayFile, LimiterFile, PoolFile, QueueFile, TargetFile, WarmUpFile};
use crate::shape::At;
use crate::source::Span;
use crate::{
    Cache, Catalog, ColdPenalty, Db, Decay, External, Gateway, Limiter, MockSpec, Network, Pool, Queue, Target, WarmUp,
};

/// The target; left out, it is the mock service with every tier switched off.
pub(super) fn target(file: Option<&At<TargetFile>>, problems: &mut Problems) -> Option<Target> {
    let Some(file) = file else { return Some(Target::Embedded(Box::default())) };
    match &file.url {
        Some(url) => external(file, url, problems),
        None => embedded(file, problems),
    }
}

fn external(file: &TargetFile, url: &At<String>, problems: &mut Problems) -> Option<Target> {
    let tiers: [(&str, Option<&Span>); 6] = [
        ("abandoned", file.abandoned.as_ref().map(|part| &part.span)),
        ("network", file.network.as_ref().map(|part| &part.span)),
        ("gateway", file.gateway.as_ref().map(|part| &part.span)),
        ("catalog", file.catalog.as_ref().map(|part| &part.span)),
        ("cache", file.cache.as_ref().map(|part| &part.span)),
        ("db", file.db.as_ref().map(|part| &part.span)),
    ];
    let mut mixed = false;
    for (name, span) in tiers.iter().filter_map(|(name, span)| span.map(|span| (name, span))) {
        mixed = true;
        let finding = Finding::new(
            Code::Conflict,
            span,
            format!("`{name}` belongs to the embedded target, and `url` names a real one"),
        );
        problems.add::<()>(finding.also(&url.span, "the real one").help("keep one of the two"));
    }
    (!mixed).then(|| {
        Target::External(External {
            url: url.value.clone(),
            ready: file.ready.as_ref().map(|ready| ready.value.clone()),
            reset: file.reset.as_ref().map(|reset| reset.value.clone()),
        })
    })
}

fn embedded(file: &TargetFile, problems: &mut Problems) -> Option<Target> {
    let without_url =
        [("ready", file.ready.as_ref().map(|part| &part.span)), ("reset", file.reset.as_ref().map(|part| &part.span))];
    let mut sound = true;
    for (name, span) in without_url.iter().filter_map(|(name, span)| span.map(|span| (name, span))) {
        let finding = Finding::new(
            Code::Conflict,
            span,
            format!("`{name}` needs `url`: the embedded target needs no such thing"),
        );
        sound = problems.add::<()>(finding.help("add `url`, or leave it out")).is_some();
    }
    let network = file.network.as_ref().map(|file| Network { connect: *file.connect, round_trip: *file.round_trip });
    let gateway = maybe(file.gateway.as_ref(), |file| gateway(file, problems));
    let catalog = maybe(file.catalog.as_ref(), |file| {
        let cold = maybe(file.cold.as_ref(), |file| cold(file, problems))?;
        Some(Catalog { service: file.service.value.clone(), cold, stock: *file.stock })
    });
    let cache = maybe(file.cache.as_ref(), |file| cache(file, problems));
    let db = maybe(file.db.as_ref(), |file| db(file, problems));
    let spec = MockSpec {
        network: network.unwrap_or_default(),
        abandoned: file.abandoned.as_ref().map(|word| word.value).unwrap_or_default(),
        gateway: gateway?,
        catalog: catalog?,
        cache: cache?,
        db: db?,
    };
    sound.then(|| Target::Embedded(Box::new(spec)))
}

/// Resolves what is there. The outer `None` says that it is wrong.
#[expect(clippy::option_option, reason = "wrong, absent and present are three states")]
fn maybe<F, T>(file: Option<&At<F>>, resolve: impl FnOnce(&F) -> Option<T>) -> Option<Option<T>> {
    match file {
        Some(file) => resolve(&file.value).map(Some),
        None => Some(None),
    }
}

fn cold(file: &ColdFile, problems: &mut Problems) -> Option<ColdPenalty> {
    let decay = match (&file.calls, &file.time) {
        (Some(calls), None) => Decay::Calls(**calls),
        (None, Some(time)) => Decay::Time(**time),
        (None, None) => {
            let finding = Finding::new(Code::MissingKey, &file.span, "`cold` needs `calls` or `time`: how it decays");
            return problems.add(finding.help("add calls = 100 or time = \"20s\""));
        }
        (Some(calls), Some(time)) => {
            let finding = Finding::new(Code::Conflict, &time.span, "`cold` decays over calls or over time, not both")
                .also(&calls.span, "the other");
            return problems.add(finding.help("keep `calls` or `time`"));
        }
    };
    Some(ColdPenalty { extra: *file.extra, decay })
}

fn gateway(file: &GatewayFile, problems: &mut Problems) -> Option<Gateway> {
    if let (Some(queue), None) = (&file.queue, &file.workers) {
        let finding =
            Finding::new(Code::Conflict, &queue.span, "`queue` needs `workers`: without a bound nothing ever waits");
        return problems.add(finding.help("add how many requests are served at once, such as workers = 40"));
    }
    Some(Gateway {
        service: file.service.value.clone(),
        cold: maybe(file.cold.as_ref(), |file| cold(file, problems))?,
        workers: file.workers.as_ref().map(|workers| workers.value),
        limiter: file.limiter.as_ref().map(|file| limiter(file)),
        queue: file.queue.as_ref().map(|file| queue(file)),
        upstream_timeout: file.upstream_timeout.as_ref().map(|timeout| timeout.value),
    })
}

fn limiter(file: &LimiterFile) -> Limiter {
    match file {
        LimiterFile::FixedWindow(window) => Limiter::FixedWindow { limit: *window.limit, per: *window.per },
        LimiterFile::SlidingWindow(window) => Limiter::SlidingWindow { limit: *window.limit, per: *window.per },
        LimiterFile::SlidingWindowCounter(window) => {
            Limiter::SlidingWindowCounter { limit: *window.limit, per: *window.per }
        }
        LimiterFile::TokenBucket(bucket) => Limiter::TokenBucket { rate: *bucket.rate, burst: *bucket.burst },
    }
}

fn queue(file: &QueueFile) -> Queue {
    let QueueFile::Fifo(fifo) = file;
    Queue::Fifo { capacity: *fifo.capacity, timeout: fifo.timeout.as_ref().map(|timeout| timeout.value) }
}

fn cache(file: &CacheFile, problems: &mut Problems) -> Option<Cache> {
    if *file.warm_keys > *file.capacity {
        let finding = Finding::new(Code::Conflict, &file.warm_keys.span, "`warm_keys` is above `capacity`");
        return problems.add(finding.also(&file.capacity.span, "the capacity").help("write at most the capacity"));
    }
    Some(Cache {
        capacity: *file.capacity,
        ttl: file.ttl.as_ref().map(|ttl| ttl.value),
        hit: file.hit.value.clone(),
        miss: file.miss.value.clone(),
        warm_keys: *file.warm_keys,
        single_flight: *file.single_flight,
    })
}

fn db(file: &DbFile, problems: &mut Problems) -> Option<Db> {
    Some(Db {
        query: file.query.value.clone(),
        max_connections: file.max_connections.as_ref().map(|most| most.value),
        pool: maybe(file.pool.as_ref(), |file| pool(file, problems))?,
    })
}

fn pool(file: &PoolFile, problems: &mut Problems) -> Option<Pool> {
    let warm_up = match &*file.warm_up {
        WarmUpFile::Lazy(_) => WarmUp::Lazy,
        WarmUpFile::MinIdle(idle) => WarmUp::MinIdle { min: within_pool("min", &idle.min, file, problems)? },
        WarmUpFile::Prewarm(prewarm) => {
            let to = within_pool("to", &prewarm.to, file, problems)?;
            let parallel = prewarm.parallel.as_ref().map_or(to, |parallel| parallel.value);
            WarmUp::Prewarm { to, parallel: parallel.min(to), gate: *prewarm.gate }
        }
    };
    Some(Pool {
        kind: *file.kind,
        max: *file.max,
        connect: file.connect.value.clone(),
        acquire_timeout: file.acquire_timeout.as_ref().map(|timeout| timeout.value),
        warm_up,
    })
}

fn within_pool(key: &str, value: &At<u32>, file: &PoolFile, problems: &mut Problems) -> Option<u32> {
    if **value <= *file.max {
        return Some(**value);
    }
    let finding = Finding::new(
        Code::Conflict,
        &value.span,
        format!("`{key}` is {}, and the pool holds at most {}", **value, *file.max),
    );
    problems.add(finding.also(&file.max.span, "the pool's `max`").help(format!("write at most {}", *file.max)))
}
