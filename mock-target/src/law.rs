//! Laws of durations, compiled once and sampled per request.

use coldfront_clock::nanos_of;
use coldfront_rt::Draws;
use coldfront_scenarios::Law;
use rand_distr::{Distribution, Exp1, StandardNormal};
use std::time::Duration;

/// The 99 % quantile of the standard normal distribution.
const NORMAL_P99: f64 = 2.326_347_874_040_840_8;

/// A law, ready to sample. A fixed law draws nothing.
#[derive(Clone, Debug)]
pub(crate) enum Sampler {
    /// Always the same.
    Fixed(Duration),
    /// Mean in nanoseconds.
    Exponential(f64),
    /// Of the logarithm of nanoseconds.
    LogNormal {
        /// Its mean.
        mu: f64,
        /// Its standard deviation.
        sigma: f64,
    },
    /// Cumulative weights, ascending, the last being the total.
    Mixture(Box<[(f64, Sampler)]>),
}

impl Sampler {
    pub(crate) fn new(law: &Law) -> Self {
        match law {
            Law::Fixed(duration) => Self::Fixed(*duration),
            Law::Exponential { mean } => Self::Exponential(nanos_of(*mean) as f64),
            Law::LogNormal { median, p99 } => {
                let mu = libm::log(nanos_of(*median).max(1) as f64);
                let sigma = (libm::log(nanos_of(*p99).max(1) as f64) - mu) / NORMAL_P99;
                Self::LogNormal { mu, sigma: sigma.max(0.0) }
            }
            Law::Mixture(parts) => {
                let mut total = 0.0;
                let cumulative = parts.iter().map(|(weight, law)| {
                    total += weight;
                    (total, Self::new(law))
                });
                Self::Mixture(cumulative.collect())
            }
        }
    }

    /// One duration in whole nanoseconds; `draws` is called only if the law needs chance.
    pub(crate) fn draw(&self, draws: impl FnOnce() -> Draws) -> Duration {
        match self {
            Self::Fixed(duration) => *duration,
            chance => chance.sample(&mut draws()),
        }
    }

    fn sample(&self, draws: &mut Draws) -> Duration {
        match self {
            Self::Fixed(duration) => *duration,
            Self::Exponential(mean) => {
                let unit: f64 = Exp1.sample(draws);
                whole_nanos(unit * mean)
            }
            Self::LogNormal { mu, sigma } => {
                let normal: f64 = StandardNormal.sample(draws);
                whole_nanos(libm::exp(mu + sigma * normal))
            }
            Self::Mixture(parts) => {
                let total = parts.last().map_or(0.0, |part| part.0);
                let at = draws.unit() * total;
                let part = parts.iter().find(|part| at < part.0).or(parts.last());
                part.map_or(Duration::ZERO, |part| part.1.sample(draws))
            }
        }
    }
}

/// Rounded to the nearest nanosecond; saturates.
pub(crate) fn whole_nanos(nanos: f64) -> Duration {
    Duration::from_nanos(libm::round(nanos) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use coldfront_rt::Stream;

    const N: u64 = 200_000;

    fn samples(law: &Law) -> Vec<u64> {
        let sampler = Sampler::new(law);
        let mut samples: Vec<u64> =
            (0..N).map(|id| nanos_of(sampler.draw(|| Stream::named("test").draws(1, id)))).collect();
        samples.sort_unstable();
        samples
    }

    fn mean(samples: &[u64]) -> f64 {
        samples.iter().sum::<u64>() as f64 / samples.len() as f64
    }

    fn quantile(samples: &[u64], q: f64) -> f64 {
        samples[(samples.len() as f64 * q) as usize] as f64
    }

    #[track_caller]
    fn assert_near(value: f64, expected: f64, relative: f64) {
        assert!((value / expected - 1.0).abs() < relative, "{value} is not near {expected}");
    }

    #[test]
    fn a_fixed_law_draws_nothing() {
        let sampler = Sampler::new(&Law::Fixed(Duration::from_millis(5)));
        assert_eq!(sampler.draw(|| unreachable!("a fixed law needs no chance")), Duration::from_millis(5));
    }

    #[test]
    fn an_exponential_has_its_mean_and_its_quantiles() {
        let samples = samples(&Law::Exponential { mean: Duration::from_millis(10) });
        assert_near(mean(&samples), 1e7, 0.01);
        assert_near(quantile(&samples, 0.5), 1e7 * std::f64::consts::LN_2, 0.01);
        assert_near(quantile(&samples, 0.99), 1e7 * 100_f64.ln(), 0.02);
    }

    #[test]
    fn a_log_normal_has_the_quantiles_it_is_given_by() {
        let law = Law::LogNormal { median: Duration::from_millis(4), p99: Duration::from_millis(20) };
        let samples = samples(&law);
        assert_near(quantile(&samples, 0.5), 4e6, 0.01);
        assert_near(quantile(&samples, 0.99), 2e7, 0.03);
        let degenerate = Law::LogNormal { median: Duration::from_millis(4), p99: Duration::from_millis(4) };
        assert_near(mean(&self::samples(&degenerate)), 4e6, 1e-6);
    }

    #[test]
    fn a_mixture_takes_its_parts_by_weight() {
        // The cache mix whose variance hurts: 95 % at 2 ms, 5 % at 162 ms, mean 10 ms.
        let part = |millis| Law::Fixed(Duration::from_millis(millis));
        let samples = samples(&Law::Mixture(vec![(19.0, part(2)), (1.0, part(162))]));
        assert_near(mean(&samples), 1e7, 0.02);
        assert_eq!((samples[0], samples[N as usize - 1]), (2_000_000, 162_000_000));
    }

    #[test]
    fn draws_are_a_function_of_the_id() {
        let sampler = Sampler::new(&Law::Exponential { mean: Duration::from_millis(10) });
        let draw = |id| sampler.draw(|| Stream::named("db.query").draws(7, id));
        assert_eq!(draw(3), draw(3));
        assert_ne!(draw(3), draw(4));
    }

    #[test]
    fn rounding_saturates() {
        assert_eq!(whole_nanos(0.5), Duration::from_nanos(1));
        assert_eq!(whole_nanos(-3.0), Duration::ZERO);
        assert_eq!(whole_nanos(f64::INFINITY), Duration::from_nanos(u64::MAX));
    }
}
