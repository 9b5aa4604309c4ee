//! A scenario in words: what it would send, at what, and what it expects.

use coldfront_harness::READY_LIMIT;
use coldfront_report::format::{count, label};
use coldfront_scenarios::quantity::{duration_text, rate_text};
use coldfront_scenarios::{External, Gateway, Limiter, MockSpec, Pool, Queue, Rate};
use coldfront_scenarios::{Reset, Scenario, Stage, Target, Traffic, WarmUp};

/// What `check` says about a scenario that is right.
pub(super) fn scenario(scenario: &Scenario) -> String {
    let mode = scenario.mode.map_or_else(String::new, |mode| format!(", {}", mode.name()));
    let mut lines = vec![format!("ok  {}: {}{mode}", label(&scenario.file, 200), label(&scenario.name, 200))];
    lines.extend(scenario.traffic.iter().flat_map(traffic));
    let tiers = target(&scenario.target).into_iter().enumerate();
    lines.extend(tiers.map(|(index, tier)| format!("    {:6} {tier}", if index == 0 { "target" } else { "" })));
    let events = scenario.events.iter();
    lines.extend(events.map(|event| format!("    event  {} at {}", event.action.name(), event.at_text)));
    lines.extend(
        scenario.expectations.iter().map(|expectation| {
            format!("    expect {}: {}", label(&expectation.name, 80), label(&expectation.text, 500))
        }),
    );
    lines.join("\n") + "\n"
}

fn traffic(traffic: &Traffic) -> Vec<String> {
    let total: f64 = traffic.stages.iter().map(expected).sum();
    let name = label(&traffic.name, 80);
    let mut lines =
        vec![format!("    load   {name}: about {} requests in {}", round(total), duration_text(traffic.end()))];
    lines.extend(traffic.stages.iter().map(|stage| {
        let lasts = duration_text(stage.duration);
        format!(
            "           {} for {lasts} at {}: about {}",
            label(&stage.name, 80),
            rate(&stage.rate),
            round(expected(stage))
        )
    }));
    lines
}

fn rate(rate: &Rate) -> String {
    match rate {
        Rate::Constant(rate) => rate_text(*rate),
        Rate::Ramp { from, to } => format!("{} to {}", rate_text(*from), rate_text(*to)),
        Rate::Step(rates) => format!("{} steps", rates.len()),
        Rate::Sine { mean, amplitude, period } => {
            format!("{} ± {} every {}", rate_text(*mean), rate_text(*amplitude), duration_text(*period))
        }
    }
}

/// The integral of the rate: the count that the schedule draws on average.
fn expected(stage: &Stage) -> f64 {
    let seconds = stage.duration.as_secs_f64();
    match &stage.rate {
        Rate::Constant(rate) => rate * seconds,
        Rate::Ramp { from, to } => (from + to) / 2.0 * seconds,
        Rate::Step(rates) => rates.iter().sum::<f64>() / rates.len() as f64 * seconds,
        Rate::Sine { mean, amplitude, period } => {
            let wave = std::f64::consts::TAU / period.as_secs_f64();
            mean * seconds + amplitude / wave * (1.0 - (wave * seconds).cos())
        }
    }
}

fn round(requests: f64) -> String {
    count(requests.round() as u64)
}

/// One line per tier that is on, from the outside in.
fn target(target: &Target) -> Vec<String> {
    match target {
        Target::External(external) => service(external),
        Target::Embedded(spec) => tiers(spec),
    }
}

/// What happens at a service before time zero.
fn service(external: &External) -> Vec<String> {
    let reset = external.reset.as_ref().map(|reset| match reset {
        Reset::Post(path) => format!("reset by POST {path}"),
        Reset::Command(words) => {
            format!("reset by the command `{}`: needs --allow-commands", label(&words.join(" "), 200))
        }
    });
    let limit = duration_text(READY_LIMIT);
    let ready = external.ready.as_ref().map(|path| format!("ready when GET {path} answers 2xx, within {limit}"));
    [Some(external.url.clone()), reset, ready].into_iter().flatten().collect()
}

fn tiers(spec: &MockSpec) -> Vec<String> {
    let tiers = [
        spec.gateway.as_ref().map(gateway),
        spec.catalog.as_ref().map(|_| "catalog".to_owned()),
        spec.cache.as_ref().map(|cache| format!("cache: {} entries", count(cache.capacity))),
        spec.db.as_ref().map(|db| db.pool.as_ref().map_or_else(|| "db".to_owned(), pool)),
    ];
    let on: Vec<String> = tiers.into_iter().flatten().collect();
    if on.is_empty() { vec!["the mock service with every tier off: it answers at once".to_owned()] } else { on }
}

fn gateway(gateway: &Gateway) -> String {
    let parts = [
        gateway.limiter.as_ref().map(limiter),
        gateway.queue.as_ref().map(queue),
        gateway.workers.map(|workers| format!("{} workers", count(workers.into()))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "gateway".to_owned() } else { format!("gateway: {}", parts.join(", ")) }
}

fn limiter(limiter: &Limiter) -> String {
    match limiter {
        Limiter::FixedWindow { limit, per } => format!("fixed window {limit} per {}", duration_text(*per)),
        Limiter::SlidingWindow { limit, per } => format!("sliding window {limit} per {}", duration_text(*per)),
        Limiter::SlidingWindowCounter { limit, per } => format!("window counter {limit} per {}", duration_text(*per)),
        Limiter::TokenBucket { rate, burst } => format!("token bucket {} with a burst of {burst}", rate_text(*rate)),
    }
}

fn queue(queue: &Queue) -> String {
    let Queue::Fifo { capacity, timeout } = queue;
    let timeout = timeout.map(|timeout| format!(" for up to {}", duration_text(timeout))).unwrap_or_default();
    format!("queue of {}{timeout}", count((*capacity).into()))
}

fn pool(pool: &Pool) -> String {
    let warm_up = match pool.warm_up {
        WarmUp::Lazy => "lazy".to_owned(),
        WarmUp::MinIdle { min } => format!("at least {min} open"),
        WarmUp::Prewarm { to, .. } => format!("prewarmed to {to}"),
    };
    format!("db: pool of {}, {warm_up}", pool.max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_expected_count_is_the_area_under_the_rate() {
        let stage =
            |rate| Stage { name: "s".to_owned(), start: Duration::ZERO, duration: Duration::from_secs(3), rate };
        let second = Duration::from_secs(1);
        let is = |rate, count: f64| assert!((expected(&stage(rate)) - count).abs() < 1e-9, "{count}");
        is(Rate::Constant(500.0), 1_500.0);
        is(Rate::Ramp { from: 0.0, to: 100.0 }, 150.0);
        is(Rate::Step(vec![10.0, 20.0, 60.0]), 90.0);
        is(Rate::Sine { mean: 10.0, amplitude: 10.0, period: second }, 30.0);
        // Half a wave: the area of its hump is amplitude × period / π.
        is(Rate::Sine { mean: 10.0, amplitude: 10.0, period: second * 6 }, 30.0 + 60.0 / std::f64::consts::PI);
    }
}
