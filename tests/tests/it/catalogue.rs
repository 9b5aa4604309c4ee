//! Every scenario that ships is right, runs in virtual time, and holds what it states.

use coldfront::Scenario;

#[test]
fn every_shipped_scenario_holds_what_it_states() {
    let mut wrong = Vec::new();
    for entry in coldfront::catalog() {
        match Scenario::shipped(entry.name).and_then(|scenario| scenario.simulate()) {
            Ok(judged) if judged.passed() => {}
            Ok(judged) => wrong.push(judged.report().failure()),
            Err(error) => wrong.push(error.to_string()),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_shipped_scenario_says_what_it_shows_and_expects_something() {
    for entry in coldfront::catalog() {
        assert!(entry.about.ends_with('.'), "{}: its first line is a sentence: {}", entry.name, entry.about);
        let scenario = Scenario::shipped(entry.name).expect("it is right");
        assert!(!scenario.resolved().expectations.is_empty(), "{}: it expects something", entry.name);
    }
}
