//! The schedule against closed forms, and against every input on which a known load generator goes wrong.

use super::*;
use proptest::prelude::*;
use std::time::Duration;

const SECOND: u64 = 1_000_000_000;

// === Building ===

fn stages(parts: &[(f64, Rate)]) -> Vec<Stage> {
    let mut start = Duration::ZERO;
    let mut stages = Vec::new();
    for (index, (seconds, rate)) in parts.iter().enumerate() {
        let duration = Duration::from_secs_f64(*seconds);
        stages.push(Stage { name: format!("s{index}"), start, duration, rate: rate.clone() });
        start += duration;
    }
    stages
}

fn traffic(arrivals: Arrivals, parts: &[(f64, Rate)]) -> Traffic {
    crate::samples::traffic(arrivals, stages(parts))
}

fn uniform(parts: &[(f64, Rate)]) -> Schedule {
    Schedule::new(&traffic(Arrivals::Uniform, parts), 0, 1)
}

fn poisson(seed: u64, parts: &[(f64, Rate)]) -> Schedule {
    Schedule::new(&traffic(Arrivals::Poisson, parts), 0, seed)
}

fn constant(rate: f64) -> Rate {
    Rate::Constant(rate)
}

fn ramp(from: f64, to: f64) -> Rate {
    Rate::Ramp { from, to }
}

fn nanos(schedule: Schedule) -> Vec<u64> {
    schedule.map(|due| due.at.as_nanos()).collect()
}

fn counts(schedule: Schedule, stages: usize) -> Vec<u64> {
    let mut counts = vec![0; stages];
    schedule.for_each(|due| counts[usize::from(due.stage)] += 1);
    counts
}

// === Inputs on which others are wrong ===

#[test]
fn five_hundred_a_second_for_half_a_second_is_250() {
    let times = nanos(uniform(&[(0.5, constant(500.0))]));
    assert_eq!(times, (1..=250).map(|k| k * 2_000_000).collect::<Vec<_>>());
}

#[test]
fn one_hundred_a_second_for_a_second_and_a_half_is_150() {
    assert_eq!(uniform(&[(1.5, constant(100.0))]).planned(), [150]);
    assert_eq!(uniform(&[(1.0, constant(100.0))]).count(), 100);
    assert_eq!(uniform(&[(60.0, constant(10.0))]).count(), 600);
    assert_eq!(uniform(&[(60.0, constant(5.0))]).count(), 300);
}

#[test]
fn a_ramp_from_nothing_to_500_has_its_kth_arrival_at_the_root_of_k_over_250() {
    let times = nanos(uniform(&[(1.0, ramp(0.0, 500.0))]));
    assert_eq!(times.len(), 250);
    for (k, time) in (1..).zip(&times) {
        let expected = libm::sqrt(f64::from(k) / 250.0) * 1e9;
        assert!((*time as f64 - expected).abs() <= 0.6, "arrival {k} at {time}, expected {expected}");
    }
    assert_eq!(times[249], SECOND);
}

#[test]
fn a_ramp_down_to_nothing_is_the_mirror_image() {
    let times = nanos(uniform(&[(1.0, ramp(500.0, 0.0))]));
    assert_eq!(times.len(), 250);
    for (k, time) in (1..).zip(&times) {
        let expected = (1.0 - libm::sqrt((250.0 - f64::from(k)) / 250.0)) * 1e9;
        assert!((*time as f64 - expected).abs() <= 0.6, "arrival {k} at {time}, expected {expected}");
    }
    assert_eq!(times[249], SECOND, "the last arrival is where the rate reaches 0, not lost to rounding");
}

#[test]
fn a_steep_ramp_down_ends_where_it_should_to_the_nanosecond() {
    // The area is a whole number, so the last arrival is where the rate reaches 0. The squares of these rates are about 3.6e9,
    // of which a double keeps nothing below 5e-7: taken from each other they would leave the end open by 100 ns.
    for step in 0..20_u32 {
        let rate = 60_000.6 + 0.6 * f64::from(step);
        let last = uniform(&[(10.0, ramp(rate, 0.0))]).last().unwrap();
        let expected = Due { at: Instant::from_nanos(10 * SECOND), stage: 0, sequence: 300_002 + 3 * u64::from(step) };
        assert_eq!(last, expected, "from {rate}/s");
    }
}

