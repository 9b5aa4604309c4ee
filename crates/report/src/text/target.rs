//! What the embedded target went through, one line per part that has something to say.

use super::layout::{Paint, entry};
use crate::format;
use crate::model::{Limiter, Report, Target, Tier};

pub(super) fn section(report: &Report, paint: Paint) -> Vec<String> {
    let Some(target) = &report.target else { return Vec::new() };
    let lines = [
        ("limiter", target.limiter.as_ref().map(limiter)),
        ("gateway", target.gateway.as_ref().and_then(gateway)),
        ("cache", target.cache.as_ref().map(cache)),
        ("pool", target.db.as_ref().map(pool)),
        ("catalog", target.catalog.as_ref().and_then(catalog)),
        ("breaker", breaker(target)),
    ];
    lines.into_iter().filter_map(|(name, line)| Some(entry(name, &line?, paint))).flatten().collect()
}

fn limiter(limiter: &Limiter) -> String {
    let Limiter { kind, limit, per_s, rate_per_s, burst, admitted_max } = limiter;
    let per = format::period(*per_s);
    let filled = rate_per_s.map(|rate| format!(" filled at {}", format::in_unit(rate, "/s"))).unwrap_or_default();
    let holds = burst.map(|burst| format!(", burst {}", format::count(burst))).unwrap_or_default();
    let promise = format!("limit {} ({kind}{filled}{holds})", format::count(*limit));
    match admitted_max {
        Some(most) if most > limit => {
            format!("at most {} admitted in any {per}, OVER its {promise}", format::count(*most))
        }
        Some(most) => format!("at most {} admitted in any {per}, {promise}", format::count(*most)),
        None => promise,
    }
}

fn gateway(gateway: &Tier) -> Option<String> {
    let (depth, timeouts) = (gateway.high_water("queue.depth"), gateway.counter("queue.timeouts"));
    let (shed, upstream) = (gateway.counter("shed"), gateway.counter("timeouts"));
    if depth + timeouts + shed + upstream == 0 {
        return None;
    }
    let mut facts = vec![format!("at most {} waiting for a worker", format::count(depth))];
    let more = [(shed, "shed"), (timeouts, "of them by the queue's timeout"), (upstream, "upstream timeouts")];
    facts.extend(more.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", format::count(*n))));
    Some(facts.join(", "))
}

fn cache(cache: &Tier) -> String {
    let (hits, misses) = (cache.counter("hits"), cache.counter("misses"));
    let looked_up = hits + misses;
    if looked_up == 0 {
        return "not used".to_owned();
    }
    let mut facts = vec![
        format!(
            "{} hits ({} of {})",
            format::percent(hits as f64 / looked_up as f64),
            format::count(hits),
            format::count(looked_up)
        ),
        format!("{} loads", format::count(cache.counter("loads"))),
    ];
    let more = [("coalesced", "joined a load under way"), ("stale", "answered stale")];
    let said = more.iter().map(|(name, what)| (cache.counter(name), what)).filter(|(n, _)| *n > 0);
    facts.extend(said.map(|(n, what)| format!("{} {what}", format::count(n))));
    facts.join(", ")
}

fn pool(db: &Tier) -> String {
    let mut facts = vec![format!("{} queries", format::count(db.counter("queries")))];
    if db.high_water("pool.size") > 0 {
        facts.push(format!("{} connects", format::count(db.counter("connects"))));
        facts.push(format!("at most {} connections", format::count(db.high_water("pool.size"))));
        facts.push(match db.high_water("pool.waiters") {
            0 => "nobody waited for one".to_owned(),
            most => format!("at most {} waiting for one", format::count(most)),
        });
    }
    let more = [("connect_failures", "connects failed"), ("pool.timeouts", "waited to the acquire timeout")];
    let said = more.iter().map(|(name, what)| (db.counter(name), what)).filter(|(n, _)| *n > 0);
    facts.extend(said.map(|(n, what)| format!("{} {what}", format::count(n))));
    facts.join(", ")
}

fn catalog(catalog: &Tier) -> Option<String> {
    let (most, ready) = (catalog.high_water("replicas.desired"), catalog.high_water("replicas.ready"));
    (most > 0)
        .then(|| format!("{} replicas wanted at most, {} ready at most", format::count(most), format::count(ready)))
}

fn breaker(target: &Target) -> Option<String> {
    let breaker = target.breaker.as_ref()?;
    let (opened, rejected) = (breaker.counter("opened"), breaker.counter("rejected"));
    (opened > 0).then(|| format!("opened {} times, refused {}", format::count(opened), format::count(rejected)))
}
