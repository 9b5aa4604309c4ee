//! Random runs against an oracle that keeps every sample, and recordings merged against one that saw everything.

use super::*;
use crate::bounds::{Bounds, Extremes};
use crate::statistics::quantile_rank;
use proptest::prelude::*;

const STREAMS: usize = 2;

/// Everything that happened, in the order of the calls.
#[derive(Clone, Debug)]
struct Run {
    samples: Vec<Sample>,
    calls: Vec<Call>,
}

/// A call on a recorder.
#[derive(Clone, Copy, Debug)]
enum Call {
    Offered(usize),
    Sent(usize),
    Outcome(usize),
    Query(Instant),
    Level(Instant, u64),
    QueryTime(Instant, Duration),
}

impl Call {
    fn of_client(self) -> bool {
        matches!(self, Self::Offered(_) | Self::Sent(_) | Self::Outcome(_))
    }
}

fn two_streams() -> Scenario {
    let stream = |name: &str| {
        format!(
            r#"
            [[traffic]]
            name = "{name}"
            timeout = "300ms"
            deadline = "100ms"
            mix = [{{ get = "/catalog" }}, {{ get = "/items/{{key}}", keys = {{ count = 9 }} }}]
            stage = [{{ name = "{name}1", for = "1s", rate = "10/s" }}, {{ name = "{name}2", for = "1s", rate = "100/s" }}]
            "#
        )
    };
    let text = format!(
        r#"
        name = "two streams"
        {}{}
        [target.db]
        query = "1ms"
        [expect]
        e0 = "max(ok per 50ms) <= 3"
        e1 = "min(offered per 200ms) >= 1 during a2"
        e2 = "max(failed{{traffic=b}} per 300ms) <= 3 during run[500ms..1500ms]"
        e3 = "count(good) >= 0 during b2"
        e4 = "p90(latency) <= 80ms during a1"
        e5 = "ratio(ok / offered) >= 90%"
        e6 = "mean(db.in_flight) <= 5 during a2"
        e7 = "recovery(p90(latency per 100ms), 70ms) <= 1s after a1"
        e8 = "recovery(count(failed per 250ms), 1) <= 1s after b1"
        e9 = "max(db.queries per 100ms) <= 3"
        e10 = "max(in_flight{{traffic=a}}) <= 3"
        e11 = "max(db.query) <= 9ms during first1"
        "#,
        stream("a"),
        stream("b")
    );
    let text = text.replace(" during first1", " during a1[100ms..]");
    Scenario::parse(&text, "test.toml").unwrap_or_else(|error| panic!("{error:?}"))
}

fn outcomes() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        4 => Just(Outcome::Ok),
        1 => Just(Outcome::Failed),
        1 => Just(Outcome::Rejected),
        1 => Just(Outcome::Dropped)
    ]
}

fn runs() -> impl Strategy<Value = Run> {
    let request = (0..STREAMS as u16, 1_u64..2000, 0_u64..400, outcomes(), 0_u16..2);
    let target = (0_u64..2300, 0_u8..3, 0_u64..12);
    let requests = proptest::collection::vec(request, 0..80);
    (requests, proptest::collection::vec(target, 0..60)).prop_map(|(requests, target)| run(requests, &target))
}

fn run(mut requests: Vec<(u16, u64, u64, Outcome, u16)>, target: &[(u64, u8, u64)]) -> Run {
    requests.sort_by_key(|request| request.1);
    let mut sequences = [0; STREAMS];
    let mut samples = Vec::new();
    for (traffic, at, latency, outcome, route) in requests {
        let sequence = &mut sequences[usize::from(traffic)];
        let arrival = Arrival { traffic, route, ..arrival(*sequence, at) };
        *sequence += 1;
        samples.push(sample(arrival, outcome, latency));
    }
    // Equal times: target first, then the requests' own order.
    let mut calls: Vec<(Instant, u8, Call)> = Vec::new();
    for (index, sample) in samples.iter().enumerate() {
        calls.push((sample.arrival.intended_at, 1, Call::Offered(index)));
        if sample.outcome != Outcome::Dropped {
            calls.push((sample.arrival.intended_at, 2, Call::Sent(index)));
        }
        calls.push((sample.ended_at, 3, Call::Outcome(index)));
    }
    for (at, kind, value) in target {
        let call = match kind {
            0 => Call::Query(ms(*at)),
            1 => Call::Level(ms(*at), *value),
            _ => Call::QueryTime(ms(*at), millis(*value)),
        };
        calls.push((ms(*at), 0, call));
    }
    calls.sort_by_key(|call| (call.0, call.1));
    Run { samples, calls: calls.into_iter().map(|call| call.2).collect() }
}

