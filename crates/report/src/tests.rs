use crate::model::{Judgement, Limiter};
use crate::sample;
use serde_json::Value;
use std::collections::BTreeSet;

/// Goal: `docs/result-json.md` names every field and no other. Method: the leaves of a report with everything filled,
/// against the first column of the page's tables.
#[test]
fn the_page_on_the_json_result_names_every_field_and_no_other() {
    let mut report = sample::report();
    report.stimulus.reasons = vec!["one".to_owned()];
    let json: Value = serde_json::from_slice(&report.json()).unwrap();
    let mut written = BTreeSet::new();
    leaves(&json, String::new(), &mut written);
    let documented = documented(include_str!("../../../docs/result-json.md"));
    let missing: Vec<_> = written.difference(&documented).collect();
    let stale: Vec<_> = documented.difference(&written).collect();
    assert!(missing.is_empty() && stale.is_empty(), "not documented: {missing:#?}, documented only: {stale:#?}");
}

#[test]
fn equal_reports_are_equal_bytes_that_end_a_line() {
    let bytes = sample::report().json();
    assert_eq!(bytes, sample::report().json());
    assert!(bytes.starts_with(b"{\n  \"schema\": 1,\n") && bytes.ends_with(b"}\n"));
}

#[test]
fn what_is_absent_is_null_and_never_left_out() {
    let mut report = sample::report();
    report.target = None;
    report.stimulus.delivery_error = Some(f64::NAN);
    let json: Value = serde_json::from_slice(&report.json()).unwrap();
    assert_eq!(json["target"], Value::Null);
    assert_eq!(json["stages"][2]["latency_ms"]["p50"], Value::Null);
    assert_eq!(json["stimulus"]["delivery_error"], Value::Null);
    assert_eq!(json["expectations"][1].as_object().unwrap().len(), 11);
}

#[test]
fn numbers_keep_their_nanoseconds() {
    let mut report = sample::report();
    report.stages[0].latency_ms.max = Some(33_400_001.0 / 1e6);
    report.verdict = Judgement::Invalid;
    report.target.as_mut().unwrap().limiter =
        Some(Limiter { kind: "fixed-window", limit: 1, per_s: 0.1, rate_per_s: None, burst: None, admitted_max: None });
    let text = String::from_utf8(report.json()).unwrap();
    assert!(text.contains("\"max\": 33.400001,"), "{text}");
    assert!(text.contains("\"verdict\": \"invalid\""));
    assert!(text.contains("\"per_s\": 0.1,"));
}

fn leaves(value: &Value, path: String, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let is_map = ["counters", "gauges", "histograms_ms", "levels_max"].iter().any(|map| path.ends_with(map));
            for (name, value) in fields {
                let name = if is_map { "*" } else { name };
                let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                leaves(value, path, found);
            }
        }
        Value::Array(elements) => {
            assert!(!elements.is_empty(), "the sample fills every list: {path}");
            for element in elements {
                leaves(element, format!("{path}[]"), found);
            }
        }
        _ => {
            found.insert(path);
        }
    }
}

/// The paths in backquotes of every table row's first cell, braces expanded.
fn documented(page: &str) -> BTreeSet<String> {
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    let quoted = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    quoted.flat_map(expanded).collect()
}

fn expanded(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let (choices, after) = rest.split_once('}').expect("a brace that opens also closes");
    choices.split(',').flat_map(|choice| expanded(&format!("{before}{choice}{after}"))).collect()
}
