//! The style of the house, as far as a machine can see it.

use coldfront_tests::{files, workspace};
use std::fs;
use std::path::Path;

/// Lines of a file, tests apart.
const FILE_LINES: usize = 500;
/// Lines of a function.
const FUNCTION_LINES: usize = 70;

#[test]
fn files_and_functions_stay_readable() {
    let mut long = Vec::new();
    for (name, text) in sources().iter().filter(|(name, _)| !is_test(name)) {
        let lines = text.lines().count();
        if lines > FILE_LINES {
            long.push(format!("{name}: {lines} lines, at most {FILE_LINES}"));
        }
        long.extend(long_functions(name, text));
    }
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn modules_lie_beside_their_folder() {
    let wrong: Vec<_> = sources().into_iter().map(|(name, _)| name).filter(|name| name.ends_with("/mod.rs")).collect();
    assert!(wrong.is_empty(), "foo.rs beside foo/, never mod.rs: {wrong:#?}");
}

#[test]
fn nothing_is_left_for_later_and_no_lint_is_silenced_without_a_reason() {
    // Written in two parts, or this file would find itself.
    let words = [["TO", "DO"], ["FIX", "ME"], ["XX", "X:"], ["todo", "!("], ["#[al", "low("], ["#[ig", "nore"]]
        .map(|parts| parts.concat());
    let mut found = Vec::new();
    for (name, text) in sources() {
        for (index, line) in text.lines().enumerate() {
            let hits = words.iter().filter(|word| line.contains(word.as_str()));
            found.extend(hits.map(|word| format!("{name}:{}: {word}", index + 1)));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn scenarios_and_pages_name_no_folder_of_a_machine() {
    let mut found = Vec::new();
    for path in ["toml", "md", "rs"].iter().flat_map(|extension| files(extension)) {
        let text = fs::read_to_string(&path).unwrap();
        let root = workspace().to_string_lossy();
        if text.contains(&*root) {
            found.push(relative(&path));
        }
    }
    assert!(found.is_empty(), "these name {}: {found:#?}", workspace().display());
}

/// Every source file, as its path from the root and its text.
fn sources() -> Vec<(String, String)> {
    files("rs").iter().map(|path| (relative(path), fs::read_to_string(path).expect("source files are text"))).collect()
}

fn relative(path: &Path) -> String {
    path.strip_prefix(workspace()).expect("it lies in the workspace").to_string_lossy().replace('\\', "/")
}

fn is_test(name: &str) -> bool {
    name.starts_with("tests/") || name.ends_with("/tests.rs") || name.contains("/tests/")
}

/// Functions over the limit. The code is formatted, so a function ends at the first brace as far in as it began.
fn long_functions(name: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut long = Vec::new();
    for (start, line) in lines.iter().enumerate().filter(|(_, line)| begins_function(line)) {
        let indent = line.len() - line.trim_start().len();
        let end = format!("{}}}", " ".repeat(indent));
        let length = lines[start..].iter().position(|line| *line == end).map_or(1, |offset| offset + 1);
        if length > FUNCTION_LINES && !line.trim_end().ends_with(['}', ';']) {
            long.push(format!("{name}:{}: a function of {length} lines, at most {FUNCTION_LINES}", start + 1));
        }
    }
    long
}

fn begins_function(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_prefix =
        |word: &str| word.starts_with("pub") || ["const", "async", "in", "super)", "crate)"].contains(&word);
    words.find(|word| !is_prefix(word)) == Some("fn")
}

#[test]
fn a_function_over_the_limit_is_found() {
    let body = "    x += 1;\n".repeat(FUNCTION_LINES - 1);
    let text = format!("impl A {{\n}}\n\npub(crate) async fn long() {{\n{body}}}\n\nfn short() {{}}\n");
    assert_eq!(long_functions("a.rs", &text).len(), 1);
    let body = "    x += 1;\n".repeat(FUNCTION_LINES - 2);
    assert!(long_functions("a.rs", &format!("fn fits() {{\n{body}}}\n")).is_empty());
}
