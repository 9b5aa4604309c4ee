use super::*;
use coldfront_rt::Stream;

const STREAM: Stream = Stream::named("test.keys");

fn law(count: u64, zipf: f64) -> KeyLaw {
    KeyLaw::new(&Keys { count, zipf })
}

/// One key for each of `n` ids, as a run draws them.
fn drawn(law: KeyLaw, n: u64) -> impl Iterator<Item = u64> {
    (0..n).map(move |id| law.draw(&mut STREAM.draws(11, id)))
}

/// Σ k^−s for k from 1 to `count`.
fn harmonic(count: u64, s: f64) -> f64 {
    (1..=count).rev().map(|k| libm::pow(k as f64, -s)).sum()
}

/// The distance of the counts of the keys `0..counts.len()` from their law, in standard deviations, root mean square.
fn chi_square_per_key(count: u64, s: f64, n: u64) -> f64 {
    let mut counts = vec![0_u64; count as usize];
    drawn(law(count, s), n).for_each(|key| counts[key as usize] += 1);
    let whole = harmonic(count, s);
    let terms = counts.iter().enumerate().map(|(key, seen)| {
        let expected = n as f64 * libm::pow((key + 1) as f64, -s) / whole;
        (*seen as f64 - expected) * (*seen as f64 - expected) / expected
    });
    terms.sum::<f64>() / (count - 1) as f64
}

#[test]
fn every_exponent_gives_its_law() {
    for s in [0.0, 1e-9, 0.5, 0.99, 0.999_999_999, 1.0, 1.000_000_001, 1.1, 1.5, 2.0, 3.0] {
        // Chi-square over its degrees of freedom, 99 of them: mean 1, standard deviation 0.142; four of those.
        let chi = chi_square_per_key(100, s, 200_000);
        assert!((0.5..1.57).contains(&chi), "s = {s}: chi-square per degree of freedom {chi}");
    }
}

#[test]
fn two_keys_and_one_key_are_laws_too() {
    for s in [0.0, 1.0, 2.0] {
        let first = drawn(law(2, s), 100_000).filter(|key| *key == 0).count() as f64 / 100_000.0;
        let expected = 1.0 / (1.0 + libm::pow(2.0, -s));
        assert!((first - expected).abs() < 4.0 * 0.001_59, "s = {s}: {first}, expected {expected}");
        assert!(drawn(law(1, s), 1000).all(|key| key == 0));
    }
}

#[test]
fn a_billion_keys_have_the_right_head_and_tail() {
    let count = 1_000_000_000;
    for s in [0.0_f64, 0.8, 1.0, 1.1] {
        // The sum over a billion by Euler and Maclaurin beyond the first thousand.
        let (from, to) = (1000.0, count as f64);
        let integral = if (s - 1.0).abs() < 1e-12 {
            libm::log(to / from)
        } else {
            (libm::pow(to, 1.0 - s) - libm::pow(from, 1.0 - s)) / (1.0 - s)
        };
        let whole = harmonic(1000, s) + integral - 0.5 * (libm::pow(from, -s) - libm::pow(to, -s));
        let head = harmonic(1000, s) / whole;
        let seen = drawn(law(count, s), 100_000).filter(|key| *key < 1000).count() as f64 / 100_000.0;
        let deviation = libm::sqrt(head * (1.0 - head) / 100_000.0);
        assert!((seen - head).abs() <= 4.0 * deviation + 1e-9, "s = {s}: {seen}, expected {head}");
        assert!(drawn(law(count, s), 10_000).all(|key| key < count));
    }
}

#[test]
fn extreme_exponents_end_and_stay_in_range() {
    for s in [10.0, 50.0, 300.0, 1e6] {
        for count in [2, 1000, 1_000_000_000] {
            let top = drawn(law(count, s), 1000).filter(|key| *key == 0).count();
            assert!(top >= 990, "s = {s}, {count} keys: the first had only {top} of 1000");
        }
    }
}

#[test]
fn refusals_are_rare() {
    // Two draws cost more only when the first proposal was refused: count draws by the state they leave behind.
    let law = law(10_000, 1.1);
    let twice = (0..10_000_u64).filter(|id| {
        let mut draws = STREAM.draws(5, *id);
        let mut single = draws.clone();
        law.draw(&mut draws);
        single.next_u64();
        draws.next_u64() != single.next_u64()
    });
    let share = twice.count() as f64 / 10_000.0;
    assert!(share < 0.15, "{share} of the draws needed more than one proposal");
}