fn record(plan: &Arc<Plan>, run: &Run, takes: impl Fn(&Run, Call) -> bool) -> Recording {
    let recorder = Recorder::new(plan.clone());
    for call in run.calls.iter().copied().filter(|call| takes(run, *call)) {
        match call {
            Call::Offered(at) => recorder.offered(&run.samples[at].arrival),
            Call::Sent(at) => recorder.sent(&run.samples[at].arrival, run.samples[at].arrival.intended_at),
            Call::Outcome(at) => recorder.outcome(&run.samples[at]),
            Call::Query(at) => recorder.count(Series::DbQueries, at),
            Call::Level(at, level) => recorder.gauge(Series::DbInFlight, at, level),
            Call::QueryTime(at, value) => recorder.observe(Series::DbQuery, at, value),
        }
    }
    recorder.finish(ms(2300))
}

/// Counts the events of every window that matters, anew each time.
fn windows(events: &[u64], from: u64, to: u64, per: u64) -> Extremes {
    let inside: Vec<u64> = events.iter().copied().filter(|at| *at > from && *at <= to).collect();
    let ends = inside.iter().flat_map(|at| [*at, at + per]).chain([from + per, to]);
    let in_scope = ends.filter(|end| *end >= from + per && *end <= to);
    let counts: Vec<u64> =
        in_scope.map(|end| inside.iter().filter(|at| **at + per > end && **at <= end).count() as u64).collect();
    let exact = |found: Option<&u64>| Bounds::exact(*found.unwrap());
    Extremes { min: exact(counts.iter().min()), max: exact(counts.iter().max()) }
}

fn extremes(recording: &Recording, expectation: usize) -> Extremes {
    let Measurement::Trailing(found) = measured(recording, expectation) else { panic!("no windows") };
    assert!(!found.is_given_up && found.disordered == 0);
    found.extremes.unwrap()
}

fn values(recording: &Recording, expectation: usize) -> &[Option<f64>] {
    let Measurement::Windows(windows) = measured(recording, expectation) else { panic!("no windows") };
    &windows.values
}

fn check_against_oracle(run: &Run, recording: &Recording) {
    let at = |sample: &Sample| sample.arrival.intended_at.as_nanos() / 1_000_000;
    let latency = |sample: &Sample| sample.ended_at.since(sample.arrival.intended_at).as_millis() as u64;
    let times = |takes: &dyn Fn(&Sample) -> bool| -> Vec<u64> {
        run.samples.iter().filter(|sample| takes(sample)).map(at).collect()
    };
    let (a, b) = (0, 1);
    // Trailing windows, in milliseconds: what the recorder counts in nanoseconds has the same steps.
    assert_eq!(extremes(recording, 0), windows(&times(&|s| s.outcome == Outcome::Ok), 0, 2300, 50));
    assert_eq!(extremes(recording, 1), windows(&times(&|s| s.arrival.traffic == a), 1000, 2000, 200));
    let failed_b = times(&|s| s.arrival.traffic == b && s.outcome == Outcome::Failed);
    assert_eq!(extremes(recording, 2), windows(&failed_b, 500, 1500, 300));
    let queries = run.calls.iter().filter_map(|call| match call {
        Call::Query(at) => Some((at.as_nanos() / 1_000_000).max(1)),
        _ => None,
    });
    assert_eq!(extremes(recording, 9), windows(&queries.collect::<Vec<_>>(), 0, 2300, 100));
    // Counts.
    let is_good = |s: &Sample| s.outcome == Outcome::Ok && latency(s) <= 100;
    let good = run.samples.iter().filter(|s| s.arrival.traffic == b && at(s) > 1000 && is_good(s)).count();
    assert_eq!(count(recording, 3), good as u64);
    assert_eq!(count(recording, 5), times(&|s| s.outcome == Outcome::Ok).len() as u64);
    assert_eq!(recording.expectations()[5].second, Some(Measurement::Count { count: run.samples.len() as u64 }));
    // The distribution of a1.
    let has_latency = |s: &Sample| s.arrival.traffic == a && s.outcome.has_latency();
    let mut of_a1: Vec<u64> = run.samples.iter().filter(|s| has_latency(s) && at(s) <= 1000).map(latency).collect();
    of_a1.sort_unstable();
    let Measurement::Distribution(split) = measured(recording, 4) else { panic!() };
    assert_eq!(split.at_most(), of_a1.iter().filter(|value| **value <= 80).count() as u64);
    assert_eq!(split.distribution().max(), of_a1.last().map(|value| millis(*value)));
    // Recovery windows after a1: exact quantiles of each.
    for (window, found) in values(recording, 7).iter().enumerate() {
        let from = 1000 + window as u64 * 100;
        let mut inside: Vec<u64> =
            run.samples.iter().filter(|s| has_latency(s) && at(s) > from && at(s) <= from + 100).map(latency).collect();
        inside.sort_unstable();
        let rank = quantile_rank(0.9, inside.len() as u64) as usize;
        assert_eq!(*found, rank.checked_sub(1).map(|index| (inside[index] * 1_000_000) as f64));
    }
    for (window, found) in values(recording, 8).iter().enumerate() {
        let from = 1000 + window as u64 * 250;
        let inside = failed_b.iter().filter(|at| **at > from && **at <= from + 250).count();
        assert_eq!(*found, Some(inside as f64));
    }
}

