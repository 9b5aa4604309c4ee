//! Which key a request asks for: Zipf's law over 0 to count − 1, uniform at exponent 0.
//!
//! P(k) ∝ (k + 1)^−s. Popularity in caches follows it with s between about 0.6 and 1.2, so how cold a cache feels after a
//! flush depends on s more than on the number of keys.
//!
//! A draw takes constant time, for any number of keys: rejection-inversion, W. Hörmann and G. Derflinger,
//! *Rejection-inversion to generate variates from monotone discrete distributions*, ACM TOMACS 6(3), 1996. The ready-made
//! law of `rand_distr` inverts with 1 / (1 − s), which keeps no digit near s = 1; the forms here are continuous through 1.
//! The popular keys, which most draws give, are looked up in a small table instead of being computed.

use coldfront_rt::Draws;
use coldfront_scenarios::Keys;

/// The most proposals for one key. Fewer than one in three is refused, so this is never reached in practice; it bounds the
/// loop, and the most popular key answers.
const PROPOSALS: usize = 100;

/// How many of the most popular ranks are in the table: 16 KiB of it.
const HEAD_LEN: u64 = 1024;

/// A law of keys, ready to draw from. A draw costs some 20 to 150 ns.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyLaw {
    count: u64,
    law: Law,
}

#[derive(Clone, Debug, PartialEq)]
enum Law {
    Uniform,
    Zipf(Zipf),
}

/// Zipf's law on the ranks 1 to count, as the hat H(x) = ∫ x^−s dx of rejection-inversion.
#[derive(Clone, Debug, PartialEq)]
struct Zipf {
    exponent: f64,
    /// H(3/2) − 1: all of rank 1 lies under the hat, so its whole probability fits left of 3/2.
    hat_first: f64,
    /// H(count + 1/2).
    hat_last: f64,
    /// A proposal at most this far left of its rank needs no further test.
    sure_within: f64,
    /// For the first ranks k: where their part of the hat ends, H(k + 1/2), ascending, …
    head_ends: Vec<f64>,
    /// … and from where on a proposal in that part is taken, H(k + 1/2) − k^−s.
    head_floors: Vec<f64>,
}

// === impl KeyLaw ===

impl KeyLaw {
    /// The law of `keys`. An exponent that is not above 0 is uniform; a count of 0 is taken as 1.
    pub fn new(keys: &Keys) -> Self {
        let count = keys.count.max(1);
        let law = if keys.zipf > 0.0 && count > 1 { Law::Zipf(Zipf::new(count, keys.zipf)) } else { Law::Uniform };
        Self { count, law }
    }

    /// One key, 0 to count − 1.
    pub fn draw(&self, draws: &mut Draws) -> u64 {
        match &self.law {
            Law::Uniform => below(self.count, draws),
            Law::Zipf(zipf) => zipf.draw(self.count, draws) - 1,
        }
    }
}

/// A number below `count`, each exactly as likely (D. Lemire, *Fast random integer generation in an interval*, 2019).
fn below(count: u64, draws: &mut Draws) -> u64 {
    let mut wide = u128::from(draws.next_u64()) * u128::from(count);
    if (wide as u64) < count {
        let surplus = count.wrapping_neg() % count;
        while (wide as u64) < surplus {
            wide = u128::from(draws.next_u64()) * u128::from(count);
        }
    }
    (wide >> 64) as u64
}

// === impl Zipf ===

impl Zipf {
    fn new(count: u64, exponent: f64) -> Self {
        let mut zipf = Self {
            exponent,
            hat_first: 0.0,
            hat_last: 0.0,
            sure_within: 0.0,
            head_ends: Vec::new(),
            head_floors: Vec::new(),
        };
        zipf.hat_first = zipf.hat(1.5) - 1.0;
        zipf.hat_last = zipf.hat(count as f64 + 0.5);
        zipf.sure_within = 2.0 - zipf.hat_inverse(zipf.hat(2.5) - zipf.weight(2.0));
        let head = 1..=count.min(HEAD_LEN);
        zipf.head_ends = head.clone().map(|rank| zipf.hat(rank as f64 + 0.5)).collect();
        zipf.head_floors = head.map(|rank| zipf.floor_of(rank as f64)).collect();
        zipf
    }

    fn draw(&self, count: u64, draws: &mut Draws) -> u64 {
        for _ in 0..PROPOSALS {
            let area = self.hat_last + draws.open_unit() * (self.hat_first - self.hat_last);
            let index = self.head_ends.partition_point(|end| *end <= area);
            if let Some(floor) = self.head_floors.get(index) {
                if area >= *floor {
                    return index as u64 + 1;
                }
                continue;
            }
            let point = self.hat_inverse(area);
            let rank = ((point + 0.5) as u64).clamp(1, count);
            let centre = rank as f64;
            if centre - point <= self.sure_within || area >= self.floor_of(centre) {
                return rank;
            }
        }
        1
    }

    /// From where on a proposal in the part of the hat that belongs to `rank` is taken.
    fn floor_of(&self, rank: f64) -> f64 {
        self.hat(rank + 0.5) - self.weight(rank)
    }

    /// x^−s.
    fn weight(&self, x: f64) -> f64 {
        libm::exp(-self.exponent * libm::log(x))
    }

    /// ∫₁ˣ u^−s du = (x^(1−s) − 1) / (1 − s), which is ln x at s = 1.
    fn hat(&self, x: f64) -> f64 {
        let log = libm::log(x);
        log * expm1_over((1.0 - self.exponent) * log)
    }

    /// The x at which [`Zipf::hat`] is `area`.
    fn hat_inverse(&self, area: f64) -> f64 {
        // Below −1 only by a rounding error, where x would be beyond every rank.
        let power = (area * (1.0 - self.exponent)).max(-1.0);
        libm::exp(area * log1p_over(power))
    }
}

/// (eˣ − 1) / x, continuous at 0.
fn expm1_over(x: f64) -> f64 {
    if x.abs() > 1e-8 { libm::expm1(x) / x } else { 1.0 + 0.5 * x }
}

/// ln(1 + x) / x, continuous at 0.
fn log1p_over(x: f64) -> f64 {
    if x.abs() > 1e-8 { libm::log1p(x) / x } else { 1.0 - 0.5 * x }
}

#[cfg(test)]
mod tests;
