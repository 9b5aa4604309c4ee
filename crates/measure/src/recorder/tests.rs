use super::*;
use crate::distribution::Distribution;
use crate::recording::Measurement;
use crate::sample::{ColdCosts, Parts};
use coldfront_scenarios::{Outcome, Scenario};

mod random;

/// A scenario of one stream: `quiet` (0, 1 s], `spike` (1 s, 2 s], `after` (2 s, 3 s]; deadline 100 ms, timeout 300 ms.
fn scenario(expectations: &str) -> Scenario {
    let text = format!(
        r#"
        name = "one stream"
        [[traffic]]
        name = "load"
        timeout = "300ms"
        deadline = "100ms"
        mix = [{{ get = "/catalog" }}, {{ get = "/items/{{key}}", keys = {{ count = 9 }} }}]
        stage = [
          {{ name = "quiet", for = "1s", rate = "10/s" }},
          {{ name = "spike", for = "1s", rate = "100/s" }},
          {{ name = "after", for = "1s", rate = "10/s" }},
        ]
        [target.gateway]
        workers = 4
        limiter = {{ kind = "sliding-window", limit = 5, per = "100ms" }}
        queue = {{ kind = "fifo", capacity = 8 }}
        [target.catalog]
        service = "1ms"
        [target.db]
        query = "1ms"
        pool = {{ kind = "deadpool", max = 2, connect = "1ms" }}
        [expect]
        {expectations}
        "#
    );
    Scenario::parse(&text, "test.toml").unwrap_or_else(|error| panic!("{error:?}"))
}

fn recorder(expectations: &str) -> Recorder {
    Recorder::new(Arc::new(Plan::compile(&scenario(expectations))))
}

fn ms(ms: u64) -> Instant {
    Instant::after_start(Duration::from_millis(ms))
}

