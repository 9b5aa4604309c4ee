//! Goal: the same binary, file and seed give the same run, event by event.
//!
//! Method: every catalogue scenario twice per seed with the event trace on. A difference is reported as the first event that
//! differs, not as a total that does; then the JSON results must be byte-identical. Different seeds must differ.

use crate::support::{json, simulate_traced};

const SEEDS: [u64; 3] = [1, 7, 4_242];

#[test]
fn every_catalogue_scenario_is_the_same_twice() {
    for entry in coldfront_scenarios::catalog() {
        for seed in SEEDS {
            let (first, second) = (simulate_traced(entry.text, seed), simulate_traced(entry.text, seed));
            let (a, b) = (first.trace(), second.trace());
            if let Some(at) = a.iter().zip(b).position(|(a, b)| a != b) {
                panic!(
                    "{} with seed {seed}: event {at} differs:\n  first  {:?}\n  second {:?}",
                    entry.name, a[at], b[at]
                );
            }
            assert_eq!(a.len(), b.len(), "{} with seed {seed}: one run has more events", entry.name);
            assert!(!a.is_empty(), "{}: the trace is on", entry.name);
            assert_eq!(json(&first), json(&second), "{} with seed {seed}: the JSON differs", entry.name);
        }
    }
}

#[test]
fn another_seed_is_another_run() {
    let entry = coldfront_scenarios::catalog().iter().find(|entry| entry.name == "cold-pool-spike").expect("it ships");
    assert_ne!(simulate_traced(entry.text, 1).trace(), simulate_traced(entry.text, 2).trace());
}

#[test]
fn a_run_does_not_depend_on_the_thread_that_runs_it() {
    let entry = coldfront_scenarios::catalog().iter().find(|entry| entry.name == "burst-0-500-0").expect("it ships");
    let here = json(&simulate_traced(entry.text, 7));
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(move || json(&simulate_traced(entry.text, 7)))).collect();
    for thread in threads {
        assert_eq!(thread.join().expect("the simulation does not panic"), here);
    }
}
