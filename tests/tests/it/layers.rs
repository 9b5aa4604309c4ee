//! The dependency edges of `docs/architecture.md`, against the manifests.
//!
//! Edges point down only. Method: every crate has a floor; an edge between two of our crates must lead to a lower one.

use cargo_metadata::{Dependency, DependencyKind};
use coldfront_tests::{packages, workspace};
use std::fs;

/// Our crates with their floors, the highest on top.
const FLOORS: [(&str, u8); 14] = [
    ("xtask", 7),
    ("coldfront-benches", 7),
    ("coldfront-tests", 7),
    ("coldfront", 6),
    ("coldfront-harness", 5),
    ("coldfront-report", 5),
    ("coldfront-verdict", 4),
    ("coldfront-generator", 4),
    ("coldfront-mock-target", 4),
    ("coldfront-protection", 3),
    ("coldfront-measure", 3),
    ("coldfront-rt", 2),
    ("coldfront-scenarios", 1),
    ("coldfront-clock", 0),
];

/// Packages of the workspace that are no part of the program.
const ON_TOP: [&str; 3] = ["xtask", "coldfront-benches", "coldfront-tests"];

/// What the floors alone do not forbid: who may not use whom, and why.
const FORBIDDEN: &[(&str, &[&str], &str)] = &[
    ("coldfront", &["coldfront-generator", "coldfront-mock-target"], "only the harness brings the two together"),
    ("coldfront-measure", &["coldfront-rt", "tokio"], "it is told the time, and never waits"),
    ("coldfront-verdict", &["coldfront-rt", "tokio"], "it reads a finished recording"),
    ("coldfront-report", &["coldfront-rt", "tokio"], "pure functions to bytes"),
    (
        "coldfront-protection",
        &["coldfront-rt", "tokio", "axum", "hyper"],
        "pure state machines: now and draws are arguments",
    ),
    ("coldfront-scenarios", &["coldfront-rt", "tokio"], "a scenario knows nothing of how it is run"),
    ("coldfront-rt", &["coldfront-scenarios", "axum", "hyper"], "time, tasks and chance, nothing of the domain"),
];

#[test]
fn edges_point_down_only() {
    let mut wrong = Vec::new();
    for (from, dependency) in edges() {
        let (Some(above), Some(below)) = (floor(&from), floor(&dependency.name)) else { continue };
        if above <= below {
            wrong.push(format!("{from} → {}", dependency.name));
        }
    }
    assert!(wrong.is_empty(), "these edges do not lead to a lower floor: {wrong:#?}");
}

#[test]
fn every_crate_has_a_floor() {
    for package in packages().workspace_packages() {
        assert!(floor(&package.name).is_some(), "{} has no floor: give it one here and in the page", package.name);
    }
}

#[test]
fn the_page_lists_the_crates_from_the_top_down() {
    let page = fs::read_to_string(workspace().join("docs/architecture.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let listed: Vec<&str> = rows.filter(|name| floor(name).is_some()).collect();
    let floors: Vec<_> = listed.iter().map(|name| floor(name)).collect();
    assert!(floors.is_sorted_by(|above, below| above >= below), "not from the top down: {listed:?}");
    let crates = FLOORS.iter().map(|(name, _)| *name).filter(|name| !ON_TOP.contains(name));
    let missing: Vec<_> = crates.filter(|name| !listed.contains(name)).collect();
    assert!(missing.is_empty(), "not on the page: {missing:?}");
}

#[test]
fn the_lines_that_carry_the_design_hold() {
    for (from, dependency) in edges() {
        for (crate_name, forbidden, why) in FORBIDDEN {
            let is_wrong = from == *crate_name && forbidden.contains(&dependency.name.as_str());
            assert!(!is_wrong, "{from} may not use {}: {why}", dependency.name);
        }
    }
}

#[test]
fn the_clock_has_no_dependency() {
    let of_clock: Vec<_> = edges().into_iter().filter(|(from, _)| from == "coldfront-clock").collect();
    assert!(of_clock.is_empty(), "{of_clock:?}");
}

#[test]
fn nobody_but_rt_has_tokios_time() {
    for (from, dependency) in edges() {
        let has_time = dependency.name == "tokio" && dependency.features.iter().any(|feature| feature == "time");
        assert!(
            !has_time || from == "coldfront-rt",
            "{from} enables tokio's time: what it does would not be simulated"
        );
    }
}

fn floor(name: &str) -> Option<u8> {
    FLOORS.iter().find(|(crate_name, _)| *crate_name == name).map(|(_, floor)| *floor)
}

/// Every edge from one of our crates, dev-dependencies apart.
fn edges() -> Vec<(String, Dependency)> {
    let of = |package: &cargo_metadata::Package| {
        let from = package.name.to_string();
        let built = package.dependencies.iter().filter(|dependency| dependency.kind != DependencyKind::Development);
        built.map(|dependency| (from.clone(), dependency.clone())).collect::<Vec<_>>()
    };
    packages().workspace_packages().into_iter().flat_map(of).collect()
}
