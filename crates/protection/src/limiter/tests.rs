use super::*;
use proptest::prelude::*;

const SECOND: Duration = Duration::from_secs(1);

fn at(nanos: u64) -> Instant {
    Instant::from_nanos(nanos)
}

fn at_ms(millis: u64) -> Instant {
    Instant::after_start(Duration::from_millis(millis))
}

/// Admissions out of `count` requests at one instant.
fn admitted(limiter: &mut Limiter, now: Instant, count: usize) -> usize {
    (0..count).filter(|_| limiter.decide(now).is_admitted()).count()
}

fn fixed(limit: u32) -> Limiter {
    Limiter::new(&LimiterSpec::FixedWindow { limit, per: SECOND }, Instant::ZERO)
}

fn sliding(limit: u32) -> Limiter {
    Limiter::new(&LimiterSpec::SlidingWindow { limit, per: SECOND }, Instant::ZERO)
}

fn counter(limit: u32) -> Limiter {
    Limiter::new(&LimiterSpec::SlidingWindowCounter { limit, per: SECOND }, Instant::ZERO)
}

fn bucket(rate: f64, burst: u32) -> Limiter {
    Limiter::new(&LimiterSpec::TokenBucket { rate, burst }, Instant::ZERO)
}

/// The most admissions in any (t − per, t] of an ascending list.
fn trailing_max(admissions: &[u64], per: u64) -> usize {
    let mut first = 0;
    let mut most = 0;
    for (last, now) in admissions.iter().enumerate() {
        while admissions[first] + per <= *now {
            first += 1;
        }
        most = most.max(last + 1 - first);
    }
    most
}

#[test]
fn a_fixed_window_lets_two_limits_through_in_one_millisecond() {
    let mut limiter = fixed(100);
    assert_eq!(admitted(&mut limiter, at(999_500_000), 150), 100);
    assert_eq!(limiter.decide(at(999_999_999)), Decision::Refused { until: at_ms(1000) });
    assert_eq!(admitted(&mut limiter, at(1_000_500_000), 150), 100);
}

#[test]
fn fixed_windows_are_aligned_to_the_start_of_the_target() {
    let spec = LimiterSpec::FixedWindow { limit: 1, per: SECOND };
    let mut limiter = Limiter::new(&spec, at_ms(300));
    assert!(limiter.decide(at_ms(300)).is_admitted());
    assert_eq!(limiter.decide(at_ms(1299)), Decision::Refused { until: at_ms(1300) });
    assert!(limiter.decide(at_ms(1300)).is_admitted());
    // Skipping windows keeps the alignment.
    assert!(limiter.decide(at_ms(7777)).is_admitted());
    assert_eq!(limiter.decide(at_ms(8000)), Decision::Refused { until: at_ms(8300) });
}

#[test]
fn four_meanings_of_one_limit_on_one_stimulus() {
    // 100 at 0.9 s and 100 more at 1.1 s, limit 100 per second.
    let kinds = [(fixed(100), 100), (sliding(100), 0), (counter(100), 10), (bucket(100.0, 100), 20)];
    for (mut limiter, second_batch) in kinds {
        assert_eq!(admitted(&mut limiter, at_ms(900), 100), 100, "{limiter:?}");
        assert_eq!(admitted(&mut limiter, at_ms(1100), 100), second_batch, "{limiter:?}");
    }
}

#[test]
fn a_sliding_window_opens_again_one_nanosecond_after_it_is_closed() {
    let mut limiter = sliding(100);
    admitted(&mut limiter, at_ms(900), 100);
    assert_eq!(limiter.decide(at(1_899_999_999)), Decision::Refused { until: at_ms(1900) });
    assert_eq!(admitted(&mut limiter, at_ms(1900), 150), 100);
}

#[test]
fn a_sliding_window_counter_lets_two_limits_less_one_through() {
    for limit in [10_u32, 100] {
        let mut limiter = counter(limit);
        let mut admissions = Vec::new();
        for _ in 0..limit {
            assert!(limiter.decide(at(999_999_999)).is_admitted());
            admissions.push(999_999_999);
        }
        // A client that comes back exactly when the refusal says so; the window of the first burst ends at 1.999999999 s.
        let mut now = at_ms(1000);
        while now < at(1_999_999_999) {
            match limiter.decide(now) {
                Decision::Admitted => admissions.push(now.as_nanos()),
                Decision::Refused { until } => now = until,
            }
        }
        assert_eq!(trailing_max(&admissions, 1_000_000_000), 2 * limit as usize - 1);
    }
}

