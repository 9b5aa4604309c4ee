use super::*;
use crate::samples::route;

#[test]
fn routes_come_by_weight() {
    let routes = [route("GET", "/a", 5.0), route("GET", "/b", 1.0), route("GET", "/c", 0.5)];
    let mix = Mix::new(&routes, 9);
    let mut counts = [0_u32; 3];
    (0..65_000).for_each(|id| counts[usize::from(mix.route(id))] += 1);
    for (count, expected) in counts.iter().zip([50_000.0, 10_000.0, 5_000.0]) {
        // Four standard deviations of a binomial count, of at most the square root of the mean.
        assert!((f64::from(*count) - expected).abs() < 4.0 * libm::sqrt(expected), "{counts:?}");
    }
}

#[test]
fn choices_depend_on_the_id_and_the_seed_only() {
    let routes = [route("GET", "/a", 1.0), route("GET", "/items/{key}", 1.0)];
    let drawn = |seed| -> Vec<(u16, u64)> {
        let mix = Mix::new(&routes, seed);
        (0..100).rev().map(|id| (mix.route(id), mix.key(1, id))).collect()
    };
    assert_eq!(drawn(1), drawn(1));
    assert_ne!(drawn(1), drawn(2));
}

#[test]
fn a_route_of_overwhelming_weight_does_not_starve_the_last() {
    let mix = Mix::new(&[route("GET", "/a", 1e300), route("GET", "/b", 1e-300)], 1);
    assert!((0..1000).all(|id| mix.route(id) == 0));
    assert_eq!(Mix::new(&[route("GET", "/a", 3.0)], 1).route(7), 0);
    assert_eq!(mix.key(0, 7), 0, "a route without keys");
}
