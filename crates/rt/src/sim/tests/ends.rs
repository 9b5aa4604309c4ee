//! How a run ends: with its output, an error or a panic; and what becomes of the rest.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::sync::Notify;

use super::*;
use crate::sim::SimError;
use crate::{Either, join_all, race};

fn run<F>(main: impl FnOnce(Rt) -> F) -> Result<F::Output, SimError>
where
    F: Future + Send + 'static,
{
    sim::run(1, Stop::new(), main)
}

fn panics(run: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(run)).is_err()
}

#[test]
fn a_task_that_waits_for_nothing_is_named() {
    let result = run(|rt| async move {
        drop(rt.spawn("lost", std::future::pending::<()>()));
        drop(rt.spawn("lost", std::future::pending::<()>()));
        rt.spawn_daemon("daemon", std::future::pending());
        rt.sleep(ms(7)).await;
        rt.sleep_until(Instant::MAX).await;
    });
    let error = SimError::Stuck { kinds: vec!["main", "lost"], at: at_ms(7) };
    assert_eq!(error.to_string(), "stuck at 7ms: main, lost wait for what cannot come");
    assert_eq!(result, Err(error));
}

#[test]
fn a_daemon_that_ticks_forever_does_not_hide_that_the_rest_is_stuck() {
    let result = run(|rt| async move {
        let timer = rt.clone();
        rt.spawn_daemon("scaler", async move {
            loop {
                timer.sleep(ms(1)).await;
            }
        });
        std::future::pending::<()>().await;
    });
    assert!(matches!(result, Err(SimError::Stuck { kinds, .. }) if kinds == ["main"]));
}

#[test]
fn a_busy_daemon_is_no_reason_to_give_up_a_task_with_a_timer() {
    let ticks = run(|rt| async move {
        let timer = rt.clone();
        rt.spawn_daemon("scaler", async move {
            loop {
                timer.sleep(Duration::from_nanos(1)).await;
            }
        });
        rt.sleep(ms(11)).await;
    });
    assert_eq!(ticks, Ok(()));
}

#[test]
fn tasks_that_keep_each_other_busy_end_the_run() {
    let result = run(|rt| async move {
        rt.sleep(ms(3)).await;
        let (ping, pong) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        for (own, other) in [(Arc::clone(&ping), Arc::clone(&pong)), (pong, ping)] {
            rt.spawn_detached("player", async move {
                loop {
                    other.notify_one();
                    own.notified().await;
                }
            });
        }
        std::future::pending::<()>().await;
    });
    let expected = SimError::TooManyEventsAtOneInstant { kind: "player", at: at_ms(3), limit: 10_000_000 };
    assert_eq!(result, Err(expected));
}

#[test]
fn a_loop_of_waits_for_the_past_ends_the_run_although_it_never_yields() {
    let result = run(|rt| async move {
        rt.sleep(ms(3)).await;
        loop {
            rt.sleep(Duration::ZERO).await;
        }
    });
    let expected = SimError::TooManyEventsAtOneInstant { kind: "main", at: at_ms(3), limit: 10_000_000 };
    assert_eq!(result, Err::<(), _>(expected));
}

#[test]
fn after_a_stop_the_main_future_may_end_by_itself() {
    let stop = Stop::new();
    let seen = stop.clone();
    let result = sim::run(1, stop.clone(), |rt| async move {
        let timer = rt.clone();
        rt.spawn_detached("operator", async move {
            timer.sleep(ms(5)).await;
            stop.request();
        });
        let Either::First(()) = race(seen.requested(), rt.sleep(ms(100))).await else { return None };
        // Cleaning up may take virtual time.
        rt.sleep(ms(1)).await;
        seen.requested().await;
        Some(rt.now())
    });
    assert_eq!(result, Ok(Some(at_ms(6))));
}

#[test]
fn a_main_future_that_does_not_heed_a_stop_is_interrupted() {
    let stop = Stop::new();
    let asked = stop.clone();
    let result = sim::run(1, stop, |rt| async move {
        rt.sleep(ms(5)).await;
        asked.request();
        loop {
            rt.sleep(Duration::from_nanos(1)).await;
        }
    });
    let Err(SimError::Interrupted { at }) = result else { panic!("not interrupted: {result:?}") };
    assert!(at > at_ms(5) && at < at_ms(7), "{at}");
}

#[test]
fn a_stop_from_another_thread_reaches_a_run_that_never_waits_for_it() {
    let stop = Stop::new();
    let asked = stop.clone();
    let thread = std::thread::spawn(move || asked.request());
    let result = sim::run(1, stop, |rt| async move {
        loop {
            rt.sleep(ms(1)).await;
        }
    });
    thread.join().unwrap();
    assert!(matches!(result, Err::<(), _>(SimError::Interrupted { .. })));
}

