//! Broken scenarios and command lines, through the binary.
//!
//! Goal: each has a clear error of its own. Method: exit code 2, nothing on standard output, no panic, the words that name
//! the mistake on standard error (with the place for a file), nothing run and no file left behind.

use crate::command::{Folder, SCENARIO, real};

/// A line of [`SCENARIO`], what stands there instead, and what the error must say.
const BROKEN: &[(&str, &str, &[&str])] = &[
    ("seed = 3", "seed = three", &["small.toml:2:8", "syntax"]),
    ("seed = 3", "seed = -1", &["small.toml:2:8", "seed"]),
    ("seed = 3", "sed = 3", &["small.toml:2:1", "`sed`", "`seed`"]),
    ("seed = 3", "mode = \"turbo\"", &["small.toml:2:8", "turbo", "live", "sim"]),
    ("name = \"small\"", "", &["name"]),
    ("timeout = \"500ms\"", "timeout = 500", &["small.toml:6:11", "unit", "500ms"]),
    ("timeout = \"500ms\"", "timeout = \"500\"", &["small.toml:6:11", "unit"]),
    ("timeout = \"500ms\"", "timeout = \"500 parsecs\"", &["small.toml:6:", "parsecs"]),
    ("timeout = \"500ms\"", "timeout = \"-1s\"", &["small.toml:6:"]),
    ("timeout = \"500ms\"", "retry = { attempts = 3 }", &["small.toml:6:1", "retry"]),
    ("rate = \"20/s\"", "rate = 20", &["small.toml:12:8", "20/s"]),
    ("rate = \"20/s\"", "rate = \"20\"", &["small.toml:12:", "unit"]),
    ("rate = \"20/s\"", "rate = \"-5/s\"", &["small.toml:12:"]),
    ("for = \"500ms\"\nrate = \"20/s\"", "for = \"0s\"\nrate = \"20/s\"", &["small.toml:11:"]),
    ("name = \"spike\"", "name = \"quiet\"", &["small.toml:15:8", "quiet"]),
    ("get = \"/items/{key}\"", "get = \"items\"", &["small.toml:7:", "/"]),
    ("keys = { count = 100, zipf = 1.0 }", "weight = 2", &["small.toml:7:", "keys"]),
    ("count = 100", "count = 0", &["small.toml:7:", "count"]),
    ("get = \"/items/{key}\"", "get = \"/nowhere/{key}\"", &["small.toml:7:", "/nowhere/{key}", "/items/{key}"]),
    ("workers = 20\n", "", &["small.toml:2", "workers"]),
    ("kind = \"sliding-window\"", "kind = \"sliding-widow\"", &["sliding-widow", "sliding-window"]),
    ("limit = 400", "limit = 0", &["small.toml:21:", "limit"]),
    ("capacity = 50", "capacity = 99999999999", &["small.toml:22:", "capacity"]),
    ("max = 10", "max = 10, warm_up = { kind = \"prewarm\", to = 20 }", &["small.toml:26:", "10"]),
    ("query = \"4ms\"", "query = { median = \"9ms\", p99 = \"4ms\" }", &["small.toml:25:", "p99"]),
    ("count(ok) == 110", "count(okay) == 110", &["small.toml:29:", "okay", "ok"]),
    ("count(ok) == 110", "p95(ok) <= 1", &["small.toml:29:", "counter"]),
    ("count(ok) == 110", "count(ok) = 110", &["small.toml:29:", "=="]),
    ("count(ok) == 110", "count(ok == 110", &["small.toml:29:", ")"]),
    ("<= 100ms during spike", "<= 100 during spike", &["small.toml:30:", "unit"]),
    ("<= 100ms during spike", "<= 100ms during peak", &["small.toml:30:", "peak", "spike"]),
    ("<= 100ms during spike", "<= 100ms during spike[1s..2s]", &["small.toml:30:", "spike"]),
    ("p95(latency) <= 100ms", "p100(latency) <= 100ms", &["small.toml:30:", "100"]),
    ("[target.gateway]", "[target]\nurl = \"http://127.0.0.1:1\"\n[target.gateway]", &["url"]),
    ("[expect]", "[[event]]\nat = \"9s\"\ndo = \"kill-connections\"\n[expect]", &["small.toml:29:", "9s"]),
    ("[expect]", "[[event]]\nat = \"1s\"\ndo = \"explode\"\n[expect]", &["small.toml:30:", "explode", "flush-cache"]),
];

