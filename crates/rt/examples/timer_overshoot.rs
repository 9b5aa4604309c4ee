//! How late the live timer is on this machine, and what a wake-up costs.
//!
//! `cargo run --release -p coldfront-rt --example timer_overshoot`
#![expect(clippy::print_stdout, reason = "an example speaks on standard output")]

use std::time::Duration;

use coldfront_rt::Rt;
use coldfront_rt::live::{self, Clock};

fn main() {
    live::run(&Clock::start(), 1, |rt| async move {
        waits(&rt, "100 µs, one by one", Duration::from_micros(100), 10_000).await;
        waits(&rt, "10 ms, one by one", Duration::from_millis(10), 200).await;
        paced(&rt, "paced at 5,000/s", Duration::from_micros(200), 10_000).await;
        paced(&rt, "paced at 20,000/s", Duration::from_micros(50), 40_000).await;
        crowd(&rt, 300);
        waits(&rt, "200 µs in a crowd", Duration::from_micros(200), 5_000).await;
    });
}

/// Starts tasks that are always runnable and take some microseconds a turn, as connections under load do.
fn crowd(rt: &Rt, count: u64) {
    for id in 0..count {
        let timer = rt.clone();
        rt.spawn_daemon(
            "busy",
            std::future::poll_fn(move |cx| {
                let until = timer.now() + Duration::from_nanos(2_000 + id);
                while timer.now() < until {}
                cx.waker().wake_by_ref();
                std::task::Poll::Pending
            }),
        );
    }
}

/// Waits `count` times for `gap`, each from the end of the one before.
async fn waits(rt: &Rt, what: &str, gap: Duration, count: usize) {
    let before = (rt.now(), processor_time());
    let mut overshoots = Vec::with_capacity(count);
    for _ in 0..count {
        let at = rt.now() + gap;
        rt.sleep_until(at).await;
        overshoots.push(rt.now().since(at));
    }
    report(rt, what, overshoots, before);
}

/// Waits for the multiples of `gap`, each in a task of its own that also guards a deadline, as a generator does.
async fn paced(rt: &Rt, what: &str, gap: Duration, count: usize) {
    let before = (rt.now(), processor_time());
    let mut overshoots = Vec::with_capacity(count);
    let mut at = rt.now();
    for _ in 0..count {
        at += gap;
        rt.sleep_until(at).await;
        overshoots.push(rt.now().since(at));
        let timer = rt.clone();
        rt.spawn_detached("request", async move {
            let deadline = timer.now() + Duration::from_secs(1);
            let _ = timer.timeout_at(deadline, timer.sleep(Duration::from_micros(300))).await;
        });
    }
    report(rt, what, overshoots, before);
}

fn report(rt: &Rt, what: &str, mut overshoots: Vec<Duration>, before: (coldfront_clock::Instant, Duration)) {
    let elapsed = rt.now().since(before.0);
    let spent = processor_time().saturating_sub(before.1);
    overshoots.sort_unstable();
    let at = |share: f64| overshoots[((overshoots.len() - 1) as f64 * share) as usize];
    println!(
        "{what:<20} late by p50 {:>9.1?}, p99 {:>9.1?}, max {:>9.1?}; {:.1} % of a core, {:.1?} per wait",
        at(0.5),
        at(0.99),
        at(1.0),
        spent.as_secs_f64() / elapsed.as_secs_f64() * 100.0,
        spent / overshoots.len() as u32,
    );
}

#[cfg(target_os = "linux")]
fn processor_time() -> Duration {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(spent.tv_sec.unsigned_abs(), spent.tv_nsec as u32)
}

/// Not known here.
#[cfg(not(target_os = "linux"))]
fn processor_time() -> Duration {
    Duration::ZERO
}
