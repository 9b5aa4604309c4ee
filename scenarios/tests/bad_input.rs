//! What is said about bad input: place, words and help, to the letter.
//!
//! `bad_input.txt` holds the cases; the messages are the product on a bad day, so a change of a word is a change to review.

use coldfront_scenarios::error::MOST_PROBLEMS;
use coldfront_scenarios::{Code, Scenario, ScenarioError};
use std::fmt::Write;
use std::path::Path;

const BASE: &str = include_str!("base.toml");

fn error(text: &str) -> ScenarioError {
    match Scenario::parse(text, "f.toml") {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => error,
    }
}

/// The file with one change, and its problems.
fn changed(case: &str) -> ScenarioError {
    let (old, new) = case.split_once(" =>").expect("a case has an arrow");
    let new = new.strip_prefix(' ').unwrap_or_default();
    let (old, new) = (old.replace("\\n", "\n"), new.replace("\\n", "\n"));
    assert!(BASE.contains(&old), "base.toml has no {old:?}");
    error(&BASE.replacen(&old, &new, 1))
}

#[test]
fn the_base_is_sound() {
    if let Err(error) = Scenario::parse(BASE, "base.toml") {
        panic!("{}", error.plain());
    }
}

#[test]
fn every_bad_input_gets_its_words_at_its_place() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_input.txt");
    let committed = std::fs::read_to_string(&path).expect("the cases are committed");
    let head = committed.split("\n## ").next().expect("a head");
    let mut current = format!("{}\n", head.trim_end());
    for case in committed.lines().filter_map(|line| line.strip_prefix("## ")) {
        let words = changed(case).plain().replace("f.toml:", "");
        write!(current, "\n## {case}\n{words}").expect("a String grows");
    }
    if std::env::var_os("COLDFRONT_BLESS").is_some() {
        std::fs::write(&path, &current).expect("the cases can be written");
        return;
    }
    let differs = committed.lines().zip(current.lines()).position(|(committed, current)| committed != current);
    if let Some(line) = differs {
        let of = |text: &str| text.lines().skip(line.saturating_sub(1)).take(4).collect::<Vec<_>>().join("\n");
        panic!("bad_input.txt:{}\n--- committed\n{}\n--- now\n{}", line + 1, of(&committed), of(&current));
    }
    assert_eq!(committed.lines().count(), current.lines().count());
}

/// No code is there for nothing; unreadable files have their own test.
#[test]
fn every_code_has_a_case() {
    let cases = include_str!("bad_input.txt");
    for code in Code::ALL.iter().filter(|code| **code != Code::Unreadable) {
        assert!(cases.contains(&format!("[{code}]")), "{code} has no case");
    }
    assert!(cases.matches("\n## ").count() >= 190);
}

#[test]
fn several_problems_are_said_at_once_by_their_place() {
    let text = BASE
        .replace("for = \"2s\"", "for = 2")
        .replace("rate = \"50/s\"", "rate = \"50\"")
        .replace("capacity = 1000", "capacity = 0\ncolour = 1")
        .replace("<= 250ms", "<=");
    let error = error(&text);
    let places: Vec<_> =
        error.problems.iter().map(|problem| (problem.line(), problem.column(), problem.code())).collect();
    assert_eq!(
        places,
        [
            (11, 7, Code::Unit),
            (12, 8, Code::Unit),
            (44, 12, Code::OutOfRange),
            (45, 1, Code::UnknownKey),
            (56, 25, Code::Expectation),
        ]
    );
    assert_eq!(error.to_string(), "f.toml has 5 errors");
}

#[test]
fn the_number_of_problems_is_bounded() {
    let stages = "[[traffic.stage]]\nname = \"s\"\nfor = 1\nrate = 1\n".repeat(500);
    let error = error(&format!("name = \"x\"\n[[traffic]]\nname = \"t\"\nmix = [{{ get = \"/catalog\" }}]\n{stages}"));
    assert_eq!((error.problems.len(), error.more), (MOST_PROBLEMS, 1_000 - MOST_PROBLEMS));
    assert_eq!((error.problems[0].line(), error.problems[19].line()), (7, 44));
    assert!(error.plain().ends_with("and 980 more\n"), "{}", error.plain());
    assert_eq!(error.to_string(), "f.toml has 1000 errors");
}

