//! Real time: order and ends, never how long something took. Every test runs on every kind of alarm the system has.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use std::time::Duration;

use coldfront_clock::Instant;

use super::alarm::Kind;
use super::driver::LiveTimers;
use super::{Clock, run_with};
use crate::{Class, Either, Rt, Stop, join_all, race};

/// Longer than any test may take: if it is waited for, something was lost.
const NEVER: Duration = Duration::from_secs(120);

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

fn run_on<F: Future>(kind: Kind, main: impl FnOnce(Rt) -> F) -> F::Output {
    run_with(|clock| kind.start(clock), &Clock::start(), 1, main)
}

/// Runs `main` once on each kind of alarm.
fn run<F: Future<Output = ()>>(main: impl Fn(Rt) -> F) {
    for &kind in Kind::ALL {
        run_on(kind, &main);
    }
}

/// The message of a panic.
fn message_of(run: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(run)).expect_err("the run should have panicked");
    match payload.downcast::<&str>() {
        Ok(text) => (*text).to_owned(),
        Err(payload) => *payload.downcast().unwrap(),
    }
}

#[test]
fn real_waits_end_in_the_order_of_their_deadlines_and_never_early() {
    run(|rt| async move {
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
        assert_eq!(*ended.lock().unwrap(), [1, 3, 5, 7, 9]);
    });
}

#[test]
fn real_a_reached_moment_completes_without_yielding() {
    run(|rt| async move {
        let lazy = rt.spawn("lazy", async {});
        rt.sleep(Duration::ZERO).await;
        rt.sleep_until(Instant::ZERO).await;
        assert!(!lazy.is_finished(), "the wait let another task run");
        lazy.await;
    });
}

#[test]
fn real_a_cancelled_wait_does_not_hold_back_a_later_one() {
    run(|rt| async move {
        let soon = rt.now() + ms(1);
        assert_eq!(rt.timeout_at(rt.now() + NEVER, rt.sleep_until(soon)).await, Ok(()));
        // The alarm is set for the first wait, which is gone when it rings.
        assert_eq!(race(rt.sleep(ms(1)), std::future::ready(())).await, Either::Second(()));
        assert_eq!(race(rt.sleep(ms(3)), rt.sleep(NEVER)).await, Either::First(()));
        // The alarm is set for the later one first.
        assert_eq!(race(rt.sleep(NEVER), rt.sleep(ms(1))).await, Either::Second(()));
        assert!(rt.timeout_at(rt.now() + ms(1), std::future::pending::<()>()).await.is_err());
    });
}

#[test]
fn real_ten_thousand_waits_all_end() {
    run(|rt| async move {
        let ended = Arc::new(AtomicUsize::new(0));
        let waits: Vec<_> = (0..10_000_u64)
            .map(|number| {
                let (timer, ended) = (rt.clone(), Arc::clone(&ended));
                rt.spawn("waiter", async move {
                    timer.sleep(Duration::from_nanos(number * 7_919 % 20_000_000)).await;
                    ended.fetch_add(1, Ordering::Relaxed);
                })
            })
            .collect();
        for wait in waits {
            wait.await;
        }
        assert_eq!(ended.load(Ordering::Relaxed), 10_000);
    });
}

#[test]
fn real_timers_fire_beside_a_task_that_is_always_runnable() {
    run(|rt| async move {
        let busy = rt.spawn("busy", async {
            std::future::poll_fn(|cx| {
                cx.waker().wake_by_ref();
                std::task::Poll::<()>::Pending
            })
            .await;
        });
        for _ in 0..20 {
            rt.sleep(Duration::from_micros(200)).await;
        }
        busy.abort();
    });
}

#[test]
fn real_main_is_polled_only_when_it_was_woken_itself() {
    run(|rt| async move {
        let timer = rt.clone();
        let ticks = rt.spawn("ticks", async move {
            for _ in 0..50 {
                timer.sleep(Duration::from_micros(100)).await;
            }
        });
        let mut polls = 0;
        let mut ticks = std::pin::pin!(ticks);
        std::future::poll_fn(|cx| {
            polls += 1;
            ticks.as_mut().poll(cx)
        })
        .await;
        assert_eq!(polls, 2);
    });
}

