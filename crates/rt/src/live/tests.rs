//! Real time: order and ends; never how long something took.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use coldfront_clock::Instant;

use super::{Clock, thread_alarm};
use crate::{Either, Rt, Stop, join_all, live, race};

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

fn run<F: Future>(main: impl FnOnce(Rt) -> F) -> F::Output {
    live::run(&Clock::start(), 1, main)
}

#[test]
fn real_waits_end_in_the_order_of_their_deadlines_and_never_early() {
    let order = run(|rt| async move {
        let ended = Arc::new(Mutex::new(Vec::new()));
        let waits = [5, 1, 9, 3, 7].map(|after| {
            let (timer, ended) = (rt.clone(), Arc::clone(&ended));
            rt.spawn("waiter", async move {
                let at = Instant::after_start(ms(after));
                timer.sleep_until(at).await;
                assert!(timer.now() >= at, "woken early");
                ended.lock().unwrap().push(after);
            })
        });
        join_all(waits).await;
        Arc::into_inner(ended).unwrap().into_inner().unwrap()
    });
    assert_eq!(order, [1, 3, 5, 7, 9]);
}

#[test]
fn real_the_portable_alarm_rings_at_the_moment_set_last() {
    run(|rt| async move {
        let clock = Clock::start();
        let (alarm, mut listener) = thread_alarm::alarm(clock.clone()).unwrap();
        alarm.set(Instant::after_start(Duration::from_secs(3600)));
        alarm.set(clock.now() + ms(2));
        let rung = race(listener.rung(), rt.sleep(Duration::from_secs(60))).await;
        assert_eq!(rung, Either::First(()));
        assert!(clock.now() >= Instant::after_start(ms(2)));
    });
}

#[test]
fn real_a_stop_from_another_thread_ends_a_wait() {
    let stop = Stop::new();
    let asked = stop.clone();
    let thread = std::thread::spawn(move || asked.request());
    run(|_| async move { stop.requested().await });
    thread.join().unwrap();
}

#[test]
fn real_a_restarted_clock_counts_from_the_restart() {
    let clock = Clock::start();
    let shared = clock.clone();
    live::run(&clock, 1, |rt| {
        let clock = shared.clone();
        async move {
            rt.sleep(ms(5)).await;
            assert!(rt.now() >= Instant::after_start(ms(5)));
            clock.restart();
            let restarted = rt.now();
            assert!(restarted < Instant::after_start(ms(5)), "{restarted}");
            let pending = rt.sleep_until(Instant::after_start(ms(3)));
            pending.await;
            assert!(rt.now() >= Instant::after_start(ms(3)));
        }
    });
    assert!(shared.now() > Instant::ZERO);
}
