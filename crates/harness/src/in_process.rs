//! The wire of a simulation: the target called in process, at the modelled cost of a network.

use coldfront_generator::{Exchange, Request, Transport, TransportError};
use coldfront_measure::ColdCosts;
use coldfront_mock_target::{Call, KeySource, OrderRequest, Target};
use coldfront_rt::Rt;
use coldfront_scenarios::routes::RouteKind;
use coldfront_scenarios::{Network, Route, Scenario};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Calls the target in process. Half of the round trip passes before the call, half after it.
#[derive(Clone, Debug)]
pub(crate) struct InProcess {
    rt: Rt,
    target: Target,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// By stream, by route of its mix.
    routes: Vec<Vec<Prepared>>,
    connect: Duration,
    out: Duration,
    back: Duration,
    /// Before time zero nothing passes time: a client that is warm at the start has paid before.
    is_before_start: AtomicBool,
}

/// What a route of the mix asks of the target.
#[derive(Clone, Copy, Debug)]
enum Prepared {
    /// A read of the key that is drawn for the request.
    Drawn(RouteKind),
    /// A read of one key, or a write without any.
    Fixed(RouteKind, u64),
    /// An order, by its body.
    Order(OrderRequest),
    /// A path or a body that the target refuses with 400, as its HTTP skin does.
    BadRequest,
}

// === impl Prepared ===

impl Prepared {
    fn new(route: &Route) -> Self {
        let kind = RouteKind::of(&route.method, &route.path);
        match kind.expect("the scenario was checked against the routes of the embedded target") {
            RouteKind::Order => {
                let body = route.body.as_deref().unwrap_or_default();
                OrderRequest::parse(body).map_or(Self::BadRequest, Self::Order)
            }
            kind => match KeySource::of(&route.path) {
                KeySource::Drawn => Self::Drawn(kind),
                KeySource::Fixed(key) => Self::Fixed(kind, key),
                KeySource::Unreadable => Self::BadRequest,
            },
        }
    }

    fn call(self, request: &Request) -> Option<Call> {
        match self {
            Self::Drawn(route) => Some(Call { id: request.id, route, key: request.key, quantity: 1 }),
            Self::Fixed(route, key) => Some(Call { id: request.id, route, key, quantity: 1 }),
            Self::Order(OrderRequest { sku_id, quantity }) => {
                Some(Call { id: request.id, route: RouteKind::Order, key: sku_id, quantity })
            }
            Self::BadRequest => None,
        }
    }
}

// === impl InProcess ===

impl InProcess {
    pub(crate) fn new(rt: Rt, target: Target, scenario: &Scenario, network: Network) -> Self {
        let routes = scenario.traffic.iter().map(|traffic| traffic.mix.iter().map(Prepared::new).collect()).collect();
        let out = network.round_trip / 2;
        let shared = Shared {
            routes,
            connect: network.connect,
            out,
            back: network.round_trip.saturating_sub(out),
            is_before_start: AtomicBool::new(true),
        };
        Self { rt, target, shared: Arc::new(shared) }
    }

    /// Time zero: from now on connections cost time.
    pub(crate) fn start(&self) {
        self.shared.is_before_start.store(false, Ordering::Relaxed);
    }
}

impl Transport for InProcess {
    type Connection = ();

    async fn connect(&self) -> Result<(), TransportError> {
        if !self.shared.is_before_start.load(Ordering::Relaxed) {
            self.rt.sleep(self.shared.connect).await;
        }
        Ok(())
    }

    async fn exchange(&self, (): &mut (), request: &Request) -> Result<Exchange, TransportError> {
        let route = self.shared.routes[usize::from(request.traffic)][usize::from(request.route)];
        self.rt.sleep(self.shared.out).await;
        let (status, cold) = match route.call(request) {
            Some(call) => {
                let reply = self.target.call(call).await;
                (reply.status, reply.cost.cold())
            }
            None => (400, ColdCosts::default()),
        };
        self.rt.sleep(self.shared.back).await;
        let now = self.rt.now();
        Ok(Exchange { status, first_byte_at: now, completed_at: now, cold, reusable: true })
    }
}