#[test]
fn real_another_thread_may_wait_spawn_and_abort() {
    run(|rt| async move {
        let (to, back) = tokio::sync::oneshot::channel();
        let remote = rt.clone();
        let thread = std::thread::spawn(move || {
            super::run(&Clock::start(), 2, |own| async move {
                assert_eq!((own.seed(), remote.seed()), (2, 1));
                let ended = remote.spawn("asked from afar", {
                    let remote = remote.clone();
                    async move {
                        remote.sleep(ms(1)).await;
                        7
                    }
                });
                // The other run's timer wakes this thread.
                remote.sleep(ms(2)).await;
                remote.spawn("endless", std::future::pending::<()>()).abort();
                to.send(ended.await).unwrap();
            });
        });
        assert_eq!(rt.timeout_at(rt.now() + NEVER, back).await, Ok(Ok(7)));
        thread.join().unwrap();
    });
}

#[test]
fn real_a_stop_from_another_thread_ends_a_wait() {
    run(|_| async move {
        let stop = Stop::new();
        let asked = stop.clone();
        let thread = std::thread::spawn(move || asked.request());
        stop.requested().await;
        thread.join().unwrap();
    });
}

#[test]
fn real_what_is_left_is_dropped_before_the_run_returns() {
    for &kind in Kind::ALL {
        let left = Arc::new(());
        let (task, daemon) = (Arc::clone(&left), Arc::clone(&left));
        run_on(kind, |rt| async move {
            rt.spawn_detached("task", keep_forever(task));
            rt.spawn_daemon("daemon", keep_forever(daemon));
            rt.sleep(ms(1)).await;
        });
        assert_eq!(Arc::strong_count(&left), 1);
    }
}

async fn keep_forever(_kept: Arc<()>) {
    std::future::pending::<()>().await;
}

#[test]
fn real_the_panic_of_a_detached_task_ends_the_run() {
    for &kind in Kind::ALL {
        let message = message_of(|| {
            run_on(kind, |rt| async move {
                rt.spawn_detached("faulty", async { panic!("out of cheese") });
                rt.sleep(NEVER).await;
            });
        });
        assert_eq!(message, "out of cheese");
    }
}

#[test]
fn real_the_panic_of_an_awaited_task_ends_the_run() {
    let message = message_of(|| {
        run_on(Kind::ALL[0], |rt| async move { rt.spawn("faulty", async { panic!("out of cheese") }).await });
    });
    assert_eq!(message, "out of cheese");
}

#[test]
fn real_waiting_for_an_aborted_task_is_a_mistake_and_says_so() {
    let message = message_of(|| {
        run_on(Kind::ALL[0], |rt| async move {
            let task = rt.spawn("victim", std::future::pending::<()>());
            task.abort();
            task.await;
        });
    });
    assert_eq!(message, "waited for a task of kind \"victim\" that was aborted");
}

#[test]
fn real_a_restarted_clock_counts_from_the_restart() {
    for &kind in Kind::ALL {
        let clock = Clock::start();
        let shared = clock.clone();
        run_with(
            |clock| kind.start(clock),
            &clock,
            1,
            |rt| async move {
                let at = Instant::after_start(ms(60));
                let pending = rt.spawn("pending", rt.sleep_until(at));
                rt.sleep(ms(50)).await;
                let before = rt.now();
                // On a machine that is busy enough the wait is over already; it may also be due and not yet polled.
                let was_pending = !pending.is_finished();
                shared.restart();
                assert!(rt.now() < before);
                pending.await;
                assert!(!was_pending || rt.now() >= at, "a pending wait keeps its moment");
            },
        );
    }
}

#[test]
fn real_a_wait_that_was_due_before_a_restart_but_not_polled_is_set_again() {
    let clock = Clock::start();
    let (alarm, _listener) = Kind::Thread.start(&clock).unwrap();
    let timers = LiveTimers::new(clock.clone(), alarm);
    let at = Instant::after_start(ms(20));
    let (mut slot, mut due) = (crate::sleep::UNREGISTERED, Vec::new());
    let mut poll = || timers.poll_sleep(at, Class::Completion, &mut slot, &Context::from_waker(Waker::noop()));
    assert!(poll().is_pending());
    while !timers.take_due(&mut due) {}
    clock.restart();
    assert!(poll().is_pending());
    due.clear();
    while !timers.take_due(&mut due) {}
    assert!(clock.now() >= at && poll().is_ready());
}
