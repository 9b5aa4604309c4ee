//! The same seed gives the same run.

use proptest::prelude::*;
use tokio::sync::Semaphore;

use super::*;
use crate::{Stream, race};

const WORK: Stream = Stream::named("work");

/// A run with contention, cancellation, spawns and draws; what each task did and when.
fn story(seed: u64, tasks: u64) -> Vec<String> {
    let log = Log::default();
    let kept = log.clone();
    sim::run(seed, Stop::new(), |rt| async move {
        let permits = Arc::new(Semaphore::new(3));
        let running: Vec<_> = (0..tasks)
            .map(|id| rt.spawn("request", request(rt.clone(), id, Arc::clone(&permits), log.clone())))
            .collect();
        for request in running {
            request.await;
        }
    })
    .unwrap();
    kept.take()
}

async fn request(rt: Rt, id: u64, permits: Arc<Semaphore>, log: Log) {
    let mut draws = rt.random(WORK, id);
    for step in 0..4 {
        // Coarse, so that many moments coincide.
        let pause = ms(draws.next_u64() % 4);
        rt.sleep(pause).await;
        let deadline = rt.now() + ms(3);
        let outcome = rt.timeout_at(deadline, permits.acquire()).await;
        log.push(format!("{id}.{step} {} {}", outcome.is_ok(), rt.now()));
        let _ = race(rt.sleep(ms(draws.next_u64() % 3)), rt.spawn("side", rt.sleep(ms(1)))).await;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn a_run_is_the_same_twice_on_any_thread(seed in any::<u64>(), tasks in 1..40_u64) {
        let first = story(seed, tasks);
        // Runs before it on the same thread leave no trace.
        let second = story(seed, tasks);
        let elsewhere = std::thread::spawn(move || story(seed, tasks)).join().unwrap();
        prop_assert_eq!(&first, &second);
        prop_assert_eq!(&first, &elsewhere);
    }
}

#[test]
fn another_seed_gives_another_run() {
    assert_ne!(story(1, 20), story(2, 20));
}
