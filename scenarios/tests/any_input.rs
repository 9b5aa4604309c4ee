//! No input panics, hangs or is answered without a reason; and what is accepted keeps the model's promises.

use coldfront_scenarios::error::MOST_PROBLEMS;
use coldfront_scenarios::expectation::{Bound, Measure, Statistic};
use coldfront_scenarios::quantity::{FASTEST, LONGEST};
use coldfront_scenarios::*;
use miette::Diagnostic;
use proptest::prelude::*;
use std::time::Duration;

const FILES: [&str; 4] = [
    include_str!("base.toml"),
    include_str!("example.toml"),
    include_str!("../catalog/burst-0-500-0.toml"),
    include_str!("../catalog/flash-crowd-50k.toml"),
];

/// Reads a text and checks what comes out, whichever it is.
fn read(text: &str) {
    match Scenario::parse(text, "f.toml") {
        Ok(scenario) => promises(&scenario),
        Err(error) => reasons(&error, text),
    }
}

/// Every problem has a place inside the file, words, and labels that can be drawn.
fn reasons(error: &ScenarioError, text: &str) {
    assert!((1..=MOST_PROBLEMS).contains(&error.problems.len()));
    let lines = text.split('\n').count();
    for problem in &error.problems {
        assert!(!problem.message().is_empty() && !problem.message().ends_with('.'), "{}", problem.message());
        let position = problem.position().expect("a text has places");
        assert!((1..=lines).contains(&position.line) && position.column >= 1, "{position:?}");
        for label in problem.labels().into_iter().flatten() {
            assert!(text.get(label.offset()..label.offset() + label.len()).is_some(), "{}", problem.plain());
        }
    }
    assert!(error.problems.is_sorted_by_key(Problem::position));
}

/// What the model says of its fields.
fn promises(scenario: &Scenario) {
    assert!(!scenario.traffic.is_empty());
    for traffic in &scenario.traffic {
        let mut end = Duration::ZERO;
        for stage in &traffic.stages {
            assert_eq!(stage.start, end, "stages follow each other without gaps");
            assert!(stage.duration > Duration::ZERO);
            end = stage.end();
        }
        assert!(end <= LONGEST && !traffic.mix.is_empty());
        assert!(traffic.mix.iter().all(|route| route.weight > 0.0 && route.weight.is_finite()));
        assert!(traffic.mix.iter().all(|route| route.path.contains("{key}") == route.keys.is_some()));
        assert!(traffic.mix.iter().all(|route| route.expect.is_sorted()));
        assert!(
            traffic.stages.iter().all(|stage| rates(&stage.rate).iter().all(|rate| (0.0..=FASTEST).contains(rate)))
        );
        assert!(traffic.connections.max >= 1 && traffic.in_flight.max >= 1);
    }
    assert!(scenario.events.is_sorted_by_key(|event| event.at));
    for expectation in &scenario.expectations {
        assert!(expectation.scope.from < expectation.scope.to);
        assert!(expectation.scope.traffic.is_none_or(|index| index < scenario.traffic.len()));
        match expectation.measure {
            Measure::Statistic(Statistic::Quantile(q), _) => assert!(q > 0.0 && q < 1.0),
            Measure::Extreme { per, .. } | Measure::Recovery { per, .. } => assert!(per > Duration::ZERO),
            _ => {}
        }
        match expectation.bound {
            Bound::Number(number) | Bound::PerSecond(number) => assert!(number.is_finite() && number >= 0.0),
            Bound::Duration(duration) => assert!(duration <= LONGEST),
        }
    }
}

fn rates(rate: &Rate) -> Vec<f64> {
    match rate {
        Rate::Constant(rate) => vec![*rate],
        Rate::Ramp { from, to } => vec![*from, *to],
        Rate::Step(rates) => rates.clone(),
        Rate::Sine { mean, amplitude, .. } => vec![*mean, mean - amplitude],
    }
}