#[test]
fn a_counter_of_one_skips_a_whole_window() {
    let mut limiter = counter(1);
    assert!(limiter.decide(at_ms(500)).is_admitted());
    assert_eq!(limiter.decide(at_ms(600)), Decision::Refused { until: at_ms(2000) });
    assert_eq!(limiter.decide(at_ms(1999)), Decision::Refused { until: at_ms(2000) });
    assert!(limiter.decide(at_ms(2000)).is_admitted());
}

#[test]
fn a_token_bucket_gives_exactly_its_burst_after_idling_and_its_rate_after_that() {
    let mut limiter = bucket(10.0, 20);
    assert_eq!(admitted(&mut limiter, Instant::ZERO, 50), 20);
    assert_eq!(limiter.decide(Instant::ZERO), Decision::Refused { until: at_ms(100) });
    assert_eq!(limiter.decide(at(99_999_999)), Decision::Refused { until: at_ms(100) });
    assert!(limiter.decide(at_ms(100)).is_admitted());
    // burst / rate = 2 s later it is full again, and not a nanosecond earlier.
    assert_eq!(admitted(&mut limiter.clone(), at(2_099_999_999), 50), 19);
    assert_eq!(admitted(&mut limiter.clone(), at_ms(2100), 50), 20);
    assert_eq!(admitted(&mut limiter, at_ms(1_000_000), 50), 20);
}

#[test]
fn a_token_bucket_does_not_drift() {
    // Nearly a third of a token per second, taken for 48 hours as soon as a refusal says that there is one.
    let rate = 0.333_333_333;
    let mut limiter = bucket(rate, 1);
    let mut count = 0_u64;
    let mut now = Instant::ZERO;
    let end = Instant::ZERO + Duration::from_secs(48 * 3600);
    while now <= end {
        match limiter.decide(now) {
            Decision::Admitted => count += 1,
            Decision::Refused { until } => now = until,
        }
    }
    // 1 + ⌊172,800 s × 0.333333333/s⌋, in exact decimals 57,599.99999424.
    assert_eq!(count, 1 + 57_599);
}

#[test]
fn a_token_bucket_takes_extreme_rates() {
    let mut slow = bucket(1e-30, 1);
    assert!(slow.decide(Instant::ZERO).is_admitted());
    assert_eq!(slow.decide(Instant::ZERO), Decision::Refused { until: at(1_000_000_000_000_000_000) });
    let mut fast = bucket(1e30, u32::MAX);
    assert!(fast.decide(Instant::ZERO).is_admitted());
    assert!(fast.decide(Instant::MAX).is_admitted());
}

#[test]
fn a_clock_that_goes_back_mints_nothing() {
    // Drained at 1 s, then 1,000 calls that alternate between 0.9 s and 1.0 s.
    for mut limiter in [fixed(10), sliding(10), counter(10), bucket(10.0, 10)] {
        assert_eq!(admitted(&mut limiter, at_ms(1000), 30), 10, "{limiter:?}");
        let minted = (0..1000)
            .filter(|call| limiter.decide(at_ms(if call % 2 == 0 { 900 } else { 1000 })).is_admitted())
            .count();
        assert_eq!(minted, 0, "{limiter:?}");
    }
}

#[test]
fn limits_are_told() {
    let told = [fixed(3), sliding(3), counter(3), bucket(1.0, 3)].map(|limiter| limiter.limit());
    assert_eq!(told, [3; 4]);
}

#[test]
fn a_refusal_tells_how_long_it_holds() {
    let refused = Decision::Refused { until: at_ms(1500) };
    assert_eq!(refused.retry_after(at_ms(1100)), Some(Duration::from_millis(400)));
    assert_eq!(Decision::Admitted.retry_after(at_ms(1100)), None);
}

fn any_spec() -> impl Strategy<Value = LimiterSpec> {
    let window = (1_u32..12, 1_u64..2_000).prop_map(|(limit, per)| (limit, Duration::from_nanos(per)));
    prop_oneof![
        window.clone().prop_map(|(limit, per)| LimiterSpec::FixedWindow { limit, per }),
        window.clone().prop_map(|(limit, per)| LimiterSpec::SlidingWindow { limit, per }),
        window.prop_map(|(limit, per)| LimiterSpec::SlidingWindowCounter { limit, per }),
        (1_u64..50_000_000_000, 1_u32..12)
            .prop_map(|(millis, burst)| LimiterSpec::TokenBucket { rate: millis as f64 / 1e3, burst }),
    ]
}

