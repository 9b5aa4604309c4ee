//! The trace of a run: every call that was recorded, in order, for comparing two runs event by event.

use crate::sample::{Arrival, Sample};
use coldfront_clock::Instant;
use coldfront_scenarios::Series;
use std::time::Duration;

/// One recorded call.
#[derive(Clone, Debug, PartialEq)]
pub enum TraceEvent {
    /// An arrival was due.
    Offered(Arrival),
    /// An attempt went on the wire.
    Sent(Arrival, Instant),
    /// A request ended.
    Outcome(Sample),
    /// Events of a counter.
    Count(Series, Instant, u64),
    /// The new level of a gauge.
    Gauge(Series, Instant, u64),
    /// A value of a histogram.
    Observe(Series, Instant, Duration),
    /// An entry of the log.
    Event(Instant, String),
}

#[cfg(test)]
mod tests {
    use crate::{Plan, Recorder, TraceEvent};
    use coldfront_clock::Instant;
    use coldfront_scenarios::{Scenario, Series};
    use std::sync::Arc;

    #[test]
    fn a_traced_recorder_keeps_its_calls_in_order_and_another_keeps_none() {
        let text = r#"
name = "trace"
[[traffic]]
name = "load"
mix = [{ get = "/catalog" }]
stage = [{ name = "all", for = "1s", rate = "1/s" }]
[target.catalog]
service = "1ms"
"#;
        let plan = Arc::new(Plan::compile(&Scenario::parse(text, "trace.toml").unwrap()));
        let (traced, plain) = (Recorder::traced(plan.clone()), Recorder::new(plan));
        let at = Instant::from_nanos(5);
        for recorder in [&traced, &plain] {
            recorder.count(Series::CatalogCalls, at);
            recorder.gauge(Series::CatalogInFlight, at, 1);
        }
        let expected =
            [TraceEvent::Count(Series::CatalogCalls, at, 1), TraceEvent::Gauge(Series::CatalogInFlight, at, 1)];
        assert_eq!(traced.take_trace(), expected);
        assert!(traced.take_trace().is_empty(), "taken once");
        assert!(plain.take_trace().is_empty());
    }
}
