use super::*;
use proptest::prelude::*;

#[test]
fn a_fill_takes_one_connect_time_per_round() {
    // 10 connections at 50 ms: parallel, three at once, one after the other.
    let connect = Duration::from_millis(50);
    let times = [10, 3, 1].map(|parallel| {
        let plan = FillPlan { watermark: 10, parallel, gate: true, keep: false };
        plan.fill_time(10, connect).as_millis()
    });
    assert_eq!(times, [50, 200, 500]);
}

#[test]
fn plans_follow_the_warm_up() {
    assert_eq!(FillPlan::of(WarmUp::Lazy, 10), None);
    let kept = FillPlan { watermark: 10, parallel: 10, gate: false, keep: true };
    assert_eq!(FillPlan::of(WarmUp::MinIdle { min: 20 }, 10), Some(kept));
    let plan = FillPlan::of(WarmUp::Prewarm { to: 8, parallel: 0, gate: true }, 10).unwrap();
    assert_eq!(plan, FillPlan { watermark: 8, parallel: 1, gate: true, keep: false });
    assert_eq!(plan.workers(5), 1);
}

#[test]
fn a_connection_is_counted_in_one_place_from_connect_to_close() {
    let mut books = Books::new(2);
    books.acquire_waits();
    assert!(books.start_connect(Purpose::Acquire));
    assert_eq!(books.levels(), Levels { size: 1, idle: 0, connecting: 1, waiters: 0 });
    books.end_connect(Purpose::Acquire, ConnectEnd::Opened);
    books.acquire_ended();
    assert_eq!(books.levels(), Levels { size: 1, ..Levels::default() });
    books.give_back();
    assert_eq!(books.levels(), Levels { size: 1, idle: 1, ..Levels::default() });
    books.take();
    books.close_in_use();
    assert_eq!(books.levels(), Levels::default());
}

#[test]
fn an_acquire_that_may_not_connect_is_a_waiter() {
    let mut books = Books::new(1);
    assert!(books.start_connect(Purpose::Fill));
    books.acquire_waits();
    assert!(!books.start_connect(Purpose::Acquire));
    assert_eq!(books.levels(), Levels { size: 1, idle: 0, connecting: 1, waiters: 1 });
    assert_eq!((books.missing(1), books.missing(9)), (0, 0));
    books.end_connect(Purpose::Fill, ConnectEnd::Gone);
    assert_eq!((books.missing(1), books.missing(9)), (1, 1));
}

proptest! {
    #[test]
    fn the_size_is_the_sum_of_its_parts_and_bounded(max in 1_u32..6, steps in prop::collection::vec(0_u8..7, 1..200)) {
        let mut books = Books::new(max);
        // Idle, in use, connects for acquires, connects for fills.
        let (mut idle, mut in_use, mut acquires, mut fills) = (0_u32, 0_u32, 0_u32, 0_u32);
        for step in steps {
            match step {
                0 => {
                    let free = idle + in_use + acquires + fills < max;
                    prop_assert_eq!(books.start_connect(Purpose::Acquire), free);
                    acquires += u32::from(free);
                }
                1 => {
                    let free = idle + in_use + acquires + fills < max;
                    prop_assert_eq!(books.start_connect(Purpose::Fill), free);
                    fills += u32::from(free);
                }
                2 if acquires > 0 => {
                    books.end_connect(Purpose::Acquire, ConnectEnd::Opened);
                    (acquires, in_use) = (acquires - 1, in_use + 1);
                }
                3 if fills > 0 => {
                    books.end_connect(Purpose::Fill, ConnectEnd::Opened);
                    (fills, idle) = (fills - 1, idle + 1);
                }
                4 if idle > 0 => {
                    books.take();
                    (idle, in_use) = (idle - 1, in_use + 1);
                }
                5 if in_use > 0 => {
                    books.give_back();
                    (idle, in_use) = (idle + 1, in_use - 1);
                }
                6 if idle > 0 => {
                    books.close_idle(1);
                    idle -= 1;
                }
                _ => {}
            }
            let levels = books.levels();
            prop_assert!(levels.size <= max);
            prop_assert_eq!(levels.size, idle + in_use + acquires + fills);
            prop_assert_eq!((levels.idle, levels.connecting), (idle, acquires + fills));
        }
    }
}
