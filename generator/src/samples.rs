//! Scenario values for this crate's tests.

pub(crate) mod server;

use coldfront_scenarios::{Arrivals, Connections, InFlight, InFlightPolicy, Keys, Open, Route, Stage, Traffic};
use std::time::Duration;

pub(crate) fn traffic(arrivals: Arrivals, stages: Vec<Stage>) -> Traffic {
    Traffic {
        name: "t".into(),
        arrivals,
        timeout: Some(Duration::from_secs(1)),
        deadline: Some(Duration::from_secs(1)),
        connections: Connections { max: 256, open: Open::Lazy },
        in_flight: InFlight { max: 100_000, policy: InFlightPolicy::Drop },
        mix: vec![route("GET", "/catalog", 1.0)],
        stages,
    }
}

pub(crate) fn route(method: &str, path: &str, weight: f64) -> Route {
    Route {
        method: method.into(),
        path: path.into(),
        weight,
        keys: path.contains("{key}").then_some(Keys { count: 1000, zipf: 1.0 }),
        headers: Vec::new(),
        body: None,
        expect: Vec::new(),
    }
}
