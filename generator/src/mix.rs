//! What a request asks for: one route of the stream's mix, chosen by weight, and its key.

use crate::keys::KeyLaw;
use coldfront_rt::Stream;
use coldfront_scenarios::Route;

const ROUTES: Stream = Stream::named("generator.routes");
const KEYS: Stream = Stream::named("generator.keys");

/// The mix of one stream, ready to draw from. Both choices are pure functions of the seed and the request's id.
#[derive(Clone, Debug)]
pub struct Mix {
    seed: u64,
    /// Upper ends of the routes' shares of the 64-bit draws, ascending; the last route takes what is left.
    ends: Vec<u64>,
    keys: Vec<Option<KeyLaw>>,
}

// === impl Mix ===

impl Mix {
    /// The mix of `routes` under `seed`; weights are above zero and need not sum to anything.
    ///
    /// # Panics
    /// If there is no route.
    pub fn new(routes: &[Route], seed: u64) -> Self {
        assert!(!routes.is_empty(), "a stream has at least one route");
        let total: f64 = routes.iter().map(|route| route.weight).sum();
        let mut sum = 0.0;
        let ends = routes[..routes.len() - 1].iter().map(|route| {
            sum += route.weight;
            (sum / total * 2_f64.powi(64)) as u64
        });
        Self {
            seed,
            ends: ends.collect(),
            keys: routes.iter().map(|route| route.keys.as_ref().map(KeyLaw::new)).collect(),
        }
    }

    /// The route of the request with this id: an index into the mix. No draw if there is only one.
    pub fn route(&self, id: u64) -> u16 {
        if self.ends.is_empty() {
            return 0;
        }
        let draw = ROUTES.draws(self.seed, id).next_u64();
        self.ends.partition_point(|end| *end <= draw) as u16
    }

    /// The key of the request with this id; 0 on a route without keys.
    pub fn key(&self, route: u16, id: u64) -> u64 {
        self.keys[usize::from(route)].as_ref().map_or(0, |law| law.draw(&mut KEYS.draws(self.seed, id)))
    }
}

#[cfg(test)]
mod tests;
