//! How long does one limiter decision take? Peer: governor's GCRA on its own fake clock.

use coldfront_clock::Instant;
use coldfront_protection::limiter::Limiter;
use coldfront_scenarios::Limiter as Spec;
use criterion::{Criterion, criterion_group, criterion_main};
use governor::clock::FakeRelativeClock;
use governor::{Quota, RateLimiter};
use std::hint::black_box;
use std::num::NonZeroU32;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
/// 500/s offered to a limit of 400/s: both answers occur.
const GAP: Duration = Duration::from_millis(2);

fn decisions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("limiter_decision");
    let specs = [
        ("fixed-window", Spec::FixedWindow { limit: 400, per: SECOND }),
        ("sliding-window", Spec::SlidingWindow { limit: 400, per: SECOND }),
        ("sliding-window-counter", Spec::SlidingWindowCounter { limit: 400, per: SECOND }),
        ("token-bucket", Spec::TokenBucket { rate: 400.0, burst: 100 }),
    ];
    for (name, spec) in specs {
        let mut limiter = Limiter::new(&spec, Instant::ZERO);
        let mut now = Instant::ZERO;
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                now += GAP;
                black_box(limiter.decide(black_box(now)))
            });
        });
    }
    let clock = FakeRelativeClock::default();
    let rate = NonZeroU32::new(400).expect("above zero");
    let peer = RateLimiter::direct_with_clock(Quota::per_second(rate), clock.clone());
    group.bench_function("peer: governor", |bencher| {
        bencher.iter(|| {
            clock.advance(GAP);
            black_box(peer.check().is_ok())
        });
    });
    group.finish();
}

criterion_group!(benches, decisions);
criterion_main!(benches);