#[test]
fn one_bracket_too_few_is_explained() {
    let text = "name = \"x\"\n[traffic]\nname = \"t\"\nmix = [{ get = \"/catalog\" }]\n[traffic.stage]\nname = \"s\"\nfor = \"1s\"\nrate = \"1/s\"\n";
    let lines: Vec<String> = error(text).plain().lines().map(str::to_owned).collect();
    assert_eq!(lines[0], "f.toml:2:1: `traffic` takes a list, not a table [scenario::wrong-type]");
    assert_eq!(lines[1], "  help: write it with two brackets: [[traffic]]");
}

#[test]
fn a_place_inside_an_escaped_string_is_found() {
    let text = BASE
        .replace("\"p95(latency) <= 250ms during quiet\"", r#""count(ok{route=\"/items/{key}\"}) \u003c= 1 durin""#);
    let problem = &error(&text).problems[0];
    assert_eq!((problem.line(), problem.column()), (55, 53));
    let text = BASE.replace("\"p95(latency) <= 250ms during quiet\"", "'''\np95(latency)\n  <= 250ms durin'''");
    let problem = &error(&text).problems[0];
    assert_eq!((problem.line(), problem.column()), (57, 12));
}

#[test]
fn a_problem_in_a_preset_points_at_its_name() {
    let text = BASE.replace("preset = \"pg-lan\", max = 20", "preset = \"pg-lan\", connect = { mean = 5 }");
    let places: Vec<_> = error(&text).problems.iter().map(|problem| (problem.line(), problem.column())).collect();
    assert_eq!(places, [(48, 8), (48, 48)]);
}

#[test]
fn unreadable_files_say_why() {
    let error = Scenario::load("no/such/file.toml").expect_err("there is none");
    assert_eq!((error.problems[0].code(), error.problems[0].position()), (Code::Unreadable, None));
    assert!(error.plain().starts_with("no/such/file.toml: cannot read the file: "), "{}", error.plain());
    let error = Scenario::parse_bytes(b"name = \"x\"\nabout = \"\xff\"\n", "f.toml").expect_err("not UTF-8");
    assert_eq!(error.problems[0].message(), "the file is not UTF-8: line 2 has another encoding");
    let error = Scenario::parse(&"#".repeat((1 << 20) + 1), "f.toml").expect_err("too large");
    assert_eq!(error.problems[0].code(), Code::Unreadable);
    let error = Scenario::load(env!("CARGO_MANIFEST_DIR")).expect_err("a directory");
    assert_eq!(error.problems[0].code(), Code::Unreadable);
}

/// Reports must not differ from machine to machine.
#[test]
fn an_absolute_path_is_named_without_its_prefix() {
    let beneath = std::env::current_dir().expect("a directory").join("no/such.toml");
    assert_eq!(Scenario::load(beneath).expect_err("there is none").file, "no/such.toml");
    assert_eq!(Scenario::load("/no/such.toml").expect_err("there is none").file, "such.toml");
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/example.toml");
    assert_eq!(Scenario::load(example).expect("sound").file, "tests/example.toml");
}

/// What graphical reporters draw: the code, the help, the source with its name, and labels on the right bytes.
#[test]
fn a_problem_is_a_diagnostic() {
    use miette::Diagnostic;
    let text = BASE.replace("timeout = \"1s\"", "timeout = \"1s\"\ndeadline = \"2s\"");
    let error = error(&text);
    let related: Vec<_> = error.related().expect("the problems").collect();
    assert_eq!(related.len(), 1);
    let problem = related[0];
    assert_eq!(problem.code().expect("a code").to_string(), "scenario::conflict");
    assert_eq!(problem.help().expect("a help").to_string(), "write a deadline of at most the timeout");
    let labels: Vec<_> = problem.labels().expect("labels").collect();
    let marked: Vec<&str> = labels.iter().map(|label| &text[label.offset()..label.offset() + label.len()]).collect();
    assert_eq!(marked, ["\"2s\"", "\"1s\""]);
    assert_eq!(labels[1].label(), Some("the timeout"));
    let source = problem.source_code().expect("a source");
    let contents = source.read_span(labels[0].inner(), 0, 0).expect("the span is inside");
    assert_eq!((contents.name(), contents.line()), (Some("f.toml"), 6));
}
