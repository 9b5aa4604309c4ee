//! When a wait ends, and in which order.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::{Class, Either, Elapsed, join_all, race};

const CLASSES: [Class; 4] = [Class::Event, Class::Completion, Class::Timeout, Class::Arrival];

/// How many deadlines the run on this thread has set.
fn timers() -> usize {
    sim::core::Core::with(sim::core::Core::timers_len)
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
fn a_reached_moment_completes_without_yielding() {
    simulate(|rt| async move {
        let log = Log::default();
        rt.spawn_detached("other", {
            let log = log.clone();
            async move { log.push("other") }
        });
        rt.sleep(Duration::ZERO).await;
        rt.sleep_until(Instant::ZERO).await;
        rt.sleep_until_class(Instant::ZERO, Class::Event).await;
        assert_eq!(log.take(), [""; 0]);
    });
}

#[test]
fn a_deadline_or_arrival_of_this_instant_waits_for_its_turn() {
    let log = Log::default();
    simulate(|rt| {
        let log = log.clone();
        async move {
            rt.sleep(ms(1)).await;
            for class in [Class::Arrival, Class::Timeout, Class::Completion] {
                let (timer, log) = (rt.clone(), log.clone());
                rt.spawn_detached("waiter", async move {
                    timer.sleep_until_class(timer.now(), class).await;
                    log.push(format!("{class:?}"));
                });
            }
            rt.spawn("worker", async {}).await;
            log.push("work");
            rt.sleep_until_class(rt.now(), Class::Arrival).await;
            log.push("last");
            // The turn of arrivals has come, so from now on nothing of this instant has to wait, or yields.
            let other = rt.spawn("other", async {});
            for class in CLASSES {
                rt.sleep_until_class(rt.now(), class).await;
            }
            assert!(!other.is_finished());
            assert_eq!(rt.now(), at_ms(1));
        }
    });
    assert_eq!(log.take(), ["Completion", "work", "Timeout", "Arrival", "last"]);
}

#[test]
fn within_an_instant_classes_take_turns_and_equal_ones_keep_their_order() {
    let log = Log::default();
    simulate(|rt| {
        let log = log.clone();
        async move {
            let at = Instant::from_nanos(10);
            for (number, class) in CLASSES.into_iter().rev().cycle().take(8).enumerate() {
                let (timer, log) = (rt.clone(), log.clone());
                rt.spawn_detached("waiter", async move {
                    timer.sleep_until_class(at, class).await;
                    log.push(format!("{class:?} {number}"));
                });
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
fn what_a_wait_sets_off_runs_before_the_next_wait_of_its_instant() {
    let log = Log::default();
    simulate(|rt| {
        let log = log.clone();
        async move {
            for name in ["first", "second"] {
                let (timer, log) = (rt.clone(), log.clone());
                rt.spawn_detached("waiter", async move {
                    timer.sleep_until(at_ms(1)).await;
                    log.push(name);
                    timer.spawn("follower", std::future::ready(())).await;
                    log.push(format!("after {name}"));
                });
            }
            rt.sleep(ms(2)).await;
        }
    });
    assert_eq!(log.take(), ["first", "after first", "second", "after second"]);
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
        rt.spawn_detached("worker", async move {
            relay.sleep_until(at).await;
            first_out.send(()).unwrap();
            relay.spawn_detached("relay", async move { second_out.send(()).unwrap() });
        });
        waiter.await
    });
    assert!(outcome, "the work ended in its deadline's own instant");
}

#[test]
fn a_timeout_polls_the_work_first_and_sets_no_timer_for_work_that_is_done() {
    simulate(|rt| async move {
        rt.sleep(ms(5)).await;
        let long_ago = Instant::ZERO;
        assert_eq!(rt.timeout_at(long_ago, std::future::ready(7)).await, Ok(7));
        assert_eq!(rt.timeout_at(at_ms(9), std::future::ready(7)).await, Ok(7));
        assert_eq!(timers(), 0);
        assert_eq!(rt.timeout_at(long_ago, std::future::pending::<()>()).await, Err(Elapsed));
        assert_eq!(rt.now(), at_ms(5));
    });
}

#[test]
fn work_that_ends_in_the_instant_of_its_deadline_is_in_time() {
    simulate(|rt| async move {
        let deadline = at_ms(10);
        assert_eq!(rt.timeout_at(deadline, rt.sleep_until(deadline)).await, Ok(()));
        let later = deadline + ms(10);
        let too_late = later + Duration::from_nanos(1);
        assert_eq!(rt.timeout_at(later, rt.sleep_until(too_late)).await, Err(Elapsed));
        assert_eq!(rt.now(), later);
    });
}

#[test]
fn a_cancelled_deadline_leaves_at_once_and_never_moves_the_clock() {
    simulate(|rt| async move {
        let long = rt.sleep(Duration::from_secs(3600));
        assert!(matches!(race(long, rt.sleep(ms(1))).await, Either::Second(())));
        assert_eq!(timers(), 0);
        // A wait that fired, but was never asked again, gives its slot back as well.
        let _ = race(rt.sleep(ms(1)), join_all([rt.sleep(ms(1)), rt.sleep(ms(1))])).await;
        assert_eq!(timers(), 0);
        assert_eq!(rt.now(), at_ms(2));
    });
}

#[test]
fn tasks_have_their_first_turn_in_the_order_of_their_spawn() {
    let log = Log::default();
    simulate(|rt| {
        let log = log.clone();
        async move {
            for name in ["a", "b", "c"] {
                let log = log.clone();
                rt.spawn_detached("task", async move { log.push(name) });
            }
            rt.sleep(ms(1)).await;
        }
    });
    assert_eq!(log.take(), ["a", "b", "c"]);
}

#[test]
fn a_run_of_48_hours_with_a_tick_every_second() {
    let ticks = simulate(|rt| async move {
        let end = Instant::after_start(Duration::from_secs(48 * 3600));
        let mut ticks = 0_u32;
        while rt.now() < end {
            rt.sleep(Duration::from_secs(1)).await;
            ticks += 1;
        }
        assert_eq!(rt.now(), end);
        ticks
    });
    assert_eq!(ticks, 172_800);
}

#[test]
fn the_last_moment_but_one_can_be_reached_and_the_last_never_comes() {
    let result = sim::run(1, Stop::new(), |rt| async move {
        rt.sleep_until(Instant::from_nanos(u64::MAX - 1)).await;
        rt.sleep(Duration::MAX).await;
    });
    let at = Instant::from_nanos(u64::MAX - 1);
    assert_eq!(result, Err(sim::SimError::Stuck { kinds: vec!["main"], at }));
}

proptest! {
    #[test]
    fn waits_end_sorted_by_moment_class_and_order_of_registration(
        waits in prop::collection::vec((0..6_u64, 0..4_usize), 1..60),
    ) {
        let log = Log::default();
        let (input, output) = (Arc::new(waits.clone()), log.clone());
        simulate(|rt| async move {
            // Past time zero, so that no wait is over before it is registered.
            for (number, &(at, class)) in input.iter().enumerate() {
                let (timer, log) = (rt.clone(), output.clone());
                rt.spawn_detached("waiter", async move {
                    timer.sleep_until_class(at_ms(1 + at), CLASSES[class]).await;
                    assert_eq!(timer.now(), at_ms(1 + at));
                    log.push(number.to_string());
                });
            }
            rt.sleep(ms(10)).await;
        });
        let mut expected: Vec<usize> = (0..waits.len()).collect();
        expected.sort_by_key(|&number| waits[number]);
        let expected: Vec<_> = expected.iter().map(ToString::to_string).collect();
        prop_assert_eq!(log.take(), expected);
    }
}