const fn millis(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The `sequence`-th arrival, due at so many milliseconds.
fn arrival(sequence: u64, at: u64) -> Arrival {
    let stage = at.saturating_sub(1) / 1000;
    Arrival { traffic: 0, stage: stage as u16, route: 0, sequence, intended_at: ms(at) }
}

fn sample(arrival: Arrival, outcome: Outcome, latency: u64) -> Sample {
    Sample {
        arrival,
        outcome,
        status: None,
        ended_at: arrival.intended_at + millis(latency),
        parts: Parts::default(),
        cold: ColdCosts::default(),
        new_connection: false,
    }
}

/// Offers, sends and ends one request.
fn request(recorder: &Recorder, sequence: u64, at: u64, outcome: Outcome, latency: u64) {
    let arrival = arrival(sequence, at);
    recorder.offered(&arrival);
    recorder.sent(&arrival, arrival.intended_at);
    recorder.outcome(&sample(arrival, outcome, latency));
}

fn measured(recording: &Recording, expectation: usize) -> &Measurement {
    &recording.expectations()[expectation].measured
}

fn count(recording: &Recording, expectation: usize) -> u64 {
    match measured(recording, expectation) {
        Measurement::Count { count } => *count,
        Measurement::Distribution(split) => split.distribution().count(),
        other => panic!("not a count: {other:?}"),
    }
}

fn largest(recording: &Recording, expectation: usize) -> u64 {
    match measured(recording, expectation) {
        Measurement::Trailing(found) => found.extremes.unwrap().max.high,
        Measurement::Level(level) => level.extremes.unwrap().max.high,
        other => panic!("no extremes: {other:?}"),
    }
}

#[test]
fn a_stage_holds_its_end_and_not_its_start() {
    let recorder = recorder("n = 'count(offered) == 1 during spike'");
    for (sequence, at) in [(0, 1000), (1, 2000), (2, 2001)] {
        request(&recorder, sequence, at, Outcome::Ok, 1);
    }
    let recording = recorder.finish(ms(3300));
    let offered: Vec<u64> = recording.stages().iter().map(|stage| stage.counts.offered).collect();
    assert_eq!((offered, count(&recording, 0)), (vec![1, 1, 1], 1));
}

#[test]
fn what_happens_at_time_zero_is_in_the_run() {
    let recorder = recorder("n = 'count(db.connects) == 2'\nw = 'max(db.connects per 10ms) <= 2'");
    recorder.count_many(Series::DbConnects, Instant::ZERO, 2);
    let recording = recorder.finish(ms(3300));
    assert_eq!((count(&recording, 0), largest(&recording, 1)), (2, 2));
    assert_eq!(recording.rows().counter(Series::DbConnects, 0), 2);
}

#[test]
fn good_is_ok_within_the_deadline() {
    let recorder = recorder("");
    request(&recorder, 0, 10, Outcome::Ok, 100);
    request(&recorder, 1, 20, Outcome::Ok, 101);
    request(&recorder, 2, 30, Outcome::Failed, 1);
    let totals = recorder.finish(ms(3300)).totals();
    assert_eq!((totals.ok, totals.good, totals.failed), (2, 1, 1));
}

#[test]
fn refusals_have_no_latency_and_their_label_says_which_are_meant() {
    let recorder =
        recorder("a = 'count(latency) == 2'\nb = 'count(service{outcome=rejected}) == 1'\nc = 'count(service) == 2'");
    for (sequence, outcome) in
        [Outcome::Ok, Outcome::Rejected, Outcome::Shed, Outcome::TimedOut].into_iter().enumerate()
    {
        let arrival = arrival(sequence as u64, 10);
        let part = matches!(outcome, Outcome::Ok | Outcome::Rejected).then_some(millis(1));
        let parts = Parts { first_byte: part, transfer: part, ..Parts::default() };
        recorder.offered(&arrival);
        recorder.outcome(&Sample { parts, ..sample(arrival, outcome, 7) });
    }
    let recording = recorder.finish(ms(3300));
    assert_eq!([0, 1, 2].map(|at| count(&recording, at)), [2, 1, 2]);
    assert_eq!(recording.stages()[0].latency.count(), 2);
    assert_eq!(recording.stages()[0].first_byte.count(), 1, "parts are those of the latency");
    assert_eq!(recording.stages()[0].lateness.count(), 4);
}

#[test]
fn labels_narrow_what_counts() {
    let text = "a = 'count(ok{cold=true}) == 1'\nb = 'count(ok{route=\"/items/{key}\"}) == 1'\n\
                c = 'count(ok{route=\"GET /catalog\", cold=false}) == 2'\nd = 'count(latency{outcome=ok, cold=true}) == 1'";
    let recorder = recorder(text);
    for (sequence, (route, cold)) in [(0, 1), (1, 0), (0, 0), (0, 0)].into_iter().enumerate() {
        let arrival = Arrival { route, ..arrival(sequence as u64, 10) };
        let cold = ColdCosts { db: millis(cold), ..ColdCosts::default() };
        recorder.offered(&arrival);
        // The embedded target reports its costs, so a new connection alone is not cold.
        recorder.outcome(&Sample { cold, new_connection: true, ..sample(arrival, Outcome::Ok, 1) });
    }
    let recording = recorder.finish(ms(3300));
    assert_eq!([0, 1, 2, 3].map(|at| count(&recording, at)), [1, 1, 2, 1]);
}

#[test]
fn the_first_of_a_stage_are_the_first_offered() {
    let recorder =
        recorder("n = 'count(latency) == 2 during first 2 of spike'\nok = 'count(ok) == 1 during first 2 of spike'");
    let arrivals = [arrival(0, 900), arrival(1, 1100), arrival(2, 1200), arrival(3, 1300)];
    for arrival in &arrivals {
        recorder.offered(arrival);
    }
    for (at, outcome) in [(3, Outcome::Ok), (2, Outcome::Ok), (1, Outcome::Failed), (0, Outcome::Ok)] {
        recorder.outcome(&sample(arrivals[at], outcome, 5));
    }
    let recording = recorder.finish(ms(3300));
    assert_eq!((count(&recording, 0), count(&recording, 1)), (2, 1));
}

#[test]
fn windows_over_outcomes_are_by_intended_time_although_outcomes_come_out_of_order() {
    let recorder = recorder("w = 'max(ok per 10ms) <= 3 during spike'");
    let arrivals: Vec<Arrival> = (0..6).map(|k| arrival(k, 1100 + 4 * k)).collect();
    for arrival in &arrivals {
        recorder.offered(arrival);
    }
    for at in [5, 0, 4, 1, 3, 2] {
        recorder.outcome(&sample(arrivals[at], Outcome::Ok, 100 + at as u64 * 7));
    }
    assert_eq!(largest(&recorder.finish(ms(3300)), 0), 3);
}

#[test]
fn a_request_without_an_outcome_or_with_two_is_unaccounted() {
    let recorder = recorder("");
    recorder.offered(&arrival(0, 10));
    request(&recorder, 1, 20, Outcome::Ok, 5);
    recorder.outcome(&sample(arrival(1, 20), Outcome::Ok, 6));
    recorder.outcome(&sample(arrival(7, 30), Outcome::Ok, 6));
    recorder.sent(&arrival(8, 30), ms(30));
    let totals = recorder.finish(ms(3300)).totals();
    assert_eq!((totals.offered, totals.ok, totals.sent, totals.unaccounted), (2, 1, 1, 4));
}

#[test]
fn retries_are_attempts_of_one_request() {
    let recorder = recorder("a = 'count(attempts) == 3'\ns = 'count(sent) == 1'");
    let arrival = arrival(0, 10);
    recorder.offered(&arrival);
    (0..3).for_each(|_| recorder.sent(&arrival, ms(11)));
    recorder.outcome(&sample(arrival, Outcome::Ok, 5));
    let recording = recorder.finish(ms(3300));
    assert_eq!((count(&recording, 0), count(&recording, 1)), (3, 1));
    assert_eq!((recording.count(Series::Attempts), recording.count(Series::Sent)), (3, 1));
}

#[test]
fn in_flight_is_kept_by_the_recorder() {
    let text = "a = 'max(in_flight) <= 2'\nb = 'max(in_flight) <= 1 during spike'\n\
                c = 'max(in_flight{route=\"/items/{key}\"}) <= 1'\nd = 'mean(in_flight) <= 1 during quiet'";
    let recorder = recorder(text);
    let (one, two) = (arrival(0, 500), Arrival { route: 1, ..arrival(1, 600) });
    recorder.offered(&one);
    recorder.offered(&two);
    recorder.outcome(&sample(one, Outcome::Ok, 200));
    recorder.outcome(&sample(two, Outcome::Unfinished, 900));
    let recording = recorder.finish(ms(3300));
    assert_eq!([0, 1, 2].map(|at| largest(&recording, at)), [2, 1, 1]);
    let Measurement::Level(quiet) = measured(&recording, 3) else { panic!() };
    assert_eq!(quiet.mean(), Some(0.6));
    assert_eq!(recording.gauge(Series::InFlight).map(|total| (total.max, total.last)), Some((2, 0)));
}

#[test]
fn a_report_from_the_past_counts_from_the_latest_one_on() {
    let recorder = recorder("m = 'mean(db.in_flight) <= 9'");
    recorder.gauge(Series::DbInFlight, ms(0), 4);
    recorder.gauge(Series::DbInFlight, ms(200), 2);
    recorder.gauge(Series::DbInFlight, ms(100), 0);
    let recording = recorder.finish(ms(400));
    let Measurement::Level(level) = measured(&recording, 0) else { panic!() };
    assert_eq!(level.mean(), Some(2.0));
}

#[test]
fn the_exact_counts_beside_a_bound_are_kept() {
    let recorder = recorder("p = 'p50(db.query) <= 5ms'");
    for value in [4, 5, 5, 6] {
        recorder.observe(Series::DbQuery, ms(10), millis(value));
    }
    let recording = recorder.finish(ms(400));
    let Measurement::Distribution(split) = measured(&recording, 0) else { panic!() };
    assert_eq!((split.bound_ns(), split.at_most(), split.below()), (Some(5_000_000), 3, 1));
    assert_eq!(recording.histogram(Series::DbQuery).map(Distribution::count), Some(4));
}

#[test]
fn the_limiters_own_window_is_watched() {
    let recorder = recorder("");
    for at in [100, 150, 199, 200, 201] {
        recorder.count(Series::GatewayAdmitted, ms(at));
    }
    let recording = recorder.finish(ms(3300));
    let peak = recording.limiter_peak().unwrap();
    assert_eq!((peak.per_ns, peak.admitted.extremes.unwrap().max.high), (100_000_000, 4));
}

#[test]
fn every_kind_of_limiter_has_its_window() {
    use coldfront_scenarios::Limiter::{FixedWindow, SlidingWindow, SlidingWindowCounter, TokenBucket};
    let window = |limiter: coldfront_scenarios::Limiter| {
        let mut scenario = scenario("");
        let coldfront_scenarios::Target::Embedded(spec) = &mut scenario.target else { panic!() };
        spec.gateway.as_mut().unwrap().limiter = Some(limiter);
        Recorder::new(Arc::new(Plan::compile(&scenario))).finish(ms(3300)).limiter_peak().map(|peak| peak.per_ns)
    };
    let (limit, per) = (5, millis(250));
    assert_eq!(window(FixedWindow { limit, per }), Some(250_000_000));
    assert_eq!(window(SlidingWindow { limit, per }), Some(250_000_000));
    assert_eq!(window(SlidingWindowCounter { limit, per }), Some(250_000_000));
    assert_eq!(window(TokenBucket { rate: 5.0, burst: 5 }), Some(1_000_000_000), "it has no window of its own");
}

#[test]
fn the_first_wave_starts_at_every_edge() {
    let recorder = recorder("");
    (0..700).for_each(|k| request(&recorder, k, 1 + k / 2, Outcome::Ok, 1));
    (700..1400).for_each(|k| request(&recorder, k, 1001 + (k - 700) / 2, Outcome::Rejected, 1));
    (1400..1500).for_each(|k| request(&recorder, k, 2001, Outcome::Ok, 1));
    let recording = recorder.finish(ms(3300));
    let rows = recording.first_wave();
    let of_stage =
        |stage: u16| rows.iter().filter(|row| row.stage == stage).map(|row| row.sequence).collect::<Vec<_>>();
    assert_eq!(of_stage(0), (0..500).collect::<Vec<_>>(), "the run's start");
    assert_eq!(of_stage(1), (700..1200).collect::<Vec<_>>(), "a higher rate");
    assert_eq!(of_stage(2), Vec::<u64>::new(), "a lower rate is no edge");
    assert!(rows[..500].iter().all(|row| row.outcome == Some(Outcome::Ok) && row.elapsed_ns == 1_000_000));
}

#[test]
fn rows_show_requests_by_their_intended_time() {
    let recorder = recorder("");
    request(&recorder, 0, 50, Outcome::Ok, 60);
    request(&recorder, 1, 150, Outcome::Ok, 10);
    request(&recorder, 2, 160, Outcome::Ok, 20);
    let recording = recorder.finish(ms(3300));
    let rows = recording.rows();
    assert_eq!((rows.width(), rows.len()), (millis(100), 33));
    assert_eq!((rows.counter(Series::Ok, 0), rows.counter(Series::Ok, 1)), (1, 2));
    assert_eq!(
        (rows.latency(0).p50_ns, rows.latency(1).p50_ns, rows.latency(1).max_ns),
        (60_000_000, 10_000_000, 20_000_000)
    );
    assert_eq!(rows.gauge(Series::InFlight, 1).map(|row| (row.min, row.max, row.last)), Some((0, 1, 0)));
}

#[test]
fn a_late_generator_shows_in_delivery_and_lateness() {
    let recorder = recorder("");
    let late = |sequence, at, lateness, outcome| {
        let arrival = arrival(sequence, at);
        recorder.offered(&arrival);
        let parts = Parts { lateness: millis(lateness), ..Parts::default() };
        recorder.outcome(&Sample { parts, ..sample(arrival, outcome, 50) });
    };
    late(0, 10, 30, Outcome::Ok);
    late(1, 20, 20, Outcome::Ok);
    late(2, 30, 10, Outcome::Dropped);
    late(3, 100, 5, Outcome::Ok);
    let recording = recorder.finish(ms(3300));
    let stage = &recording.stages()[0];
    assert_eq!((stage.delivery.backlog, stage.delivery.arrivals, stage.late), (2, 3, 3));
    assert_eq!(recording.streams()[0].delivery, stage.delivery);
    assert_eq!(recording.lateness().max(), Some(millis(30)));
}

#[test]
fn a_plan_that_was_not_offered_is_undelivered() {
    let recorder = recorder("");
    recorder.planned(0, 0, 10);
    request(&recorder, 0, 10, Outcome::Ok, 5);
    let recording = recorder.finish(ms(3300));
    let stage = &recording.stages()[0];
    assert_eq!((stage.planned, stage.delivery.backlog, stage.delivery.arrivals), (Some(10), 9, 10));
    assert_eq!(stage.counts.unaccounted, 0);
}

#[test]
fn the_log_is_bounded_in_entries_and_length() {
    let recorder = recorder("");
    (0..5000).for_each(|at| recorder.event(ms(at), "x".repeat(1000)));
    recorder.event(ms(1), "é".repeat(1000));
    let recording = recorder.finish(ms(3300));
    assert_eq!((recording.events().len(), recording.events_lost()), (crate::MAX_EVENTS, 905));
    assert!(recording.events().iter().all(|entry| entry.text.len() == 512));
}

#[test]
fn merged_logs_keep_the_earliest_and_count_the_rest() {
    let plan = Arc::new(Plan::compile(&scenario("")));
    let log = |from: u64| {
        let recorder = Recorder::new(plan.clone());
        (0..4100).for_each(|at| recorder.event(ms(from + 2 * at), "x"));
        recorder.finish(ms(3300))
    };
    let mut merged = log(0);
    merged.merge(log(1)).unwrap();
    assert_eq!(merged.events().last().map(|entry| entry.at_ns), Some(4_095_000_000));
    assert_eq!((merged.events().len(), merged.events_lost()), (4096, 2 * 4100 - 4096));
}

#[test]
fn a_snapshot_shows_totals_and_levels() {
    let recorder = recorder("");
    request(&recorder, 0, 10, Outcome::Ok, 5);
    recorder.offered(&arrival(1, 20));
    recorder.count(Series::DbQueries, ms(12));
    recorder.gauge(Series::DbInFlight, ms(12), 3);
    recorder.observe(Series::DbQuery, ms(13), millis(2));
    let snapshot = recorder.snapshot();
    let counts = [
        Series::Offered,
        Series::Sessions,
        Series::Sent,
        Series::Ok,
        Series::DbQueries,
        Series::DbQuery,
        Series::Latency,
    ];
    assert_eq!(counts.map(|series| snapshot.count(series)), [2, 2, 1, 1, 1, 1, 1]);
    assert_eq!((snapshot.sum(Series::DbQuery), snapshot.sum(Series::Latency)), (2_000_000, 5_000_000));
    assert_eq!(
        [Series::InFlight, Series::DbInFlight, Series::DbPoolIdle].map(|of| snapshot.level(of)),
        [Some(1), Some(3), None]
    );
}

#[test]
fn calls_after_the_end_are_in_no_recording() {
    let recorder = recorder("");
    let left_over = recorder.clone();
    request(&recorder, 0, 10, Outcome::Ok, 5);
    assert_eq!(recorder.finish(ms(3300)).totals().ok, 1);
    left_over.outcome(&sample(arrival(0, 10), Outcome::Ok, 5));
    left_over.gauge(Series::DbInFlight, ms(20), 1);
}

#[test]
fn arrivals_behind_an_unanswered_one_are_bounded() {
    let recorder = recorder("w = 'max(ok per 10ms) <= 3'\np = 'max(offered per 10ms) <= 3'\nn = 'count(ok) >= 1'");
    recorder.offered(&arrival(0, 1));
    let last = (1 << 20) + 10;
    (1..=last).for_each(|sequence| request(&recorder, sequence, 1 + sequence / 1000, Outcome::Ok, 1));
    recorder.outcome(&sample(arrival(0, 1), Outcome::Ok, 2500));
    let recording = recorder.finish(ms(3300));
    let Measurement::Trailing(found) = measured(&recording, 0) else { panic!() };
    assert!(found.is_given_up);
    assert_eq!((count(&recording, 2), recording.totals().unaccounted), (last + 1, 0));
}

#[test]
fn calls_while_held_are_the_same_calls() {
    let plan = Arc::new(Plan::compile(&scenario("")));
    let [apart, together] = [Recorder::traced(plan.clone()), Recorder::traced(plan.clone())];
    let local = Recorder::local(plan);
    apart.count(Series::DbQueries, ms(5));
    apart.gauge(Series::DbInFlight, ms(5), 3);
    apart.observe(Series::DbQuery, ms(5), millis(4));
    for recorder in [&together, &local] {
        let mut held = recorder.hold();
        held.count(Series::DbQueries, ms(5));
        held.gauge(Series::DbInFlight, ms(5), 3);
        held.observe(Series::DbQuery, ms(5), millis(4));
    }
    assert_eq!(apart.take_trace(), together.take_trace());
    assert_eq!(apart.snapshot(), together.snapshot());
    assert_eq!(apart.snapshot(), local.snapshot());
    assert_eq!(together.snapshot().level(Series::DbInFlight), Some(3));
    assert_eq!(apart.finish(ms(10)), together.finish(ms(10)));
}

#[test]
fn a_local_recorder_measures_the_same() {
    let plan = Arc::new(Plan::compile(&scenario("n = 'count(ok) == 2'")));
    let recordings =
        [Recorder::new(plan.clone()), Recorder::local(plan.clone()), Recorder::local(plan)].map(|recorder| {
            request(&recorder, 0, 10, Outcome::Ok, 5);
            request(&recorder, 1, 20, Outcome::Ok, 5);
            recorder.finish(ms(3300))
        });
    assert_eq!(count(&recordings[0], 0), 2);
    assert!(recordings.iter().all(|recording| *recording == recordings[0]));
}

#[test]
fn local_recorders_of_two_threads_do_not_mix() {
    let plan = Arc::new(Plan::compile(&scenario("")));
    let mine = Recorder::local(plan.clone());
    let stranger = mine.clone();
    let other = std::thread::spawn(move || {
        // In the same place of this thread's table.
        let own = Recorder::local(plan);
        own.count(Series::DbQueries, ms(1));
        let called = std::panic::catch_unwind(|| stranger.count(Series::DbQueries, ms(1)));
        (own.finish(ms(3300)).count(Series::DbQueries), called.is_err())
    });
    assert_eq!(other.join().unwrap(), (1, true));
    assert_eq!(mine.finish(ms(3300)).count(Series::DbQueries), 0);
}
