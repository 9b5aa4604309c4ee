//! What the README shows is true: its scenario runs and passes, its files are there.

use coldfront_tests::workspace;
use std::fs;

fn readme() -> String {
    fs::read_to_string(workspace().join("README.md")).expect("there is a README")
}

#[test]
fn its_scenario_passes() {
    let text = readme();
    let scenario =
        text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("it shows a scenario");
    coldfront::Scenario::parse("README.md", scenario).and_then(|scenario| scenario.simulate()).unwrap().assert();
}

#[test]
fn its_scenario_for_a_real_service_can_be_aimed_at_any() {
    let text = readme();
    let blocks = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let scenario = blocks.skip(1).find(|block| block.contains("[[traffic]]")).expect("it shows a second scenario");
    let scenario = coldfront::Scenario::parse("README.md", scenario).unwrap();
    assert_eq!(scenario.resolved().expectations.len(), 3);
    let aimed = scenario.at("http://staging.example").unwrap();
    let coldfront_scenarios::Target::External(target) = &aimed.resolved().target else { panic!("it is aimed") };
    assert_eq!(target.url, "http://staging.example");
}

#[test]
fn its_links_lead_somewhere() {
    for page in ["README.md", "docs/architecture.md"] {
        let path = workspace().join(page);
        let text = fs::read_to_string(&path).unwrap();
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.contains("://") && !link.starts_with('#')) {
            let file = link.split('#').next().unwrap_or_default();
            assert!(path.with_file_name(file).exists(), "{page} links to {link}, which is not there");
        }
    }
}
