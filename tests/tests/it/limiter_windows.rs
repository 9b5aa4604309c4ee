//! Goal: "limit N per window" means for each limiter exactly what its law says, in the worst trailing window.
//!
//! Method: bursts placed around a window's boundary, and 0 → 500 → 0; the observable is the largest number of admissions in
//! any trailing window, over all its positions. Exact in sim; live with bounds.

use crate::support::{live, measured, simulate};

/// Bursts as (start in ms, arrivals within 10 ms), N = 100 per second unless the limiter says otherwise.
fn bursts(limiter: &str, bursts: &[(u32, u32)], expectations: &str) -> String {
    let mut stages = Vec::new();
    let mut now = 0;
    for (index, (start, count)) in bursts.iter().enumerate() {
        if *start > now {
            stages.push(format!(r#"{{ name = "wait{index}", for = "{}ms", rate = "0/s" }}"#, start - now));
        }
        stages.push(format!(r#"{{ name = "burst{index}", for = "10ms", rate = "{}/s" }}"#, count * 100));
        now = start + 10;
    }
    stages.push(r#"{ name = "end", for = "1s", rate = "0/s" }"#.to_owned());
    format!(
        r#"
name = "bursts at a limiter"
seed = 3

[[traffic]]
name = "bursts"
arrivals = "uniform"
connections = {{ max = 1000, open = "before" }}
mix = [{{ get = "/catalog" }}]
stage = [{}]

[target.network]
connect = "0s"
round_trip = "0s"

[target.gateway]
limiter = {{ {limiter} }}

[expect]
{expectations}
"#,
        stages.join(", ")
    )
}

const PER_SECOND: &str = r#"
worst = "max(gateway.admitted per 1s) >= 0"
total = "count(gateway.admitted) >= 0"
"#;

/// The largest trailing second and the total of what was admitted.
fn admitted(limiter: &str, at: &[(u32, u32)]) -> (f64, f64) {
    let run = simulate(&bursts(limiter, at, PER_SECOND));
    run.assert_passed();
    (measured(&run, "worst"), measured(&run, "total"))
}

#[test]
fn a_fixed_window_admits_twice_its_limit_across_the_boundary() {
    let limiter = r#"kind = "fixed-window", limit = 100, per = "1s""#;
    assert_eq!(admitted(limiter, &[(980, 150), (1000, 150)]), (200.0, 200.0));
    // Within one window it holds.
    assert_eq!(admitted(limiter, &[(100, 150), (900, 150)]), (100.0, 100.0));
}

#[test]
fn a_sliding_window_log_never_exceeds_its_limit() {
    let limiter = r#"kind = "sliding-window", limit = 100, per = "1s""#;
    assert_eq!(admitted(limiter, &[(980, 150), (1000, 150)]), (100.0, 100.0));
    // 100 at 0.9 s; nothing at 1.1 s; all of 100 again once the first have left, at 1.91 s.
    assert_eq!(admitted(limiter, &[(890, 100), (1100, 100), (1910, 100)]), (100.0, 200.0));
}

#[test]
fn a_sliding_window_counter_admits_by_its_weighted_estimate() {
    let limiter = r#"kind = "sliding-window-counter", limit = 100, per = "1s""#;
    // 100 in the window before; at 1.1 s the estimate is 100 × 0.9 = 90, so 10 more are admitted, and one or two as the
    // overlap shrinks during the 10 ms of the burst.
    let (worst, total) = admitted(limiter, &[(890, 100), (1100, 100)]);
    assert!((110.0..=111.0).contains(&total), "{total}");
    assert_eq!(worst, total);
    // Its worst trailing second is 2N − 1: N at the end of a window, the rest while the overlap goes to nothing.
    let (worst, _) = admitted(limiter, &[(985, 100), (1970, 1000), (1985, 1000)]);
    assert!(worst <= 199.0, "{worst}");
    assert!(worst > 150.0, "the estimate must leak across the boundary: {worst}");
}

#[test]
fn a_token_bucket_admits_its_burst_at_once_and_its_rate_over_time() {
    let limiter = r#"kind = "token-bucket", rate = "100/s", burst = 20"#;
    // Full at the start: 20 at once and, during the 10 ms of the burst, the token that comes in it.
    let (_, total) = admitted(limiter, &[(500, 500)]);
    assert!((20.0..=21.0).contains(&total), "{total}");
    // Over any second at most burst + rate × 1 s.
    let (worst, _) = admitted(limiter, &[(0, 500), (250, 500), (500, 500), (750, 500), (990, 500), (1200, 500)]);
    assert!(worst <= 120.0, "{worst}");
    assert!(worst >= 100.0, "{worst}");
}

/// 0 → 500 → 0 at a limiter of 300 per second.
fn spike(limiter: &str, bound: u32) -> String {
    format!(
        r#"
name = "0 → 500 → 0 at a limiter"
seed = 3

[[traffic]]
name = "shoppers"
arrivals = "poisson"
connections = {{ max = 256, open = "before" }}
mix = [{{ get = "/catalog" }}]
stage = [
  {{ name = "idle", for = "300ms", rate = "0/s" }},
  {{ name = "spike", for = "2s", rate = "500/s" }},
  {{ name = "after", for = "700ms", rate = "0/s" }},
]

[target.gateway]
limiter = {{ {limiter} }}

[target.catalog]
service = "5ms"

[expect]
law = "max(gateway.admitted per 1s) <= {bound}"
used = "max(gateway.admitted per 1s) >= 300"
refused = "count(rejected) >= 100"
both-sides-agree = "ratio(rejected / gateway.rejected) >= 100%"
"#
    )
}

const LIMITERS: [(&str, u32); 4] = [
    (r#"kind = "fixed-window", limit = 300, per = "1s""#, 600),
    (r#"kind = "sliding-window", limit = 300, per = "1s""#, 300),
    (r#"kind = "sliding-window-counter", limit = 300, per = "1s""#, 599),
    (r#"kind = "token-bucket", rate = "300/s", burst = 50"#, 350),
];

#[test]
fn every_limiter_keeps_its_law_under_the_spike() {
    for (limiter, bound) in LIMITERS {
        simulate(&spike(limiter, bound)).assert_passed();
    }
}

#[test]
fn real_every_limiter_keeps_its_law_under_the_spike() {
    for (limiter, bound) in LIMITERS {
        live(&spike(limiter, bound)).assert_passed();
    }
}