/// Command lines, and what the error must say. `small.toml` is there and right.
const COMMANDS: &[(&[&str], &[&str])] = &[
    (&[], &["Usage: coldfront <COMMAND>"]),
    (&["fly"], &["fly"]),
    (&["run"], &["FILE"]),
    (&["run", "none.toml"], &["no file none.toml", "coldfront list"]),
    (&["run", "cold-pool-spik"], &["cold-pool-spik", "cold-pool-spike"]),
    (&["run", "small.toml", "none.toml", "nil.toml", "--sim"], &["none.toml", "nil.toml"]),
    (&["run", "small.toml", "--sim", "--live"], &["--sim", "--live"]),
    (&["run", "small.toml", "--sim", "--url", "http://127.0.0.1:1"], &["--url", "--sim"]),
    (&["run", "small.toml", "--url", "127.0.0.1:1"], &["127.0.0.1:1", "http://"]),
    (&["run", "small.toml", "--sim", "--seed", "x"], &["--seed", "x"]),
    (&["run", "small.toml", "--sim", "--seeds", "5..1"], &["--seeds", "1..20"]),
    (&["run", "small.toml", "--sim", "--seeds", "1,2,1"], &["--seeds", "seed 1 is there twice"]),
    (&["run", "small.toml", "--sim", "--seed", "1", "--seeds", "1..2"], &["--seed", "--seeds"]),
    (&["run", "small.toml", "--sim", "--repeat", "0"], &["--repeat", "0"]),
    (&["run", "small.toml", "--sim", "--out", "xml=a"], &["xml", "json=PATH"]),
    (&["run", "small.toml", "--sim", "--out", "a.json"], &["a.json", "json=PATH"]),
    (&["run", "small.toml", "--sim", "--out", "json=small.toml/a.json"], &["small.toml/a.json", "nothing was run"]),
    (&["run", "small.toml", "--sim", "--out", "json={nosuch}.json"], &["{nosuch}", "{scenario}, {seed}, {repeat}"]),
    (&["run", "small.toml", "--sim", "--out", "json=."], &["folder"]),
    (&["run", "small.toml", "--sim", "--seeds", "1..2", "--out", "json=a.json"], &["a.json", "{seed}"]),
    (&["run", "small.toml", "--sim", "--repeat", "2", "--out", "json={seed}.json"], &["3.json", "{repeat}"]),
    (&["load"], &["URL"]),
    (&["load", "http://127.0.0.1:1/"], &["--rate"]),
    (&["load", "http://127.0.0.1:1/", "-r", "500/s"], &["--duration"]),
    (&["load", "http://127.0.0.1:1/", "-r", "500", "-d", "1s"], &["--rate 500", "500/s"]),
    (&["load", "http://127.0.0.1:1/", "-r", "500/s", "-d", "1"], &["--duration 1", "unit"]),
    (&["load", "https://127.0.0.1:1/", "-r", "500/s", "-d", "1s"], &["https", "http://"]),
    (&["load", "127.0.0.1:1", "-r", "500/s", "-d", "1s"], &["127.0.0.1:1", "http://"]),
    (&["load", "http://127.0.0.1:1/{key}", "-r", "5/s", "-d", "1s"], &["load has no keys", "write a scenario"]),
    (&["load", "http://127.0.0.1:1/", "--stage", "1s:5/s", "--stage", "0s:5/s"], &["error: --stage 0s:5/s: "]),
    (&["load", "http://127.0.0.1:1/", "-r", "5/s", "-d", "1s", "-H", "a b: c"], &["error: --header 'a b: c': "]),
    (&["load", "http://127.0.0.1:1/", "--stage", "500/s"], &["--stage 500/s", "10s:500/s"]),
    (&["load", "http://127.0.0.1:1/", "-r", "0/s", "-n", "5"], &["rate above 0"]),
    (&["load", "http://127.0.0.1:1/", "-r", "5/s", "-n", "5", "--arrivals", "poisson"], &["poisson", "--duration"]),
    (&["load", "http://127.0.0.1:1/", "-r", "5/s", "-d", "1s", "--json", "{a"], &["--json"]),
    (&["load", "http://127.0.0.1:1/", "-r", "5/s", "-d", "1s", "-H", "accept"], &["accept", "text/html"]),
    (&["load", "http://127.0.0.1:1/", "-r", "5/s", "-d", "1s", "--method", "BREW"], &["BREW", "GET"]),
    (
        &["load", "http://127.0.0.1:1/", "-r", "5/s", "-d", "1s", "--expect", "p95(latency) <= 5"],
        &["error: --expect 'p95(latency) <= 5': ", "unit"],
    ),
    (
        &["load", "http://127.0.0.1:1/", "-r", "5/s", "-d", "1s", "--expect", "count(db.connects) == 0"],
        &["error: --expect 'count(db.connects) == 0': ", "db.connects"],
    ),
    (&["target", "--listen", "8080"], &["--listen"]),
    (&["check", "small.toml", "none.toml"], &["none.toml"]),
];