#[test]
fn a_ramp_of_500_per_square_second_from_1_has_its_first_arrival_after_61_ms() {
    // t + 250 t² = k, so t = (√(1 + 1000 k) − 1) / 500.
    let times = nanos(uniform(&[(2.0, ramp(1.0, 1001.0))]));
    assert_eq!((times[0] / 1_000_000, times[1] / 1_000_000), (61, 87));
    for (k, time) in (1..).zip(&times) {
        let expected = (libm::sqrt(1.0 + 1000.0 * f64::from(k)) - 1.0) / 500.0 * 1e9;
        assert!((*time as f64 - expected).abs() <= 0.6, "arrival {k} at {time}, expected {expected}");
    }
    assert_eq!(times.len(), 1002);
}

#[test]
fn a_slow_rate_after_a_slow_ramp_keeps_its_time_and_count() {
    let schedule = uniform(&[(300.0, ramp(0.0, 0.4)), (1800.0, constant(0.4))]);
    assert_eq!(schedule.planned(), [60, 720]);
    assert_eq!(nanos(schedule).last(), Some(&(2100 * SECOND)));
}

#[test]
fn a_spawn_rate_of_a_tenth_has_its_first_arrival_after_ten_seconds() {
    assert_eq!(nanos(uniform(&[(30.0, constant(0.1))])), [10 * SECOND, 20 * SECOND, 30 * SECOND]);
}

#[test]
fn six_hundred_a_second_are_even_over_the_whole_second() {
    let times = nanos(uniform(&[(1.0, constant(600.0))]));
    assert_eq!(times.len(), 600);
    assert!(times.windows(2).all(|pair| (1_666_666..=1_666_667).contains(&(pair[1] - pair[0]))));
}

#[test]
fn a_ramp_takes_its_configured_duration() {
    let times = nanos(uniform(&[(60.0, ramp(100.0, 2000.0))]));
    assert_eq!((times.len(), times.last()), (63_000, Some(&(60 * SECOND))));
}

#[test]
fn a_second_stage_at_another_rate_begins_on_time() {
    let schedule = uniform(&[(50.0, ramp(0.0, 100.0)), (50.0, constant(120.0))]);
    assert_eq!(schedule.planned(), [2500, 6000]);
    assert!(schedule.filter(|due| due.stage == 1).all(|due| due.at.as_nanos() > 50 * SECOND));
}

#[test]
fn a_spike_of_three_seconds_in_a_minute_has_its_rate_in_every_window() {
    let schedule = uniform(&[(28.0, constant(0.0)), (3.0, constant(500.0)), (29.0, constant(0.0))]);
    assert_eq!(schedule.planned(), [0, 1500, 0]);
    let times = nanos(schedule);
    assert_eq!((times[0], times[1499]), (28 * SECOND + 2_000_000, 31 * SECOND));
}

#[test]
fn zero_to_500_and_back_in_200_ms_is_exact() {
    let schedule = uniform(&[(0.1, ramp(0.0, 500.0)), (0.1, ramp(500.0, 0.0))]);
    assert_eq!(schedule.planned(), [25, 25]);
    let times = nanos(schedule);
    for (up, down) in times[..24].iter().zip(times[25..49].iter().rev()) {
        assert!((up + down).abs_diff(SECOND / 5) <= 1, "{up} and {down} are not mirrored at 100 ms");
    }
}

#[test]
fn a_poisson_count_varies_as_it_should() {
    let counts: Vec<f64> = (0..1000).map(|seed| poisson(seed, &[(10.0, constant(100.0))]).count() as f64).collect();
    let mean = counts.iter().sum::<f64>() / 1000.0;
    let variance = counts.iter().map(|count| (count - mean) * (count - mean)).sum::<f64>() / 999.0;
    // Standard errors: of the mean 1, of the standard deviation 0.71; four of each.
    assert!((mean - 1000.0).abs() < 4.0, "mean {mean}");
    assert!((libm::sqrt(variance) - 31.62).abs() < 2.9, "standard deviation {}", libm::sqrt(variance));
}

