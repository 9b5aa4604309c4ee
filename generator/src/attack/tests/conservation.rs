//! Whatever happens at the transport: one outcome per arrival, one request at a time per connection, bounds kept, and the
//! same again from the same seed.

use super::script::{How, Ran, Script, Seen, Step, run_how, scenario};
use crate::transport::TransportError;
use coldfront_measure::TraceEvent;
use coldfront_rt::Stream;
use coldfront_scenarios::Series;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const CHAOS: Stream = Stream::named("test.chaos");

/// A transport that does anything, as drawn from the request's id.
fn chaos(seed: u64) -> Script {
    let script = Script::new(move |request, connection| {
        let mut draws = CHAOS.draws(seed, request.id.wrapping_mul(31) + connection as u64);
        let takes = Duration::from_micros(draws.next_u64() % 60_000);
        match draws.next_u64() % 12 {
            0 => Step::Fails(TransportError::Stale, takes),
            1 => Step::Fails(TransportError::Reset, takes),
            2 => Step::Last(200, takes),
            3 => Step::Answer(429, takes),
            4 => Step::Answer(503, takes),
            5 => Step::Answer(500, takes),
            6 => Step::Answer(200, takes * 100),
            _ => Step::Answer(200, takes),
        }
    });
    let mut script = script.connecting(move |nth| {
        let mut draws = CHAOS.draws(!seed, nth as u64);
        match draws.next_u64() % 10 {
            0 => Err(TransportError::Refused),
            1 => Ok(Duration::from_secs(20)),
            _ => Ok(Duration::from_micros(draws.next_u64() % 30_000)),
        }
    });
    script.idle_for = seed.is_multiple_of(2).then_some(Duration::from_millis(7));
    script
}

fn attack(lines: &str, seed: u64, how: &How) -> Ran {
    let mut scenario =
        scenario(lines, &[("100ms", "{ from = \"0/s\", to = \"2000/s\" }"), ("200ms", "500/s"), ("100ms", "0/s")]);
    scenario.seed = seed;
    run_how(scenario, chaos(seed), how)
}

/// Checks what was told of each request: one offer, in order; then attempts; then one outcome, whose parts fit its time.
fn check_trace(ran: &Ran) {
    let (mut under_way, mut last) = (BTreeMap::new(), 0);
    for event in &ran.trace {
        match event {
            TraceEvent::Offered(arrival) => {
                assert!(arrival.intended_at.as_nanos() >= last, "offers are in intended order");
                last = arrival.intended_at.as_nanos();
                assert_eq!(under_way.insert(arrival.sequence, 0), None, "offered once");
            }
            TraceEvent::Sent(arrival, at) => {
                assert!(*at >= arrival.intended_at);
                let attempts = under_way.get_mut(&arrival.sequence).expect("sent while under way");
                *attempts += 1;
                assert!(*attempts <= 2, "tried again once at most");
            }
            TraceEvent::Outcome(sample) => {
                let attempts = under_way.remove(&sample.arrival.sequence).expect("ends while under way");
                let parts = sample.parts;
                let whole = parts.lateness
                    + parts.connect.unwrap_or_default()
                    + parts.first_byte.unwrap_or_default()
                    + parts.transfer.unwrap_or_default();
                assert!(whole <= sample.ended_at.since(sample.arrival.intended_at), "{sample:?}");
                assert_eq!(sample.status.is_some(), parts.transfer.is_some());
                assert!(sample.status.is_none() || attempts > 0, "an answer needs a question");
            }
            _ => {}
        }
    }
    assert!(under_way.is_empty(), "without an outcome: {under_way:?}");
}

/// Checks the books; `max` is the most connections.
fn check(ran: &Ran, max: usize) {
    let count = |series| ran.totals.count(series);
    let outcomes = [
        Series::Ok,
        Series::Rejected,
        Series::Shed,
        Series::TimedOut,
        Series::Failed,
        Series::Dropped,
        Series::Unfinished,
    ];
    let sum: u64 = outcomes.into_iter().map(count).sum();
    assert_eq!((count(Series::Offered), count(Series::Offered)), (ran.summary.offered, sum));
    assert_eq!(ran.totals.level(Series::InFlight), Some(0).filter(|_| sum > 0));
    assert_eq!(count(Series::Attempts), ran.sends().len() as u64);
    let (mut open, mut last) = (BTreeSet::new(), 0);
    for (_, seen) in &ran.seen {
        match *seen {
            Seen::Connect => last += 1,
            Seen::Send { connection, .. } => {
                open.insert(connection);
            }
            Seen::Close(connection) => {
                open.remove(&connection);
            }
        }
        assert!(open.len() <= max, "{} connections carry requests", open.len());
    }
    assert!(last >= open.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_arrival_has_one_outcome(
        seed in any::<u64>(), random in any::<bool>(), max in 1_usize..40, bound in 1_u32..60, queue in 0_u32..30,
        timeout in prop::option::of(1_u64..200), stop_at in prop::option::of(0_u64..500), late_by in prop_oneof![Just(0), 0_u64..300],
    ) {
        let arrivals = if random { "poisson" } else { "uniform" };
        let timeout = timeout.map(|timeout| format!("timeout = \"{timeout}ms\"\n")).unwrap_or_default();
        let policy = match queue {
            0 => String::new(),
            _ => format!(", policy = \"queue\", capacity = {queue}"),
        };
        let lines = format!(
            "arrivals = \"{arrivals}\"\nconnections = {{ max = {max} }}\nin_flight = {{ max = {bound}{policy} }}\n{timeout}"
        );
        let how = How {
            stop_at: stop_at.map(Duration::from_millis),
            late_by: Duration::from_millis(late_by),
            ..How::default()
        };
        let ran = attack(&lines, seed % (1 << 62), &how);
        check(&ran, max);
        check_trace(&ran);
        let again = attack(&lines, seed % (1 << 62), &how);
        prop_assert_eq!(&ran.seen, &again.seen);
        prop_assert_eq!(&ran.trace, &again.trace);
        prop_assert_eq!((&ran.totals, &ran.summary), (&again.totals, &again.summary));
    }
}
