//! How fast the simulator is on this machine: nanoseconds of processor time per timer event, per task, per wake-up.
//!
//! `cargo run --release -p coldfront-rt --example sim_speed [PART OF A NAME]`
#![expect(clippy::print_stdout, reason = "an example speaks on standard output")]

use std::time::Duration;

use coldfront_rt::live::Clock;
use coldfront_rt::{Rt, Stop, Stream, sim};

const GAPS: Stream = Stream::named("gaps");

fn main() {
    for tasks in [1, 100, 10_000, 100_000] {
        measure(&format!("timer event, {tasks} tasks"), 4_000_000, move |rt, count| timers(rt, tasks, count));
    }
    measure("timeout that is not reached", 2_000_000, timeouts);
    measure("task, joined", 2_000_000, joined);
    measure("task, detached", 2_000_000, detached);
    measure("hand-over through a channel", 4_000_000, channel);
    measure("request of 5 timers in a task", 1_000_000, requests);
    measure("draw, with its key", 50_000_000, draws);
}

/// Processor time of this thread; it does not count what other processes take away. Elsewhere the plain clock must do.
#[cfg(target_os = "linux")]
fn spent(_: &Clock) -> Duration {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(spent.tv_sec.unsigned_abs(), spent.tv_nsec as u32)
}

#[cfg(not(target_os = "linux"))]
fn spent(clock: &Clock) -> Duration {
    clock.now().since_start()
}

/// The least time per item of five runs.
fn measure<F>(what: &str, count: u64, main: impl Fn(Rt, u64) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    if std::env::args().nth(1).is_some_and(|part| !what.contains(&part)) {
        return;
    }
    let clock = Clock::start();
    let best = (0..5)
        .map(|seed| {
            let start = spent(&clock);
            sim::run(seed, Stop::new(), |rt| main(rt, count)).expect("the run ends by itself");
            spent(&clock).saturating_sub(start)
        })
        .min()
        .unwrap_or_default();
    println!("{what:<34} {:>7.1} ns", best.as_nanos() as f64 / count as f64);
}

async fn timers(rt: Rt, tasks: u64, count: u64) {
    let each = count / tasks;
    let running: Vec<_> = (0..tasks)
        .map(|id| {
            let timer = rt.clone();
            rt.spawn("timer", async move {
                let mut draws = timer.random(GAPS, id);
                for _ in 0..each {
                    timer.sleep(Duration::from_nanos(1 + (draws.next_u64() >> 44))).await;
                }
            })
        })
        .collect();
    for task in running {
        task.await;
    }
}

async fn timeouts(rt: Rt, count: u64) {
    for _ in 0..count {
        let at = rt.now() + Duration::from_secs(1);
        let _ = rt.timeout_at(at, rt.sleep(Duration::from_nanos(100))).await;
    }
}

async fn joined(rt: Rt, count: u64) {
    for number in 0..count {
        rt.spawn("task", async move { number }).await;
    }
}

async fn detached(rt: Rt, count: u64) {
    for _ in 0..count / 1000 {
        for _ in 0..1000 {
            rt.spawn_detached("task", async {});
        }
        rt.sleep(Duration::from_nanos(1)).await;
    }
}

async fn channel(rt: Rt, count: u64) {
    let (to, mut inbox) = tokio::sync::mpsc::channel(1);
    rt.spawn_detached("sender", async move {
        for number in 0..count {
            if to.send(number).await.is_err() {
                return;
            }
        }
    });
    while inbox.recv().await.is_some() {}
}

async fn requests(rt: Rt, count: u64) {
    for id in 0..count {
        let timer = rt.clone();
        rt.spawn_detached("request", async move {
            let mut draws = timer.random(GAPS, id);
            let deadline = timer.now() + Duration::from_secs(1);
            let work = async {
                for _ in 0..4 {
                    timer.sleep(Duration::from_nanos(1 + (draws.next_u64() >> 44))).await;
                }
            };
            let _ = timer.timeout_at(deadline, work).await;
        });
        rt.sleep(Duration::from_micros(20)).await;
    }
}

async fn draws(rt: Rt, count: u64) {
    let sum = (0..count).map(|id| rt.random(GAPS, id).unit()).sum::<f64>();
    assert!(sum > 0.0);
}