// === Edges ===

#[test]
fn fractions_carry_over_from_stage_to_stage() {
    // Half an arrival per stage: every second stage has one, at its very end.
    let parts: Vec<_> = (0..10).map(|_| (0.25, constant(2.0))).collect();
    let schedule = uniform(&parts);
    assert_eq!(schedule.planned(), [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    assert_eq!(nanos(schedule), [1, 2, 3, 4, 5].map(|k| k * SECOND / 2));
}

#[test]
fn rates_without_a_binary_form_keep_their_last_arrival() {
    for (rate, seconds, count) in [(0.3, 100.0, 30), (0.7, 10.0, 7), (40.0 / 60.0, 60.0, 40), (33_333.3, 10.0, 333_333)]
    {
        let schedule = uniform(&[(seconds, constant(rate))]);
        assert_eq!(schedule.planned(), [count], "{rate}/s for {seconds} s");
        assert_eq!(schedule.last().map(|due| due.sequence), Some(count - 1));
    }
}

#[test]
fn a_stage_of_a_microsecond_and_a_rate_of_0_are_possible() {
    assert_eq!(nanos(uniform(&[(1e-6, constant(1e6))])), [1000]);
    assert_eq!(uniform(&[(10.0, constant(0.0))]).next(), None);
    assert_eq!(uniform(&[(10.0, ramp(0.0, 0.0))]).planned(), [0]);
    assert_eq!(poisson(1, &[(10.0, constant(0.0))]).next(), None);
}

#[test]
fn no_arrival_is_at_time_zero_and_equal_times_keep_their_order() {
    let crowd: Vec<Due> = uniform(&[(1e-6, constant(1e10))]).collect();
    assert_eq!(crowd.len(), 10_000);
    assert!(crowd.iter().all(|due| (1..=1000).contains(&due.at.as_nanos())));
    assert!(crowd.iter().enumerate().all(|(index, due)| due.sequence == index as u64));
    assert!(crowd.windows(2).all(|pair| pair[0].at <= pair[1].at));
}

#[test]
fn steps_are_equal_parts_of_a_stage() {
    let schedule = uniform(&[(1.0, Rate::Step(vec![10.0, 0.0, 20.0])), (1.0, constant(1.0))]);
    let times = nanos(schedule.clone());
    assert_eq!(schedule.planned(), [10, 1]);
    assert_eq!((times[0], times[2]), (100_000_000, 300_000_000));
    assert!((times[3]).abs_diff(666_666_667 + 33_333_333) <= 1, "a third of an arrival was carried over");
}

#[test]
fn a_sine_may_touch_zero_and_ends_with_its_stage() {
    // Mean 100 over two and a half periods, plus A P / π for the half: 250 + 31.83.
    let rate = Rate::Sine { mean: 100.0, amplitude: 100.0, period: Duration::from_secs(1) };
    let schedule = uniform(&[(2.5, rate)]);
    assert_eq!(schedule.planned(), [281]);
    let times = nanos(schedule);
    assert_eq!((times[99], times[199]), (SECOND, 2 * SECOND));
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
    // Around the zero at 3/4 s, Λ ≈ 90.9155 + 100 (2π)² τ³ / 6: 90 is reached at τ = −112 ms, 91 at τ = 50 ms.
    let longest = times.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
    assert!((162_000_000..165_000_000).contains(&longest), "around the zero: {longest}");
}

#[test]
fn a_sine_without_amplitude_is_constant() {
    let flat = Rate::Sine { mean: 250.0, amplitude: 0.0, period: Duration::from_millis(300) };
    assert_eq!(nanos(uniform(&[(2.0, flat)])), nanos(uniform(&[(2.0, constant(250.0))])));
}

#[test]
fn ten_million_arrivals_do_not_drift() {
    let mut last = None;
    for due in uniform(&[(40.0, constant(333_333.3))]) {
        let k = u128::from(due.sequence) + 1;
        let exact = (k * 10_000_000_000 * 2 + 3_333_333) / (2 * 3_333_333);
        assert!(u128::from(due.at.as_nanos()).abs_diff(exact) <= 1, "arrival {k}");
        last = Some(due);
    }
    assert_eq!(last.map(|due| due.sequence), Some(13_333_331));
}

#[test]
fn two_days_later_the_nanosecond_is_still_right() {
    let times = nanos(uniform(&[(172_800.0, constant(0.0)), (1.0, constant(3.0))]));
    assert_eq!(times, [333_333_333, 666_666_667, 1_000_000_000].map(|after| 172_800 * SECOND + after));
}

// === Shards and seeds ===

#[test]
fn the_shards_of_a_schedule_are_the_schedule() {
    let parts = [(1.0, ramp(0.0, 300.0)), (0.5, constant(1234.5)), (1.0, ramp(300.0, 0.0))];
    for whole in [uniform(&parts), poisson(3, &parts)] {
        let mut union: Vec<Due> = (0..12).flat_map(|index| whole.clone().shard(index, 12)).collect();
        union.sort_by_key(|due| due.sequence);
        assert_eq!(union, whole.clone().collect::<Vec<_>>());
        let planned = (0..12).map(|index| whole.clone().shard(index, 12).planned());
        let sums = planned.reduce(|sum, next| sum.iter().zip(&next).map(|(a, b)| a + b).collect());
        assert_eq!(sums, Some(whole.planned()));
    }
    assert_eq!(uniform(&[(60.0, constant(10.0))]).shard(11, 12).planned(), [50]);
}

#[test]
fn seeds_and_streams_draw_apart_and_repeatably() {
    let traffic = traffic(Arrivals::Poisson, &[(1.0, constant(1000.0))]);
    let drawn = |index, seed| nanos(Schedule::new(&traffic, index, seed));
    assert_eq!(drawn(0, 1), drawn(0, 1));
    assert_ne!(drawn(0, 1), drawn(0, 2));
    assert_ne!(drawn(0, 1), drawn(1, 1));
}

/// The first arrivals of seed 1, so that a change of the draws, the mathematics library or the rounding is noticed: it
/// would change every recorded run.
#[test]
fn the_first_poisson_arrivals_are_pinned() {
    let times: Vec<u64> = nanos(poisson(1, &[(1.0, constant(1000.0))])).into_iter().take(5).collect();
    assert_eq!(times, PINNED, "the draws of every scenario have changed");
}

const PINNED: [u64; 5] = [427_728, 1_357_590, 2_504_571, 4_978_293, 5_503_412];

// === Laws ===

/// Λ by the plain textbook formulas, for comparison; time in nanoseconds.
fn cumulative(stages: &[Stage], at: u64) -> f64 {
    let mut sum = 0.0;
    for stage in stages {
        let start = stage.start.as_nanos() as u64;
        let length = stage.duration.as_secs_f64();
        let t = (at.saturating_sub(start) as f64 / 1e9).min(length);
        sum += match &stage.rate {
            Rate::Constant(rate) => rate * t,
            Rate::Ramp { from, to } => from * t + (to - from) * t * t / (2.0 * length),
            Rate::Step(rates) => {
                // Parts end at whole nanoseconds.
                let nanos = stage.duration.as_nanos() as usize;
                let end = |part: usize| (nanos * part / rates.len()) as f64 / 1e9;
                let within = |(part, rate): (usize, &f64)| rate * (t.min(end(part + 1)) - end(part)).max(0.0);
                rates.iter().enumerate().map(within).sum()
            }
            Rate::Sine { mean, amplitude, period } => {
                let (wave, turn) = (period.as_secs_f64(), std::f64::consts::TAU);
                mean * t + amplitude * wave / turn * (1.0 - libm::cos(turn * t / wave))
            }
        };
    }
    sum
}

fn rates() -> impl Strategy<Value = Rate> {
    let rate = || prop_oneof![Just(0.0), 0.01..10.0, 10.0..5000.0];
    prop_oneof![
        rate().prop_map(Rate::Constant),
        (rate(), rate()).prop_map(|(from, to)| Rate::Ramp { from, to }),
        prop::collection::vec(rate(), 1..5).prop_map(Rate::Step),
        (0.1..3000.0, prop_oneof![Just(1.0), 0.0..1.0], 5_u64..3000).prop_map(|(mean, share, millis)| Rate::Sine {
            mean,
            amplitude: mean * share,
            period: Duration::from_millis(millis)
        }),
    ]
}

fn shapes() -> impl Strategy<Value = Vec<(f64, Rate)>> {
    prop::collection::vec((prop_oneof![0.000_01..0.01, 0.01..2.0], rates()), 1..6)
}

proptest! {
    #[test]
    fn the_kth_uniform_arrival_is_where_the_cumulative_rate_is_k(parts in shapes()) {
        let stages = stages(&parts);
        for due in uniform(&parts) {
            let k = (due.sequence + 1) as f64;
            let at = due.at.as_nanos();
            // One nanosecond either side, plus what the plain formulas lose themselves.
            let (before, after) = (cumulative(&stages, at.saturating_sub(1)), cumulative(&stages, at + 1));
            prop_assert!(before - 1e-9 <= k && k <= after + 1e-9, "arrival {k} at {at}: {before}..{after}");
        }
    }

    #[test]
    fn times_ascend_and_stay_inside_their_stage(parts in shapes(), seed in 0_u64..4, random in any::<bool>()) {
        let stages = stages(&parts);
        let mut last = 0;
        let schedule = if random { poisson(seed, &parts) } else { uniform(&parts) };
        for (index, due) in schedule.enumerate() {
            let stage = &stages[usize::from(due.stage)];
            prop_assert!(due.at.as_nanos() >= last && due.sequence == index as u64);
            prop_assert!(due.at.since_start() > stage.start && due.at.since_start() <= stage.end());
            last = due.at.as_nanos();
        }
    }

    #[test]
    fn the_plan_is_what_is_drawn(parts in shapes(), seed in 0_u64..4) {
        for schedule in [uniform(&parts), poisson(seed, &parts)] {
            prop_assert_eq!(schedule.planned(), counts(schedule, parts.len()));
        }
        let stages = stages(&parts);
        let whole = cumulative(&stages, u64::MAX);
        let planned: u64 = uniform(&parts).planned().iter().sum();
        prop_assert!((planned as f64) <= whole + 1e-9 && planned as f64 >= whole - 1.0 - 1e-9);
    }
}

/// Kolmogorov-Smirnov distance of the gaps, measured on the axis of the cumulative rate, from the exponential law.
fn distance_from_exponential(parts: &[(f64, Rate)], seed: u64) -> (f64, usize) {
    let stages = stages(parts);
    let mut last = 0.0;
    let gaps = poisson(seed, parts).map(|due| {
        let position = cumulative(&stages, due.at.as_nanos());
        let gap = position - last;
        last = position;
        gap
    });
    let mut gaps: Vec<f64> = gaps.collect();
    gaps.sort_by(f64::total_cmp);
    let n = gaps.len() as f64;
    let apart = |(index, gap): (usize, &f64)| {
        let law = 1.0 - libm::exp(-gap);
        (law - index as f64 / n).abs().max((law - (index + 1) as f64 / n).abs())
    };
    (gaps.iter().enumerate().map(apart).fold(0.0, f64::max), gaps.len())
}

#[test]
fn poisson_gaps_are_exponential_at_every_rate_and_shape() {
    let wave = Rate::Sine { mean: 2000.0, amplitude: 2000.0, period: Duration::from_millis(700) };
    let shapes: [&[(f64, Rate)]; 5] = [
        &[(40.0, constant(500.0))],
        &[(1.0, constant(40_000.0))],
        &[(10.0, ramp(0.0, 5000.0)), (10.0, ramp(5000.0, 0.0))],
        &[(10.0, wave)],
        &[(3.0, Rate::Step(vec![0.0, 10_000.0, 100.0]))],
    ];
    for (shape, parts) in shapes.iter().enumerate() {
        for seed in 1..=4 {
            let (distance, n) = distance_from_exponential(parts, seed);
            // α = 10⁻⁴: √(−ln(α/2)/2) = 2.2252.
            let bound = 2.2252 / libm::sqrt(n as f64);
            assert!(distance < bound, "shape {shape}, seed {seed}: {distance} over {n} gaps, bound {bound}");
        }
    }
}
