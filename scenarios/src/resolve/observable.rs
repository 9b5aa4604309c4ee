//! Which series a target can report, and which labels a series has.

use crate::{MockSpec, Queue, Series, Target};

/// What a series needs of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Nothing: the client observes it.
    Nothing,
    /// A part of the embedded target.
    Part(Part),
    /// Something that this version does not have.
    Later(&'static str),
}

/// A part of the embedded target that a series comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Gateway,
    Limiter,
    Queue,
    QueueTimeout,
    UpstreamTimeout,
    Catalog,
    Cache,
    Db,
    Pool,
}

/// The need of each series.
pub(crate) fn need(series: Series) -> Need {
    use Series as S;
    match series {
        S::Offered
        | S::Sent
        | S::Ok
        | S::Good
        | S::Rejected
        | S::Shed
        | S::TimedOut
        | S::Failed
        | S::Dropped
        | S::Unfinished
        | S::Attempts
        | S::Sessions
        | S::ClientConnects
        | S::InFlight
        | S::ClientConnections
        | S::Latency
        | S::Lateness
        | S::Connect
        | S::FirstByte
        | S::Transfer
        | S::Service => Need::Nothing,
        S::Users => Need::Later("it belongs to closed loops"),
        S::GatewayReceived | S::GatewayAdmitted | S::GatewayShed | S::GatewayInFlight => Need::Part(Part::Gateway),
        S::GatewayRejected | S::GatewayLimit => Need::Part(Part::Limiter),
        S::GatewayTimeouts => Need::Part(Part::UpstreamTimeout),
        S::GatewayQueueTimeouts => Need::Part(Part::QueueTimeout),
        S::GatewayQueueDepth | S::GatewayQueueWait => Need::Part(Part::Queue),
        S::CatalogCalls | S::CatalogImports | S::CatalogOrders | S::CatalogInFlight | S::CatalogService => {
            Need::Part(Part::Catalog)
        }
        S::CatalogThreads => Need::Later("it belongs to thread pools"),
        S::CatalogReplicasDesired | S::CatalogReplicasReady => Need::Later("it belongs to autoscalers"),
        S::CatalogPause => Need::Later("it belongs to garbage-collection pauses"),
        S::CatalogLockWait => Need::Later("it belongs to lock contention"),
        S::CacheHits | S::CacheMisses | S::CacheLoads | S::CacheCoalesced | S::CacheEntries | S::CacheLoad => {
            Need::Part(Part::Cache)
        }
        S::CacheStale => Need::Later("it belongs to stale answers"),
        S::DbQueries | S::DbInFlight | S::DbQuery => Need::Part(Part::Db),
        S::DbConnects | S::DbConnectFailures | S::DbPoolTimeouts | S::DbConnect => Need::Part(Part::Pool),
        S::DbPoolSize | S::DbPoolIdle | S::DbPoolConnecting | S::DbPoolWaiters | S::DbPoolWait => {
            Need::Part(Part::Pool)
        }
        S::BreakerOpened | S::BreakerRejected | S::BreakerState => Need::Later("it belongs to circuit breakers"),
    }
}

/// The labels that a series has.
pub(crate) fn labels(series: Series) -> &'static [&'static str] {
    use Series as S;
    match series {
        S::Offered | S::Sent | S::Attempts | S::Sessions | S::Dropped | S::Unfinished | S::InFlight => {
            &["traffic", "route"]
        }
        S::Ok | S::Good | S::Rejected | S::Shed | S::TimedOut | S::Failed => &["traffic", "route", "cold"],
        S::Latency | S::Lateness | S::Connect | S::FirstByte | S::Transfer | S::Service => {
            &["traffic", "route", "outcome", "cold"]
        }
        _ => &[],
    }
}

impl Part {
    /// What to add to the scenario.
    pub(crate) const fn setting(self) -> &'static str {
        match self {
            Self::Gateway => "[target.gateway]",
            Self::Limiter => "`limiter` in [target.gateway]",
            Self::Queue => "`queue` in [target.gateway]",
            Self::QueueTimeout => "`timeout` of `queue` in [target.gateway]",
            Self::UpstreamTimeout => "`upstream_timeout` in [target.gateway]",
            Self::Catalog => "[target.catalog]",
            Self::Cache => "[target.cache]",
            Self::Db => "[target.db]",
            Self::Pool => "`pool` in [target.db]",
        }
    }

    fn is_in(self, spec: &MockSpec) -> bool {
        let gateway = spec.gateway.as_ref();
        match self {
            Self::Gateway => gateway.is_some(),
            Self::Limiter => gateway.is_some_and(|gateway| gateway.limiter.is_some()),
            Self::Queue => gateway.is_some_and(|gateway| gateway.queue.is_some()),
            Self::QueueTimeout => {
                gateway.is_some_and(|gateway| matches!(gateway.queue, Some(Queue::Fifo { timeout: Some(_), .. })))
            }
            Self::UpstreamTimeout => gateway.is_some_and(|gateway| gateway.upstream_timeout.is_some()),
            Self::Catalog => spec.catalog.is_some(),
            Self::Cache => spec.cache.is_some(),
            Self::Db => spec.db.is_some(),
            Self::Pool => spec.db.as_ref().is_some_and(|db| db.pool.is_some()),
        }
    }
}

/// Why a target cannot report a series, and what helps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unobservable {
    /// Whether a later version may.
    pub(crate) later: bool,
    pub(crate) reason: String,
    pub(crate) help: String,
}

/// `None` if the target can report the series.
pub(crate) fn unobservable(series: Series, target: &Target) -> Option<Unobservable> {
    let name = series.name();
    match (need(series), target) {
        (Need::Nothing, _) => None,
        (Need::Later(why), _) => Some(Unobservable {
            later: true,
            reason: format!("nothing reports `{name}` in this version: {why}"),
            help: "leave this expectation out".to_owned(),
        }),
        (Need::Part(_), Target::External(external)) => Some(Unobservable {
            later: false,
            reason: format!("`{name}` is reported by the embedded target only, not by {}", external.url),
            help: "of a real service, only what the client sees can be expected: latency, ok, rejected and the like"
                .to_owned(),
        }),
        (Need::Part(part), Target::Embedded(spec)) => (!part.is_in(spec)).then(|| Unobservable {
            later: false,
            reason: format!("the target of this scenario does not report `{name}`: it has no {}", part.setting()),
            help: format!("add {}, or leave this expectation out", part.setting()),
        }),
    }
}

#[cfg(test)]
mod tests;