#[test]
fn stuck_after_a_stop_counts_as_interrupted() {
    let stop = Stop::new();
    stop.request();
    let result = sim::run(1, stop, |_| std::future::pending::<()>());
    assert_eq!(result, Err(SimError::Interrupted { at: Instant::ZERO }));
}

#[test]
fn a_run_refuses_a_tokio_runtime_and_another_run_around_it() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let inside = runtime.block_on(async { run(|_| async {}) });
    assert_eq!(inside, Err(SimError::InsideTokio));
    let nested = run(|rt| async move {
        let nested = run(|_| async {});
        rt.sleep(ms(1)).await;
        nested
    });
    assert_eq!(nested, Ok(Err(SimError::Nested)));
}

#[test]
fn what_is_left_is_dropped_in_the_order_of_its_spawn_before_the_run_returns() {
    let log = Log::default();
    let output = simulate(|rt| {
        let log = log.clone();
        async move {
            // End first, so that their slots are used again, out of order.
            join_all([rt.spawn("short", async {}), rt.spawn("short", async {})]).await;
            let first = Tombstone { log: log.clone(), text: "first task" };
            rt.spawn_detached("task", keep(first));
            rt.spawn_daemon("daemon", keep(Tombstone { log: log.clone(), text: "daemon" }));
            drop(rt.spawn("task", keep(Tombstone { log: log.clone(), text: "never polled" })));
            let _local = Tombstone { log, text: "main" };
            7
        }
    });
    assert_eq!(output, 7);
    assert_eq!(log.take(), ["main", "first task", "daemon", "never polled"]);
}

async fn keep(kept: Tombstone) {
    std::future::pending::<()>().await;
    drop(kept);
}

/// Uses the run from its destructor, in every way.
struct Busy {
    rt: Rt,
    other: Arc<Notify>,
    log: Log,
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.other.notify_waiters();
        let late = Tombstone { log: self.log.clone(), text: "spawned too late" };
        let handle = self.rt.spawn("late", keep(late));
        handle.abort();
        drop(self.rt.sleep(ms(1)));
        self.log.push(format!("busy at {}", self.rt.now()));
    }
}

#[test]
fn a_destructor_may_use_the_run_that_is_ending() {
    let log = Log::default();
    simulate(|rt| {
        let log = log.clone();
        async move {
            let other = Arc::new(Notify::new());
            for _ in 0..2 {
                let busy = Busy { rt: rt.clone(), other: Arc::clone(&other), log: log.clone() };
                rt.spawn_detached("busy", async move {
                    busy.rt.timeout_at(at_ms(50), busy.other.notified()).await.ok();
                });
            }
            rt.sleep(ms(1)).await;
        }
    });
    assert_eq!(log.take(), ["spawned too late", "busy at 1ms", "spawned too late", "busy at 1ms"]);
}

#[test]
fn the_panic_of_a_task_ends_the_run_and_leaves_the_thread_fit_for_the_next() {
    let log = Log::default();
    let panicked = panics(|| {
        let _ = run(|rt| {
            let log = log.clone();
            async move {
                rt.spawn_detached("left", keep(Tombstone { log: log.clone(), text: "left" }));
                let timer = rt.clone();
                rt.spawn_detached("faulty", async move {
                    timer.sleep(ms(1)).await;
                    panic!("out of cheese");
                });
                let _local = Tombstone { log, text: "main" };
                rt.sleep(ms(2)).await;
            }
        });
    });
    assert!(panicked);
    assert_eq!(log.take(), ["main", "left"]);
    assert_eq!(run(|rt| async move { rt.now() }), Ok(Instant::ZERO));
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic!("not like this");
    }
}

#[test]
fn a_panic_while_the_rest_is_dropped_is_not_lost_and_stops_nothing() {
    let log = Log::default();
    let panicked = panics(|| {
        let _ = run(|rt| {
            let log = log.clone();
            async move {
                let bomb = PanicsWhenDropped;
                rt.spawn_detached("bomb", async move {
                    std::future::pending::<()>().await;
                    drop(bomb);
                });
                rt.spawn_detached("left", keep(Tombstone { log, text: "left" }));
            }
        });
    });
    assert!(panicked);
    assert_eq!(log.take(), ["left"]);
    assert_eq!(run(|rt| async move { rt.now() }), Ok(Instant::ZERO));
}

#[test]
fn a_handle_outlives_its_run_but_is_good_for_nothing() {
    let (old, sleep) = simulate(|rt| async move {
        let mut sleep = rt.sleep(ms(50));
        let _ = race(&mut sleep, std::future::ready(())).await;
        (rt, sleep)
    });
    assert_eq!(old.seed(), 1);
    assert!(old.is_sim());
    assert!(panics(|| assert_eq!(old.now(), Instant::ZERO)));
    // Dropping what is left of the old run does nothing to the next one.
    simulate(|rt| async move {
        let waiting = rt.spawn("waiter", rt.sleep(ms(1)));
        rt.spawn("other", async {}).await;
        drop(sleep);
        waiting.await;
    });
}