/// Steps between requests: mostly bursts, some gaps, and sometimes a clock that goes back.
fn any_steps() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(prop_oneof![4 => Just(0_i64), 4 => 1_i64..300, 1 => 300_i64..5_000, 1 => -400_i64..0], 1..300)
}

fn walk(steps: &[i64]) -> Vec<u64> {
    let mut now = 0_i64;
    steps
        .iter()
        .map(|step| {
            now = (now + step).max(0);
            now as u64
        })
        .collect()
}

proptest! {
    #[test]
    fn a_refusal_holds_until_its_instant_and_not_beyond(spec in any_spec(), steps in any_steps()) {
        let mut limiter = Limiter::new(&spec, Instant::ZERO);
        let mut latest = Instant::ZERO;
        for now in walk(&steps).into_iter().map(at) {
            latest = latest.max(now);
            if let Decision::Refused { until } = limiter.decide(now) {
                prop_assert!(until > latest);
                let before = until - Duration::from_nanos(1);
                prop_assert!(!limiter.clone().decide(before).is_admitted(), "admitted before {until:?}: {limiter:?}");
                prop_assert!(limiter.clone().decide(until).is_admitted(), "not admitted at {until:?}: {limiter:?}");
            }
        }
    }

    #[test]
    fn a_sliding_window_agrees_with_a_naive_log(limit in 1_u32..12, per in 1_u64..2_000, steps in any_steps()) {
        let mut limiter = SlidingWindow::new(limit, Duration::from_nanos(per));
        let mut log: Vec<u64> = Vec::new();
        let mut latest = 0;
        for now in walk(&steps) {
            latest = latest.max(now);
            let held = log.iter().filter(|admission| **admission + per > latest).count();
            let expected = held < limit as usize;
            prop_assert_eq!(limiter.decide(at(now)).is_admitted(), expected);
            if expected {
                log.push(latest);
            }
        }
        prop_assert!(log.is_empty() || trailing_max(&log, per) <= limit as usize);
    }

    #[test]
    fn a_sliding_window_counter_agrees_with_exact_fractions(limit in 1_u32..12, per in 1_u64..2_000, steps in any_steps()) {
        let mut limiter = SlidingWindowCounter::new(limit, Duration::from_nanos(per));
        let mut log: Vec<u64> = Vec::new();
        let mut latest = 0;
        for now in walk(&steps) {
            latest = latest.max(now);
            let window = latest / per;
            let count = |wanted: u64| log.iter().filter(|admission| **admission / per == wanted).count() as u64;
            let previous = if window == 0 { 0 } else { count(window - 1) };
            let weighted = previous * (per - latest % per) + (count(window) + 1) * per;
            let expected = weighted <= u64::from(limit) * per;
            prop_assert_eq!(limiter.decide(at(now)).is_admitted(), expected);
            if expected {
                log.push(latest);
            }
        }
        prop_assert!(log.is_empty() || trailing_max(&log, per) < 2 * limit as usize);
    }

    #[test]
    fn a_token_bucket_keeps_its_bound_in_every_window(rate in 1_u64..50_000_000, burst in 1_u32..12, steps in any_steps()) {
        // `rate` tokens per second, so that the bound burst + rate × W is a fraction of integers.
        let mut limiter = TokenBucket::new(rate as f64, burst, Instant::ZERO);
        let mut log: Vec<u64> = Vec::new();
        let mut latest = 0;
        for now in walk(&steps) {
            latest = latest.max(now);
            if limiter.decide(at(now)).is_admitted() {
                log.push(latest);
            }
        }
        for first in 0..log.len() {
            for last in first..log.len() {
                let width = u128::from(log[last] - log[first]);
                let bound = u128::from(burst) * 1_000_000_000 + u128::from(rate) * width;
                prop_assert!((last + 1 - first) as u128 * 1_000_000_000 <= bound);
            }
        }
    }

    #[test]
    fn a_fixed_window_never_exceeds_its_limit_per_window(limit in 1_u32..12, per in 1_u64..2_000, steps in any_steps()) {
        let mut limiter = FixedWindow::new(limit, Duration::from_nanos(per), Instant::ZERO);
        let mut log: Vec<u64> = Vec::new();
        let mut latest = 0;
        for now in walk(&steps) {
            latest = latest.max(now);
            let used = log.iter().filter(|admission| **admission / per == latest / per).count();
            let admitted = limiter.decide(at(now)).is_admitted();
            prop_assert_eq!(admitted, used < limit as usize);
            if admitted {
                log.push(latest);
            }
        }
    }
}