#[test]
fn every_broken_scenario_has_an_error_of_its_own_at_its_place() {
    let mut wrong = Vec::new();
    for (line, instead, words) in BROKEN {
        assert!(SCENARIO.contains(line), "the scenario has no `{line}`");
        let folder = Folder::new();
        folder.write("small.toml", SCENARIO.replacen(line, instead, 1));
        wrong.extend(complaint(&folder, &["run", "small.toml", "--sim", "--out", "json=out.json"], words, true));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_broken_command_line_has_an_error_of_its_own() {
    let mut wrong = Vec::new();
    for (arguments, words) in COMMANDS {
        let folder = Folder::with_scenario();
        let is_silent = arguments.first() != Some(&"check");
        wrong.extend(complaint(&folder, arguments, words, is_silent));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_no_text_or_no_file_is_an_error_too() {
    let mut wrong = Vec::new();
    let huge = format!("# {}\n{SCENARIO}", "x".repeat(2 << 20));
    let files: [(&[u8], &[&str]); 4] = [
        (b"name = \"\xff\"", &["UTF-8"]),
        (b"", &["name"]),
        (b"\0\0\0\0", &["small.toml:1:", "TOML"]),
        (huge.as_bytes(), &["bytes"]),
    ];
    for (bytes, words) in files {
        let folder = Folder::new();
        folder.write("small.toml", bytes);
        wrong.extend(complaint(&folder, &["run", "small.toml", "--sim"], words, true));
    }
    let folder = Folder::with_scenario();
    wrong.extend(complaint(&folder, &["run", ".", "--sim"], &["cannot read"], true));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_that_is_wrong_is_named_and_none_of_the_others_runs() {
    let folder = Folder::with_scenario();
    folder.write("a.toml", SCENARIO.replace("seed", "sed"));
    folder.write("b.toml", SCENARIO.replace("workers", "worker"));
    let words = ["a.toml:2:1", "b.toml:20:1"];
    let wrong = complaint(&folder, &["run", "small.toml", "a.toml", "b.toml", "--sim"], &words, true);
    assert_eq!(wrong, None);
}

#[test]
fn a_reset_command_is_allowed_and_there_before_anything_runs() {
    let folder = Folder::with_scenario();
    folder.write("real.toml", real("reset = { command = [\"coldfront-has-no-such-command\"] }"));
    let wanted = ["real.toml", "coldfront-has-no-such-command", "--allow-commands"];
    assert_eq!(complaint(&folder, &["run", "small.toml", "real.toml"], &wanted, true), None);
    let allowed = ["run", "small.toml", "real.toml", "--allow-commands"];
    assert_eq!(complaint(&folder, &allowed, &["there is no command", "nothing was run"], true), None);
    let checked = folder.run(&["check", "real.toml"]);
    assert!(checked.stdout.contains("needs --allow-commands"), "{}", checked.stdout);
}

/// What is wrong with how the command line answers, if anything.
fn complaint(folder: &Folder, arguments: &[&str], words: &[&str], is_silent: bool) -> Option<String> {
    let before = folder.files();
    let ended = folder.run(arguments);
    let mut wrong = Vec::new();
    if ended.code != Some(2) {
        wrong.push(format!("exit code {:?}", ended.code));
    }
    if is_silent && !ended.stdout.is_empty() {
        wrong.push("it wrote to standard output".to_owned());
    }
    if ended.stderr.contains("panicked") {
        wrong.push("it panicked".to_owned());
    }
    if folder.files() != before {
        wrong.push(format!("it left {:?}", folder.files()));
    }
    wrong.extend(
        words.iter().filter(|word| !ended.stderr.contains(**word)).map(|word| format!("it does not say `{word}`")),
    );
    let told = || format!("{arguments:?}: {}\n{}{}", wrong.join(", "), ended.stdout, ended.stderr);
    (!wrong.is_empty()).then(told)
}
