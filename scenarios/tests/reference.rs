//! The reference page is what the declarations say.

use coldfront_scenarios::{Code, Series, reference};
use std::path::Path;

/// The committed page is current. `COLDFRONT_BLESS=1` writes it anew.
#[test]
fn the_reference_page_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/scenario-reference.md");
    let page = reference();
    if std::env::var_os("COLDFRONT_BLESS").is_some() {
        std::fs::write(&path, &page).expect("the page can be written");
    }
    let committed = std::fs::read_to_string(&path).expect("the page is committed");
    assert!(
        committed == page,
        "docs/scenario-reference.md is stale: COLDFRONT_BLESS=1 cargo test -p coldfront-scenarios"
    );
}

/// Every link inside the page points at a heading of the page.
#[test]
fn links_have_headings() {
    let page = reference();
    let anchors: Vec<String> = page.lines().filter(|line| line.starts_with('#')).map(anchor).collect();
    let links: Vec<&str> = page.split("](#").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(links.len() > 20, "the page links its tables: {}", links.len());
    for link in links {
        assert_eq!(anchors.iter().filter(|anchor| *anchor == link).count(), 1, "one heading for #{link}");
    }
}

fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim();
    let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[test]
fn every_series_and_code_is_there() {
    let page = reference();
    for series in Series::ALL {
        assert!(page.contains(&format!("| `{}` |", series.name())), "{}", series.name());
    }
    for code in Code::ALL {
        assert!(page.contains(code.name()), "{code}");
    }
}

/// The examples of the page are scenarios, or parts that complete one.
#[test]
fn the_first_example_is_sound() {
    let page = reference();
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    if let Err(error) = coldfront_scenarios::Scenario::parse(example, "the reference") {
        panic!("{}", error.plain());
    }
}
