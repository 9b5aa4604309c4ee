//! Warm-ups: connections that nobody has asked for yet.
//!
//! A fill opens connections beside the pool's own acquires, as many at once as its plan allows, and hands them over as spare
//! ones: the pool takes a spare one wherever it would open a new one. So a fill never holds back a connection that a request
//! could use, whatever the kind of pool.

use super::server::Server;
use coldfront_protection::pool::FillPlan;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Wait after the first connect that was refused; doubles with each further one.
const BACK_OFF_FIRST: Duration = Duration::from_millis(100);
/// Longest wait between two tries.
const BACK_OFF_MAX: Duration = Duration::from_secs(5);

/// What a fill does when a connect is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnRefusal {
    TryAgain,
    GiveUp,
}

/// Fills once, beside the traffic.
pub(super) fn once(server: &Arc<Server>, plan: FillPlan, on_refusal: OnRefusal) {
    for _ in 0..plan.workers(server.missing(plan.watermark)) {
        server.rt.spawn_daemon("pool fill", fill(Arc::clone(server), plan.watermark, on_refusal));
    }
}

/// Fills once, and then opens the gate.
pub(super) fn behind_gate(server: &Arc<Server>, plan: FillPlan, ready: Arc<AtomicBool>) {
    let server = Arc::clone(server);
    let rt = server.rt.clone();
    rt.spawn_daemon("pool warm-up", async move {
        let rt = &server.rt;
        let workers = plan.workers(server.missing(plan.watermark));
        let worker = || rt.spawn("pool fill", fill(Arc::clone(&server), plan.watermark, OnRefusal::TryAgain));
        let fills: Vec<_> = (0..workers).map(|_| worker()).collect();
        for fill in fills {
            fill.await;
        }
        if !server.is_retired() {
            ready.store(true, Ordering::Relaxed);
            let size = server.levels().size;
            server.meter.event(rt.now(), format!("ready: {size} database connections open"));
        }
    });
}

/// Keeps the pool at its watermark until it is retired.
pub(super) fn keep(server: &Arc<Server>, plan: FillPlan) {
    let server = Arc::clone(server);
    let rt = server.rt.clone();
    rt.spawn_daemon("pool keeper", async move {
        while !server.is_retired() {
            once(&server, plan, OnRefusal::TryAgain);
            server.fewer.notified().await;
        }
    });
}

/// One worker: opens connections one after the other until the watermark is reached.
async fn fill(server: Arc<Server>, watermark: u32, on_refusal: OnRefusal) {
    let mut wait = BACK_OFF_FIRST;
    while let Some(connect) = server.start_fill(watermark) {
        match connect.run().await {
            Ok(_opened) => wait = BACK_OFF_FIRST,
            Err(_refused) if on_refusal == OnRefusal::GiveUp => return,
            Err(_refused) => {
                server.back_off(wait).await;
                wait = (wait * 2).min(BACK_OFF_MAX);
            }
        }
    }
}