fn check_identity(run: &Run, recording: &Recording) {
    let totals = recording.totals();
    assert_eq!((totals.offered, totals.unaccounted), (run.samples.len() as u64, 0));
    assert_eq!(totals.offered, totals.resolved());
    for series in [Series::Offered, Series::Ok, Series::Sent, Series::Failed, Series::Good, Series::DbQueries] {
        let rows: u64 = (0..recording.rows().len()).map(|row| recording.rows().counter(series, row)).sum();
        assert_eq!(rows, recording.count(series), "{}", series.name());
    }
    let values: u64 = (0..recording.rows().len()).map(|row| recording.rows().latency(row).count).sum();
    assert_eq!(values, recording.latency().count());
}

/// Without what merging knows only as bounds: the extremes of several generators' windows and levels.
fn exact_part(recording: &Recording) -> Recording {
    let mut exact = recording.clone();
    for one in &mut exact.expectations {
        if !matches!(one.measured, Measurement::Count { .. } | Measurement::Distribution(_)) {
            one.measured = Measurement::Count { count: 0 };
        }
    }
    exact.gauges.iter_mut().for_each(|gauge| *gauge = None);
    exact.rows.gauges.iter_mut().for_each(|column| *column = crate::rows::GaugeRows::default());
    for row in &mut exact.rows.latency {
        *row = crate::rows::LatencyRow { count: row.count, max_ns: row.max_ns, ..crate::rows::LatencyRow::default() };
    }
    exact
}

fn merged(parts: [&Recording; 2]) -> Recording {
    let mut merged = parts[0].clone();
    merged.merge(parts[1].clone()).unwrap();
    merged
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn everything_equals_keeping_every_sample(run in runs()) {
        let recording = record(&Arc::new(Plan::compile(&two_streams())), &run, |_, _| true);
        check_identity(&run, &recording);
        check_against_oracle(&run, &recording);
    }

    #[test]
    fn a_generators_and_a_targets_recording_merge_to_one(run in runs()) {
        let plan = Arc::new(Plan::compile(&two_streams()));
        let client = record(&plan, &run, |_, call| call.of_client());
        let target = record(&plan, &run, |_, call| !call.of_client());
        let whole = record(&plan, &run, |_, _| true);
        prop_assert_eq!(&merged([&client, &target]), &whole);
        prop_assert_eq!(&merged([&target, &client]), &whole);
    }

    #[test]
    fn a_recording_survives_being_written(run in runs()) {
        let recording = record(&Arc::new(Plan::compile(&two_streams())), &run, |_, _| true);
        let text = serde_json::to_string(&recording).unwrap();
        prop_assert_eq!(serde_json::from_str::<Recording>(&text).unwrap(), recording);
    }

    #[test]
    fn shards_merge_exactly_in_counts_and_within_bounds_in_extremes(run in runs()) {
        let plan = Arc::new(Plan::compile(&two_streams()));
        let shard = |part: u64| record(&plan, &run, move |run, call| match call {
            Call::Offered(at) | Call::Sent(at) | Call::Outcome(at) => run.samples[at].arrival.sequence % 3 == part,
            _ => part == 0,
        });
        let shards = [shard(0), shard(1), shard(2)];
        let left = merged([&merged([&shards[0], &shards[1]]), &shards[2]]);
        let right = merged([&shards[0], &merged([&shards[1], &shards[2]])]);
        prop_assert_eq!(&left, &right);
        let whole = record(&plan, &run, |_, _| true);
        prop_assert_eq!(exact_part(&left), exact_part(&whole));
        for expectation in [0, 1, 2, 9] {
            let (bounds, exact) = (extremes(&left, expectation), extremes(&whole, expectation));
            prop_assert!(bounds.min.low <= exact.min.low && exact.min.high <= bounds.min.high);
            prop_assert!(bounds.max.low <= exact.max.low && exact.max.high <= bounds.max.high);
        }
        for (bound, exact) in values(&left, 7).iter().zip(values(&whole, 7)) {
            prop_assert!(bound.is_none() == exact.is_none() && bound >= exact);
        }
        prop_assert_eq!(values(&left, 8), values(&whole, 8));
    }
}