/// Values that a careless hand might leave where another belongs.
const STRANGE: &[&str] = &[
    "0",
    "-1",
    "1.5",
    "nan",
    "inf",
    "-inf",
    "99999999999999999999",
    "0x10",
    "true",
    "\"\"",
    "\"5\"",
    "\"-1s\"",
    "\"0s\"",
    "\"1ns\"",
    "\"100h\"",
    "\"101h\"",
    "\"0/s\"",
    "\"1/s\"",
    "\"10000000/s\"",
    "\"99999999/s\"",
    "[]",
    "[1]",
    "[[]]",
    "{}",
    "{ a = 1 }",
    "{ kind = \"x\" }",
    "{ preset = \"pg-lan\" }",
    "1979-05-27",
    "\"/{key}\"",
    "\"a b\"",
    "\"run\"",
    "\"é\"",
    "\"\\u0000\"",
    "'''\n'''",
    "{ mean = \"1s\" }",
    "{ from = \"1/s\", to = \"0/s\" }",
    "\"quiet\"",
    "\"spike-1s\"",
    "\"count(ok) == 0 during first 1 of spike\"",
    "\"recovery(mean(latency per 1s), 1% of quiet) < 1s after spike\"",
];

/// One change to a sound file, line by line.
#[derive(Clone, Debug)]
enum Change {
    Delete(prop::sample::Index),
    Repeat(prop::sample::Index),
    Swap(prop::sample::Index, prop::sample::Index),
    Value(prop::sample::Index, &'static str),
    Borrow(prop::sample::Index, prop::sample::Index),
    Splice(prop::sample::Index, String),
    Truncate(prop::sample::Index),
}

fn changes() -> impl Strategy<Value = Change> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        at().prop_map(Change::Delete),
        at().prop_map(Change::Repeat),
        (at(), at()).prop_map(|(one, other)| Change::Swap(one, other)),
        (at(), prop::sample::select(STRANGE)).prop_map(|(at, value)| Change::Value(at, value)),
        (at(), at()).prop_map(|(at, from)| Change::Borrow(at, from)),
        (at(), ".{0,3}").prop_map(|(at, text)| Change::Splice(at, text)),
        at().prop_map(Change::Truncate),
    ]
}

fn changed(text: &str, change: &Change) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if lines.is_empty() {
        return String::new();
    }
    let count = lines.len();
    let value_of = |line: &str| line.split_once('=').map(|(_, value)| value.trim().to_owned());
    match change {
        Change::Delete(at) => drop(lines.remove(at.index(count))),
        Change::Repeat(at) => lines.insert(at.index(count), lines[at.index(count)].clone()),
        Change::Swap(one, other) => lines.swap(one.index(count), other.index(count)),
        Change::Value(at, value) => {
            if let Some((key, _)) = lines[at.index(count)].split_once('=') {
                lines[at.index(count)] = format!("{key}= {value}");
            }
        }
        Change::Borrow(at, from) => {
            if let (Some((key, _)), Some(value)) =
                (lines[at.index(count)].split_once('='), value_of(&lines[from.index(count)]))
            {
                lines[at.index(count)] = format!("{key}= {value}");
            }
        }
        Change::Splice(at, inserted) => {
            let mut characters: Vec<char> = text.chars().collect();
            let at = at.index(characters.len());
            characters.splice(at..=at, inserted.chars());
            return characters.into_iter().collect();
        }
        Change::Truncate(at) => return text.chars().take(at.index(text.len())).collect(),
    }
    lines.join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Err(error) = Scenario::parse_bytes(&bytes, "f.toml") {
            prop_assert!(!error.problems.is_empty());
        }
    }

    #[test]
    fn any_text(text in "(.|\n){0,200}") {
        read(&text);
    }

    #[test]
    fn any_text_of_the_characters_of_toml(text in "[a-z0-9 =\"'\\[\\]{},.#\n-]{0,200}") {
        read(&text);
    }

    #[test]
    fn a_sound_file_with_a_few_changes(file in prop::sample::select(&FILES), changes in prop::collection::vec(changes(), 1..4)) {
        let text = changes.iter().fold(file.to_owned(), |text, change| changed(&text, change));
        read(&text);
    }
}

/// Deep, wide and long files are answered, not followed into the ground.
#[test]
fn large_files_are_answered() {
    for text in [
        "[".repeat(1 << 20),
        format!("a = {}", "[".repeat((1 << 20) - 10)),
        format!("a = {}", "{ a = ".repeat(100_000)),
        format!("{} = 1", "a.".repeat(500_000)),
        "a = 1\n".repeat(150_000),
        (0..90_000).fold(String::new(), |text, n| text + &format!("k{n} = 1\n")),
        format!("name = \"{}\"", "é".repeat(500_000)),
        format!("[expect]\nx = \"{}\"", "(".repeat(1_000_000)),
        "[[traffic]]\n".repeat(80_000),
        format!("name = \"x\"\n[[traffic]]\nname=\"t\"\nmix=[{}]", "{get=\"/\"},".repeat(90_000)),
    ] {
        read(&text);
    }
}
