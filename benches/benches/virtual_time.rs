//! What do a timer and a task cost in virtual time? Peer: tokio with its paused clock, which rounds each wait up to 1 ms.
#![expect(clippy::disallowed_methods, reason = "the peer is tokio itself")]

use coldfront_rt::{Stop, join_all, sim};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::time::Duration;

const WAITS: u64 = 100_000;
const TASKS: u64 = 100;

fn timers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("virtual_time");
    group.throughput(Throughput::Elements(WAITS));
    group.sample_size(20);
    group.bench_function("waits of 100 tasks", |bencher| {
        bencher.iter(|| {
            sim::run(7, Stop::new(), |rt| async move {
                let tasks = (0..TASKS).map(|task| {
                    let timer = rt.clone();
                    rt.spawn("waiter", async move {
                        for _ in 0..WAITS / TASKS {
                            timer.sleep(Duration::from_millis(1 + task)).await;
                        }
                    })
                });
                join_all(tasks).await;
            })
            .expect("the simulation ends");
        });
    });
    group.bench_function("tasks spawned and awaited", |bencher| {
        bencher.iter(|| {
            sim::run(7, Stop::new(), |rt| async move {
                for _ in 0..WAITS {
                    rt.spawn("task", async {}).await;
                }
            })
            .expect("the simulation ends");
        });
    });
    group.bench_function("peer: waits of 100 tokio tasks, paused clock", |bencher| {
        bencher.iter(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
            runtime.expect("a runtime").block_on(async {
                let tasks: Vec<_> = (0..TASKS)
                    .map(|task| {
                        tokio::spawn(async move {
                            for _ in 0..WAITS / TASKS {
                                tokio::time::sleep(Duration::from_millis(1 + task)).await;
                            }
                        })
                    })
                    .collect();
                for task in tasks {
                    task.await.expect("the task does not panic");
                }
            });
        });
    });
    group.finish();
}

criterion_group!(benches, timers);
criterion_main!(benches);
