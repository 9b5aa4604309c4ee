//! Pinned values, uniformity and independence. The seeds are fixed, so nothing here is left to chance.

use rand_core::Rng;
use rand_distr::{Distribution, Exp1, StandardNormal};

use super::*;

const ARRIVALS: Stream = Stream::named("arrivals");
const KEYS: Stream = Stream::named("keys");
/// What `mix` turns into all ones.
const MIXES_TO_ONES: u64 = 0xCF9A_04AF_FA6B_ADC0;

fn first<const N: usize>(mut draws: Draws) -> [u64; N] {
    std::array::from_fn(|_| draws.next_u64())
}

/// Correlation of two series of unit draws.
fn correlation(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let mut count = 0.0;
    let (mut sum_xy, mut sum_xx, mut sum_yy) = (0.0, 0.0, 0.0);
    for (x, y) in pairs {
        let (x, y) = (x - 0.5, y - 0.5);
        sum_xy += x * y;
        sum_xx += x * x;
        sum_yy += y * y;
        count += 1.0;
    }
    assert!(count >= 100_000.0);
    sum_xy / (sum_xx * sum_yy).sqrt()
}

#[test]
fn the_mixer_is_split_mix_64_and_the_hash_is_fnv_1a() {
    // The known answers for the seed 1234567.
    let draws = Draws { state: 1_234_567 };
    assert_eq!(first(draws), [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    assert_eq!(Stream::named("foobar").0, mix(0x8594_4171_F739_67E8));
}

#[test]
fn draws_are_pinned_so_a_seed_means_the_same_run_everywhere() {
    // Computed apart from this code, from the formula in the module's documentation.
    assert_eq!(
        first(Stream::named("arrivals").draws(0, 0)),
        [0x162B_5053_3228_4101, 0x163E_B5B5_8E56_6A29, 0xD6BF_B7AA_EB95_37CE]
    );
    assert_eq!(
        first(Stream::named("db.query").draws(7, (1 << 48) | 0x2A)),
        [0xAD38_AF87_9745_D886, 0x071E_9CE1_089E_1595, 0x84FD_6349_C399_3DC4]
    );
    assert_eq!(first(Stream::named("").draws(u64::MAX, u64::MAX)), [0x5CD3_7896_E9BC_10D5, 0x2DD6_57E5_CD27_8C6D]);
}

#[test]
fn a_unit_never_reaches_one_and_an_open_unit_not_zero_either() {
    let zeros = Draws { state: GAMMA.wrapping_neg() };
    let ones = Draws { state: MIXES_TO_ONES.wrapping_sub(GAMMA) };
    assert_eq!((zeros.clone().next_u64(), ones.clone().next_u64()), (0, u64::MAX));
    let least = f64::EPSILON / 2.0;
    assert_eq!((zeros.clone().unit(), ones.clone().unit()), (0.0, 1.0 - least));
    assert_eq!((zeros.clone().open_unit(), ones.clone().open_unit()), (least, 1.0 - least));
}

#[test]
fn unit_draws_have_the_moments_of_the_uniform_law() {
    let count = 1_000_000;
    let mut draws = ARRIVALS.draws(7, 0);
    // Once along one counter, once over the first draws of many ids: both are used as samples.
    let along: Vec<f64> = (0..count).map(|_| draws.unit()).collect();
    let across: Vec<f64> = (0..count).map(|id| ARRIVALS.draws(7, id).unit()).collect();
    for sample in [along, across] {
        let mean = sample.iter().sum::<f64>() / count as f64;
        let variance = sample.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count as f64;
        // Five standard errors: 0.2887 / 1000 and 0.0745 / 1000.
        assert!((mean - 0.5).abs() < 0.001_45, "mean {mean}");
        assert!((variance - 1.0 / 12.0).abs() < 0.000_375, "variance {variance}");
        let mut buckets = [0_u32; 256];
        for x in &sample {
            buckets[(x * 256.0) as usize] += 1;
        }
        let expected = count as f64 / 256.0;
        let chi_squared: f64 = buckets.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
        // 255 degrees of freedom: mean 255, standard deviation 22.6.
        assert!((chi_squared - 255.0).abs() < 113.0, "chi squared {chi_squared}");
    }
}

#[test]
fn streams_ids_seeds_and_successive_draws_are_uncorrelated() {
    let count = 200_000;
    let unit = |stream: Stream, seed, id| stream.draws(seed, id).unit();
    let second = |seed, id| {
        let mut draws = ARRIVALS.draws(seed, id);
        draws.unit();
        draws.unit()
    };
    // Five standard errors of 1 / sqrt(200,000).
    let bound = 0.0112;
    let cases = [
        ("streams", correlation((0..count).map(|id| (unit(ARRIVALS, 7, id), unit(KEYS, 7, id))))),
        ("ids", correlation((0..count).map(|id| (unit(ARRIVALS, 7, id), unit(ARRIVALS, 7, id + 1))))),
        ("seeds", correlation((0..count).map(|id| (unit(ARRIVALS, 7, id), unit(ARRIVALS, 8, id))))),
        ("seeds in turn", correlation((0..count).map(|seed| (unit(ARRIVALS, seed, 3), unit(ARRIVALS, seed + 1, 3))))),
        ("draws", correlation((0..count).map(|id| (unit(ARRIVALS, 7, id), second(7, id))))),
        ("next id", correlation((0..count).map(|id| (second(7, id), unit(ARRIVALS, 7, id + 1))))),
    ];
    for (what, found) in cases {
        assert!(found.abs() < bound, "{what}: {found}");
    }
}

#[test]
fn flipping_one_bit_of_the_id_or_seed_flips_half_of_the_draw() {
    let flips = |change: fn(u64, u64) -> Draws| {
        let differing: u32 = (0..2_000_u64)
            .flat_map(|id| (0..64).map(move |bit| (id, id ^ (1 << bit))))
            .map(|(id, flipped)| (change(7, id).next_u64() ^ change(7, flipped).next_u64()).count_ones())
            .sum();
        f64::from(differing) / (2_000.0 * 64.0)
    };
    for mean in [flips(|seed, id| ARRIVALS.draws(seed, id)), flips(|id, seed| ARRIVALS.draws(seed, id))] {
        assert!((mean - 32.0).abs() < 0.1, "{mean}");
    }
}

#[test]
fn a_clone_continues_from_the_same_number() {
    let mut draws = KEYS.draws(1, 2);
    draws.next_u64();
    assert_eq!(first::<5>(draws.clone()), first::<5>(draws));
}

#[test]
fn the_generator_trait_gives_the_same_bits() {
    let draws = KEYS.draws(1, 2);
    let [a, b] = first(draws.clone());
    let mut bytes = [0; 11];
    draws.clone().fill_bytes(&mut bytes);
    assert_eq!(bytes[..8], a.to_le_bytes());
    assert_eq!(bytes[8..], b.to_le_bytes()[..3]);
    assert_eq!(Rng::next_u64(&mut draws.clone()), a);
    assert_eq!(u64::from(draws.clone().next_u32()), a >> 32);
}

#[test]
fn laws_of_rand_distr_sample_from_it() {
    let mut draws = ARRIVALS.draws(3, 4);
    let count = 200_000;
    let mean = (0..count).map(|_| -> f64 { Exp1.sample(&mut draws) }).sum::<f64>() / f64::from(count);
    assert!((mean - 1.0).abs() < 0.0112, "{mean}");
    let mean = (0..count).map(|_| -> f64 { StandardNormal.sample(&mut draws) }).sum::<f64>() / f64::from(count);
    assert!(mean.abs() < 0.0112, "{mean}");
}
