//! Verdicts on random values against the plain definition.

use super::*;
use coldfront_scenarios::expectation::{Bound, Comparison, Measure, Statistic};
use proptest::prelude::*;

const COMPARISONS: [Comparison; 5] =
    [Comparison::AtMost, Comparison::Below, Comparison::AtLeast, Comparison::Above, Comparison::Equal];

/// Judges `statistic(db.query) comparison bound` over the values.
fn judged(values: &[u64], statistic: Statistic, comparison: Comparison, bound: u64) -> ExpectationVerdict {
    let mut scenario = scenario("it = 'p50(db.query) <= 1ms'");
    let expectation = &mut scenario.expectations[0];
    expectation.comparison = comparison;
    expectation.bound = Bound::Duration(Duration::from_nanos(bound));
    if let Measure::Statistic(of, _) = &mut expectation.measure {
        *of = statistic;
    }
    let recorder = Recorder::new(Arc::new(Plan::compile(&scenario)));
    for value in values {
        recorder.observe(Series::DbQuery, ms(10), Duration::from_nanos(*value));
    }
    judge(&scenario, &recorder.finish(ms(4000))).expectations.remove(0)
}

fn compares(value: u64, comparison: Comparison, bound: u64) -> bool {
    match comparison {
        Comparison::AtMost => value <= bound,
        Comparison::Below => value < bound,
        Comparison::AtLeast => value >= bound,
        Comparison::Above => value > bound,
        Comparison::Equal => value == bound,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_quantile_is_judged_as_by_sorting(
        steps in proptest::collection::vec(0_u64..9, 1..60),
        percent in 1_u64..100,
        offset in 0_u64..9,
        beside in 0_u64..3,
    ) {
        // Values of which two or so share a bucket, and a bound at one of them or beside it.
        let values: Vec<u64> = steps.iter().map(|step| 1_000_000 + 500 * step).collect();
        let mut sorted = values.clone();
        sorted.sort_unstable();
        let count = values.len() as u64;
        let bound = 999_999 + 500 * offset + beside;
        let rank = (percent * count).div_ceil(100).max(1) as usize;
        let is_told = (100 - percent) * count >= 100;
        for comparison in COMPARISONS {
            let verdict = judged(&values, Statistic::Quantile(percent as f64 / 100.0), comparison, bound);
            let expected = match (is_told, compares(sorted[rank - 1], comparison, bound)) {
                (false, _) => Judgement::Invalid,
                (true, true) => Judgement::Pass,
                (true, false) => Judgement::Fail,
            };
            prop_assert_eq!(verdict.outcome, expected, "{}", verdict.reason);
        }
    }

    #[test]
    fn the_reported_value_never_contradicts_the_verdict(
        values in proptest::collection::vec(1_000_000_u64..1_004_000, 20..60),
        bound in 1_000_000_u64..1_004_000,
    ) {
        let statistics = [Statistic::Quantile(0.5), Statistic::Quantile(0.95), Statistic::Min, Statistic::Max];
        for (statistic, comparison) in statistics.into_iter().flat_map(|of| COMPARISONS.map(|comparison| (of, comparison))) {
            let verdict = judged(&values, statistic, comparison, bound);
            let measured = (verdict.measured.unwrap() * 1e6).round() as u64;
            prop_assert_eq!(verdict.outcome == Judgement::Pass, compares(measured, comparison, bound), "{:?}", verdict);
            let margin = verdict.margin.unwrap();
            prop_assert!(if verdict.outcome == Judgement::Pass { margin >= 0.0 } else { margin <= 0.0 }, "{:?}", verdict);
        }
    }

    #[test]
    fn judging_is_pure(values in proptest::collection::vec(0_u64..5_000, 0..30)) {
        let (scenario, recording) = {
            let mut case = Case::of("a = 'p50(latency) <= 2ms'\nb = 'max(ok per 10ms) <= 2'\nc = 'ratio(good / ok) >= 99%'");
            (0..).zip(&values).for_each(|(at, value)| case.request(at + 1, Outcome::Ok, Duration::from_micros(*value), Duration::ZERO));
            case.recording()
        };
        prop_assert_eq!(judge(&scenario, &recording), judge(&scenario, &recording));
    }
}
