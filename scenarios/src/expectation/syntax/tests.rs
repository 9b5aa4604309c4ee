//! The parser against its printer, and against anything.

use super::*;
use crate::error::Problems;
use crate::shape::{Shape, text};
use crate::source::Source;
use crate::tree::{Node, Value};
use proptest::prelude::*;

fn parsed(written: &str) -> Option<Written> {
    let mut problems = Problems::new(Source::new("test", written));
    let node = Node { span: 0..written.len(), value: Value::Text(written.to_owned()) };
    let result = text("an expectation", "", read).decode(&node, "test", &mut problems);
    assert_eq!(result.is_none(), !problems.is_empty(), "a problem is noted if and only if there is one");
    result
}

#[test]
fn every_form_prints_as_it_was_written() {
    for text in [
        "p95(latency) <= 250ms",
        "p99.9(latency) < 1.5s during spike[0s..500ms]",
        "p0.1(service) > 1us during shoppers.spike",
        "count(db.connects) == 0 during spike",
        "max(gateway.admitted per 1s) <= 400 during run[1s..]",
        "min(ok per 100ms) >= 0.5",
        "ratio(good{traffic=\"a\",cold=\"false\"} / offered) >= 95% during first 100 of spike",
        "ratio(ok{route=\"/items/{key}\"} / offered) > 0.995",
        "rate(ok) >= 10/s after spike[1m30s..2m]",
        "recovery(p95(latency per 500ms), 10% of quiet) <= 1s after spike",
        "recovery(last(gateway.queue.depth per 100ms), 0) <= 1s after a.b",
    ] {
        let written = parsed(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(written.to_string(), text);
    }
}

#[test]
fn blanks_and_quotes_do_not_matter() {
    let dense = parsed("ratio(ok{route='/a b',cold=true}/offered)>=1%during first 1_000 of a-1.b_2").unwrap();
    let loose =
        parsed(" ratio ( ok { route = \"/a b\" , cold = true } / offered ) >= 1 % during  first 1000 of a-1.b_2 ")
            .unwrap();
    assert_eq!(dense, Written { text: dense.text.clone(), ..loose });
}

#[test]
fn quantiles_are_the_nearest_numbers_to_what_is_written() {
    for (text, q) in [
        ("p50", 0.5),
        ("p99", 0.99),
        ("p99.9", 0.999),
        ("p99.99", 0.9999),
        ("p0.1", 0.001),
        ("p7", 0.07),
        ("p29", 0.29),
    ] {
        let MeasureWritten::Statistic(statistic, _) = parsed(&format!("{text}(latency) < 1s")).unwrap().measure.value
        else {
            panic!("{text}")
        };
        assert_eq!(statistic.value, Statistic::Quantile(q), "{text}");
        assert_eq!(statistic.value.to_string(), text);
    }
}

// === any expectation reads back ===

fn piece<T>(value: T) -> Piece<T> {
    Piece { span: 0..0, value }
}

prop_compose! {
    fn pieces(values: impl Strategy<Value = u64>)(nanos in values) -> Piece<Duration> {
        piece(Duration::from_nanos(nanos))
    }
}

fn durations() -> impl Strategy<Value = Piece<Duration>> {
    pieces(0..360_000_000_000_000_u64)
}

fn windows() -> impl Strategy<Value = Piece<Duration>> {
    pieces(1..360_000_000_000_000_u64)
}

fn names() -> impl Strategy<Value = String> {
    "[A-Za-z][A-Za-z0-9_-]{0,8}".prop_filter("words of the language", |name| !["run", "first"].contains(&name.as_str()))
}

fn stages() -> impl Strategy<Value = Piece<StageWritten>> {
    (proptest::option::of("[a-z][a-z0-9_-]{0,8}"), names())
        .prop_map(|(traffic, name)| piece(StageWritten { traffic, name }))
        .prop_filter("`run.x` is a stage, but `run` alone is not", |stage| {
            stage.traffic.is_some() || stage.name != "run"
        })
}

fn statistics() -> impl Strategy<Value = Piece<Statistic>> {
    let quantile = (1_u32..100_000_000).prop_map(|millionths| {
        let text = format!("{millionths}e-8");
        Statistic::Quantile(text.parse().expect("a number"))
    });
    let others = prop::sample::select(vec![
        Statistic::Min,
        Statistic::Mean,
        Statistic::Max,
        Statistic::Last,
        Statistic::Count,
        Statistic::Rate,
    ]);
    prop_oneof![quantile, others].prop_map(piece)
}

fn selections() -> impl Strategy<Value = SelectionWritten> {
    let series = "[a-z_]{1,8}(\\.[a-z_]{1,8}){0,2}".prop_map(piece);
    let value = prop_oneof!["[^'\"]{0,12}", "[^\"]{0,12}", "[^']{0,12}"];
    let label = ("[a-z]{1,8}".prop_map(piece), value.prop_map(piece));
    (series, prop::collection::vec(label, 0..3)).prop_map(|(series, labels)| SelectionWritten { series, labels })
}

fn bounds() -> impl Strategy<Value = BoundWritten> {
    prop_oneof![
        (0.0..1e15).prop_map(BoundWritten::Number),
        (0..u32::MAX).prop_map(|number| BoundWritten::Number(f64::from(number))),
        (0..1_000_000_u32).prop_map(|number| BoundWritten::Percent(format!("{number}e-5").parse().expect("a number"))),
        durations().prop_map(|duration| BoundWritten::Duration(duration.value)),
        (0.0..1e7).prop_map(BoundWritten::PerSecond),
    ]
}

fn measures() -> impl Strategy<Value = MeasureWritten> {
    let goal = prop_oneof![
        (0..100_000_u32, stages()).prop_map(|(number, stage)| {
            GoalWritten::Within(piece(format!("{number}e-4").parse().expect("a number")), stage)
        }),
        bounds()
            .prop_filter("a percentage is of a stage", |bound| !matches!(bound, BoundWritten::Percent(_)))
            .prop_map(|bound| GoalWritten::AtMost(piece(bound))),
    ];
    let extreme = prop::sample::select(vec![Extreme::Min, Extreme::Max]).prop_map(piece);
    prop_oneof![
        (statistics(), selections()).prop_map(|(statistic, selection)| MeasureWritten::Statistic(statistic, selection)),
        (extreme, selections(), windows()).prop_map(|(extreme, of, per)| MeasureWritten::Extreme(extreme, of, per)),
        (selections(), selections()).prop_map(|(upper, lower)| MeasureWritten::Ratio(upper, lower)),
        (statistics(), selections(), windows(), goal).prop_map(|(statistic, selection, per, goal)| {
            MeasureWritten::Recovery { statistic, selection, per, goal }
        }),
    ]
}

fn scopes() -> impl Strategy<Value = ScopeWritten> {
    let slice = || {
        let slice = (durations(), proptest::option::of(durations())).prop_map(|(from, to)| SliceWritten { from, to });
        proptest::option::of(slice)
    };
    prop_oneof![
        slice().prop_map(ScopeWritten::Run),
        (stages(), slice()).prop_map(|(stage, slice)| ScopeWritten::During(stage, slice)),
        (1..1_000_000_000_u64, stages()).prop_map(|(count, stage)| ScopeWritten::First(piece(count), stage)),
        (stages(), slice()).prop_map(|(stage, slice)| ScopeWritten::After(stage, slice)),
    ]
}

fn expectations() -> impl Strategy<Value = Written> {
    let comparisons = prop::sample::select(vec![
        Comparison::AtMost,
        Comparison::Below,
        Comparison::AtLeast,
        Comparison::Above,
        Comparison::Equal,
    ]);
    (measures(), comparisons, bounds(), scopes()).prop_map(|(measure, comparison, bound, scope)| Written {
        text: String::new(),
        measure: piece(measure),
        comparison: piece(comparison),
        bound: piece(bound),
        scope: piece(scope),
    })
}

proptest! {
    #[test]
    fn what_is_printed_reads_back(written in expectations()) {
        let text = written.to_string();
        prop_assume!(text.len() <= 1_000);
        let back = parsed(&text);
        prop_assert_eq!(back.as_ref().map(|back| Written { text: String::new(), ..back.clone() }), Some(written), "{}", text);
    }

    #[test]
    fn no_text_panics(text in ".{0,80}") {
        let _ = parsed(&text);
    }

    /// Words of the language in any order get deeper than any characters do.
    #[test]
    fn no_order_of_words_panics(words in prop::collection::vec(prop::sample::select(WORDS), 0..24), joint in "[ ]?") {
        let _ = parsed(&words.join(&joint));
    }

    /// One slip in a sound expectation.
    #[test]
    fn no_slip_panics(written in expectations(), at in any::<prop::sample::Index>(), slip in ".{0,2}") {
        let mut characters: Vec<char> = written.to_string().chars().collect();
        let at = at.index(characters.len());
        characters.splice(at..=at, slip.chars());
        let _ = parsed(&characters.into_iter().collect::<String>());
    }
}

const WORDS: &[&str] = &[
    "p95",
    "p",
    "min",
    "max",
    "mean",
    "count",
    "ratio",
    "recovery",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    "/",
    "%",
    "..",
    "<=",
    "==",
    "=",
    "latency",
    "db.connects",
    "a.b.c",
    "a..b",
    "per",
    "of",
    "during",
    "after",
    "first",
    "run",
    "spike",
    "1s",
    "250ms",
    "10",
    "10.5",
    "0",
    "1e9",
    "-1",
    "\"x\"",
    "'",
    "\"",
    "traffic",
    "µ",
    "é",
    "_",
    ".",
    "99999999999999999999999999",
];
