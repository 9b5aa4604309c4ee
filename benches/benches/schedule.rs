//! How many arrivals can be scheduled per second? Peer: a bare loop that adds up gaps in floating point, exponential ones
//! from `rand_distr`, without rescaling by a rate that changes and without repeatability of a single arrival.

use coldfront_generator::schedule::Schedule;
use coldfront_rt::Stream;
use coldfront_scenarios::{Scenario, Traffic};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand_distr::{Distribution, Exp1};
use std::hint::black_box;

const ARRIVALS: u64 = 1_000_000;

fn traffic(arrivals: &str, rate: &str) -> Traffic {
    let text = format!(
        r#"
name = "schedule"
[[traffic]]
name = "load"
arrivals = "{arrivals}"
mix = [{{ get = "/catalog" }}]
stage = [{{ name = "all", for = "20s", rate = {rate} }}]
[target.catalog]
service = "1ms"
"#
    );
    let mut scenario = Scenario::parse(&text, "schedule.toml").expect("the text above is a scenario");
    scenario.traffic.remove(0)
}

fn schedules(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("schedule");
    group.throughput(Throughput::Elements(ARRIVALS));
    group.sample_size(20);
    for (name, arrivals, rate) in [
        ("uniform, constant", "uniform", r#""50000/s""#),
        ("uniform, ramp", "uniform", r#"{ from = "0/s", to = "100000/s" }"#),
        ("uniform, sine", "uniform", r#"{ mean = "50000/s", amplitude = "50000/s", period = "1s" }"#),
        ("poisson, constant", "poisson", r#""50000/s""#),
        ("poisson, ramp", "poisson", r#"{ from = "0/s", to = "100000/s" }"#),
    ] {
        let traffic = traffic(arrivals, rate);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let schedule = Schedule::new(&traffic, 0, 7).take(ARRIVALS as usize);
                schedule.fold(0, |sum, due| sum ^ due.at.as_nanos())
            });
        });
    }
    group.bench_function("peer: uniform gaps added up", |bencher| {
        bencher.iter(|| (0..ARRIVALS).fold(0.0_f64, |now, _| black_box(now + 1.0 / 50_000.0)));
    });
    group.bench_function("peer: rand_distr Exp1 added up", |bencher| {
        bencher.iter(|| {
            let mut draws = Stream::named("bench").draws(7, 0);
            (0..ARRIVALS).fold(0.0_f64, |now, _| {
                let gap: f64 = Exp1.sample(&mut draws);
                black_box(now + gap / 50_000.0)
            })
        });
    });
    group.finish();
}

criterion_group!(benches, schedules);
criterion_main!(benches);
