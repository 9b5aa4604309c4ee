//! `/metrics`: what the target has reported so far, as Prometheus text.

use super::Skin;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use coldfront_measure::Snapshot;
use coldfront_scenarios::{Kind, Series, Side};
use std::fmt::{self, Write as _};

/// The version of the text format.
const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

pub(super) async fn metrics(State(skin): State<Skin>) -> Response {
    ([(CONTENT_TYPE, TEXT_FORMAT)], render(&skin.target.snapshot())).into_response()
}

/// Every series of the target.
fn render(snapshot: &Snapshot) -> String {
    let mut out = String::with_capacity(8 * 1024);
    for series in Series::ALL.iter().copied().filter(|series| series.side() == Side::Target) {
        write_series(&mut out, series, snapshot).expect("writing to a string cannot fail");
    }
    out
}

/// A counter as `…_total`; a gauge if it has a level; a histogram as the sum and count of a summary, in seconds.
fn write_series(out: &mut String, series: Series, snapshot: &Snapshot) -> fmt::Result {
    let (name, about) = (format!("coldfront_{}", series.name().replace('.', "_")), series.about());
    match series.kind() {
        Kind::Counter => {
            let count = snapshot.count(series);
            writeln!(out, "# HELP {name}_total {about}\n# TYPE {name}_total counter\n{name}_total {count}")
        }
        Kind::Gauge => match snapshot.level(series) {
            Some(level) => writeln!(out, "# HELP {name} {about}\n# TYPE {name} gauge\n{name} {level}"),
            None => Ok(()),
        },
        Kind::Histogram => {
            let (count, sum) = (snapshot.count(series), snapshot.sum(series));
            let (seconds, nanos) = (sum / 1_000_000_000, sum % 1_000_000_000);
            writeln!(out, "# HELP {name}_seconds {about}\n# TYPE {name}_seconds summary")?;
            writeln!(out, "{name}_seconds_sum {seconds}.{nanos:09}\n{name}_seconds_count {count}")
        }
    }
}
