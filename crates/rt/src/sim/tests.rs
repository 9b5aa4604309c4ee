//! The simulator: order, cancellation, ends and errors.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use coldfront_clock::Instant;

use super::SimError;
use crate::{Class, Either, Rt, Stop, join_all, race, sim};

/// What happened, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn push(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// Runs `main` with seed 1 and no stop.
fn simulate<F>(main: impl FnOnce(Rt) -> F) -> F::Output
where
    F: Future + Send + 'static,
{
    sim::run(1, Stop::new(), main).expect("the test's run ends by itself")
}

#[test]
fn the_clock_jumps_to_each_deadline_and_nowhere_else() {
    simulate(|rt| async move {
        assert_eq!(rt.now(), Instant::ZERO);
        rt.sleep(Duration::from_secs(3600)).await;
        assert_eq!(rt.now(), Instant::after_start(Duration::from_secs(3600)));
        rt.sleep_until(Instant::from_nanos(5)).await;
        assert_eq!(rt.now(), Instant::after_start(Duration::from_secs(3600)));
    });
}

#[test]
fn within_an_instant_classes_take_turns_and_equal_ones_keep_their_order() {
    let log = Log::default();
    simulate(|rt| {
        let log = log.clone();
        async move {
            let at = Instant::from_nanos(10);
            for (number, class) in [Class::Arrival, Class::Timeout, Class::Completion, Class::Event]
                .into_iter()
                .cycle()
                .take(8)
                .enumerate()
            {
                let (rt, log) = (rt.clone(), log.clone());
                drop(rt.clone().spawn("waiter", async move {
                    rt.sleep_until_class(at, class).await;
                    log.push(format!("{class:?} {number}"));
                }));
            }
            rt.sleep(ms(1)).await;
        }
    });
    assert_eq!(
        log.take(),
        ["Event 3", "Event 7", "Completion 2", "Completion 6", "Timeout 1", "Timeout 5", "Arrival 0", "Arrival 4"]
    );
}

#[test]
fn a_completion_that_passes_through_tasks_still_beats_the_timeout_of_its_instant() {
    let outcome = simulate(|rt| async move {
        let at = Instant::from_nanos(10);
        let (first_out, first_in) = tokio::sync::oneshot::channel();
        let (second_out, second_in) = tokio::sync::oneshot::channel();
        let waiter = rt.spawn("waiter", {
            let rt = rt.clone();
            // Registered before the completion, and woken by it once before the second half is there.
            async move { rt.timeout_at(at, join_all([first_in, second_in])).await.is_ok() }
        });
        let relay = rt.clone();
        drop(rt.spawn("worker", async move {
            relay.sleep_until(at).await;
            first_out.send(()).unwrap();
            drop(relay.spawn("relay", async move { second_out.send(()).unwrap() }));
        }));
        waiter.await
    });
    assert!(outcome, "the work ended in its deadline's own instant");
}

#[test]
fn a_task_that_waits_for_nothing_is_named() {
    let result = sim::run(1, Stop::new(), |rt| async move {
        drop(rt.spawn("lost", std::future::pending::<()>()));
        drop(rt.spawn("lost", std::future::pending::<()>()));
        rt.spawn_daemon("daemon", std::future::pending());
        rt.sleep(ms(7)).await;
        rt.sleep_until(Instant::MAX).await;
    });
    assert_eq!(result, Err(SimError::Stuck { kinds: vec!["main", "lost"], at: Instant::after_start(ms(7)) }));
}

#[test]
fn a_run_of_48_hours_with_a_tick_every_second() {
    let ticks = simulate(|rt| async move {
        let mut ticks = 0_u32;
        while rt.now() < Instant::after_start(Duration::from_secs(48 * 3600)) {
            rt.sleep(Duration::from_secs(1)).await;
            ticks += 1;
        }
        ticks
    });
    assert_eq!(ticks, 172_800);
}

#[test]
fn a_race_is_woken_by_either_side() {
    let won = simulate(|rt| async move {
        let permit = tokio::sync::Semaphore::new(0);
        matches!(race(permit.acquire(), rt.sleep(ms(1))).await, Either::Second(()))
    });
    assert!(won);
}
