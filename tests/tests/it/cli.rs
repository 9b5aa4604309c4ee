//! The command line's promises: exit codes, interruption, output files, broken pipes, help.

use crate::command::{Ended, Folder, SCENARIO, real};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command};

/// A scenario that takes half a minute live.
fn long() -> String {
    SCENARIO.replacen("for = \"500ms\"\nrate = \"20/s\"", "for = \"30s\"\nrate = \"20/s\"", 1)
}

fn with_expectation(text: &str) -> String {
    SCENARIO.replace("all-ok = \"count(ok) == 110\"", &format!("one = \"{text}\""))
}

#[test]
fn the_exit_code_says_how_it_ended() {
    let folder = Folder::with_scenario();
    folder.write("fails.toml", with_expectation("count(ok) == 111"));
    folder.write("invalid.toml", with_expectation("p50(latency) <= 1s during quiet[0s..10ms]"));
    let code = |files: &[&str]| folder.run(&[&["run", "--sim"], files].concat()).code;
    assert_eq!(code(&["small.toml"]), Some(0));
    assert_eq!(code(&["fails.toml"]), Some(1));
    assert_eq!(code(&["invalid.toml"]), Some(3));
    assert_eq!(code(&["small.toml", "invalid.toml"]), Some(3));
    assert_eq!(code(&["invalid.toml", "fails.toml", "small.toml"]), Some(1));
    assert_eq!(code(&["fails.toml", "none.toml"]), Some(2));
}

#[test]
fn the_summary_says_what_happened_and_has_no_colour_in_a_pipe() {
    let folder = Folder::with_scenario();
    let ended = folder.run(&["run", "small.toml", "--sim", "--seed", "9"]);
    for words in
        ["PASS  small: all 2 expectations hold", "sim, seed 9, small.toml", "✓ fast", "run small.toml --sim --seed 9"]
    {
        assert!(ended.stdout.contains(words), "{words}\n{}", ended.stdout);
    }
    assert!(!ended.stdout.contains('\u{1b}'), "{}", ended.stdout);
    assert_eq!(ended.stderr, "");
}

#[test]
fn a_simulation_writes_the_same_bytes_every_time_and_no_path_of_this_machine() {
    let folder = Folder::with_scenario();
    let absolute = folder.path().join("small.toml");
    let ended =
        folder.run(&["run", &absolute.to_string_lossy(), "--sim", "--repeat", "2", "--out", "json={repeat}.json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(folder.read("1.json"), folder.read("2.json"));
    assert_eq!(folder.json("1.json")["scenario"]["file"], "small.toml");
    let command = format!("coldfront run {} --sim --seed 3", absolute.display());
    assert!(ended.stdout.contains(&command), "the command that runs it again needs the path\n{}", ended.stdout);
    assert!(!String::from_utf8_lossy(&folder.read("1.json")).contains(&*folder.path().to_string_lossy()));
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_an_error_of_its_own() {
    let folder = Folder::with_scenario();
    let into_full = |arguments: &[&str]| {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        Ended::from(folder.command(arguments).stdout(full).output().expect("the binary starts"))
    };
    let commands: [&[&str]; 6] = [
        &["run", "small.toml", "--sim"],
        &["run", "small.toml", "--sim", "-q"],
        &["run", "small.toml", "--sim", "--out", "json=-"],
        &["list"],
        &["check", "small.toml"],
        &["--help"],
    ];
    for arguments in commands {
        let ended = into_full(arguments);
        assert_eq!(ended.code, Some(4), "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains("standard output: No space left"), "{arguments:?}: {}", ended.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_a_fifo_and_a_link_stay_what_they_are() {
    let folder = Folder::with_scenario();
    let to = |path: &str| folder.run(&["run", "small.toml", "--sim", "-q", "--out", &format!("json={path}")]);
    assert_eq!(to("/dev/null").code, Some(0));
    let full = to("/dev/full");
    assert_eq!(full.code, Some(4), "{}", full.stderr);
    assert!(full.stderr.contains("/dev/full"), "{}", full.stderr);
    let path = |name: &str| folder.path().join(name);
    assert!(Command::new("mkfifo").arg(path("fifo")).status().expect("there is mkfifo").success());
    let fifo = path("fifo");
    let reader = std::thread::spawn(move || std::fs::read(fifo).expect("somebody writes it"));
    assert_eq!(to("fifo").code, Some(0));
    let result: serde_json::Value = serde_json::from_slice(&reader.join().expect("it reads")).expect("a result");
    assert_eq!(result["verdict"], "pass");
    std::os::unix::fs::symlink("there.json", path("link.json")).expect("the folder is writable");
    assert_eq!(to("link.json").code, Some(0));
    assert_eq!(folder.json("there.json")["verdict"], "pass");
    assert_eq!(folder.files(), ["fifo", "link.json", "small.toml", "there.json"]);
    assert!(std::fs::symlink_metadata(path("link.json")).expect("it is there").is_symlink());
    let several = folder.run(&["run", "small.toml", "--sim", "-q", "--seeds", "1,2", "--out", "json=/dev/null"]);
    assert_eq!(several.code, Some(0), "{}", several.stderr);
}

#[test]
fn a_folder_that_is_missing_is_made() {
    let folder = Folder::with_scenario();
    let out = "json=out/{scenario}/{seed}.json";
    let ended = folder.run(&["run", "small.toml", "--sim", "-q", "--seeds", "4,7", "--out", out]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(folder.json("out/small/4.json")["scenario"]["seed"], 4);
    assert_eq!(folder.json("out/small/7.json")["scenario"]["seed"], 7);
}

#[test]
fn a_run_that_could_not_be_made_is_invalid_and_in_the_table() {
    let folder = Folder::with_scenario();
    folder.write("real.toml", real("reset = { post = \"/cold\" }"));
    folder.write("command.toml", real("reset = { command = [\"false\"] }"));
    let ended = folder.run(&["run", "real.toml", "command.toml", "--allow-commands"]);
    assert_eq!(ended.code, Some(3), "{}{}", ended.stdout, ended.stderr);
    let row = |file: &str| ended.stdout.lines().any(|line| line.contains(file) && line.ends_with("INVALID"));
    assert!(row("real.toml") && row("command.toml"), "{}", ended.stdout);
    assert!(
        ended.stdout.contains("real.toml, seed 3: the run could not be made: reset: POST /cold"),
        "{}",
        ended.stdout
    );
    let alone = folder.run(&["run", "real.toml"]);
    assert_eq!((alone.code, alone.stdout.as_str()), (Some(3), ""));
    assert!(alone.stderr.contains("error: the run could not be made: reset"), "{}", alone.stderr);
}

#[test]
fn real_an_interrupted_wait_says_what_it_waited_for_and_how_many_did_not_start() {
    let folder = Folder::new();
    folder.write("real.toml", real("ready = \"/readyz\""));
    let mut child = folder.start(&["run", "real.toml", "--repeat", "3"]);
    wait_for_line(&mut child, "waits up to 60 s until GET /readyz of http://127.0.0.1:1 answers 2xx");
    send(&child, "INT");
    let ended = Ended::wait(child);
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(ended.stdout.contains("3 of 3 runs did not start"), "{}", ended.stdout);
}

#[test]
fn several_runs_fill_their_paths_and_close_with_a_table() {
    let folder = Folder::with_scenario();
    let ended =
        folder.run(&["run", "small.toml", "--sim", "-q", "--seeds", "1..3", "-o", "json={scenario}-{seed}.json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(folder.files(), ["small-1.json", "small-2.json", "small-3.json", "small.toml"]);
    assert_eq!(folder.json("small-2.json")["scenario"]["seed"], 2);
    assert_eq!(ended.stdout.lines().count(), 4, "{}", ended.stdout);
    assert!(ended.stdout.lines().skip(1).all(|line| line.starts_with("  small.toml ")), "{}", ended.stdout);
}

#[test]
fn a_result_on_standard_output_is_alone_there() {
    let folder = Folder::with_scenario();
    let ended = folder.run(&["run", "small.toml", "--sim", "--out", "json=-"]);
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("nothing but the result");
    assert_eq!(json["verdict"], "pass");
    assert!(ended.stderr.contains("PASS"), "{}", ended.stderr);
}

#[test]
fn a_file_that_was_there_is_replaced_whole_and_nothing_else_is_left() {
    let folder = Folder::with_scenario();
    folder.write("out.json", "x".repeat(1 << 20));
    assert_eq!(folder.run(&["run", "small.toml", "--sim", "--out", "json=out.json"]).code, Some(0));
    assert_eq!(folder.json("out.json")["schema"], 1);
    assert_eq!(folder.files(), ["out.json", "small.toml"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::with_scenario();
    for arguments in [&["run", "small.toml", "--sim"][..], &["list"], &["--help"], &["check", "small.toml"]] {
        let mut child = folder.start(arguments);
        drop(child.stdout.take());
        let ended = Ended::wait(child);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn real_ctrl_c_ends_the_run_early_with_a_partial_result() {
    for signal in ["INT", "TERM"] {
        let folder = Folder::new();
        folder.write("long.toml", long());
        let mut child = folder.start(&["run", "long.toml", "long.toml", "--live", "--out", "json=-"]);
        wait_for_line(&mut child, "runs live");
        send(&child, signal);
        let ended = Ended::wait(child);
        assert_eq!(ended.code, Some(130), "{}", ended.stderr);
        let results: Vec<serde_json::Value> = serde_json::Deserializer::from_str(&ended.stdout)
            .into_iter()
            .collect::<Result<_, _>>()
            .expect("a whole result");
        assert_eq!(results.len(), 1, "the second file does not start");
        assert_eq!(results[0]["interrupted"], true);
        assert_eq!(results[0]["totals"]["unaccounted"], 0);
        assert!(ended.stderr.contains("1 of 2 runs did not start"), "{}", ended.stderr);
    }
}

#[test]
fn ctrl_c_ends_a_simulation_too() {
    let folder = Folder::with_scenario();
    folder.write("long.toml", long().replace("30s", "20m").replace("20/s", "20000/s"));
    let mut child = folder.start(&["run", "small.toml", "long.toml", "--sim", "--out", "json=-"]);
    assert_eq!(wait_for_stdout(&mut child), "{\n", "the first result is there, the second run begins");
    send(&child, "INT");
    let ended = Ended::wait(child);
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    // The signal may come in the moment between the two runs; then the second one does not start.
    let is_told = ended.stderr.contains("INTERRUPTED  small") || ended.stderr.contains("did not start");
    assert!(is_told, "{}", ended.stderr);
}

#[test]
fn real_an_interrupted_run_still_writes_its_file() {
    let folder = Folder::new();
    folder.write("long.toml", long());
    let mut child = folder.start(&["run", "long.toml", "--live", "--out", "json=out.json"]);
    wait_for_line(&mut child, "runs live");
    send(&child, "INT");
    let ended = Ended::wait(child);
    assert_eq!(ended.code, Some(130));
    assert!(ended.stdout.starts_with("INTERRUPTED  small"), "{}", ended.stdout);
    assert_eq!(folder.json("out.json")["interrupted"], true);
}

#[test]
fn real_the_target_prints_its_address_serves_and_ends_by_ctrl_c() {
    let folder = Folder::with_scenario();
    let mut child = folder.start(&["target", "small.toml", "--listen", "127.0.0.1:0"]);
    let line = wait_for_stdout(&mut child);
    let address = line.split("http://").nth(1).expect("it prints where it listens").trim();
    let url = format!("http://{address}/catalog");
    // On a busy machine the generator may be late and the run invalid: what was served is what counts here.
    let is_told = |ended: &Ended| matches!(ended.code, Some(0 | 3));
    let load =
        folder.run(&["load", &url, "-r", "100/s", "-n", "20", "--expect", "count(ok) == 20", "-o", "json=load.json"]);
    assert!(is_told(&load), "{}{}", load.stdout, load.stderr);
    assert_eq!(folder.json("load.json")["expectations"][0]["verdict"], "pass");
    assert_eq!(folder.json("load.json")["target"], serde_json::Value::Null);
    let run = folder.run(&["run", "small.toml", "--url", &format!("http://{address}"), "-o", "json=run.json"]);
    assert!(is_told(&run), "{}{}", run.stdout, run.stderr);
    assert_eq!(folder.json("run.json")["totals"]["offered"], 110);
    let again = format!("coldfront run small.toml --live --seed 3 --url http://{address}");
    assert!(run.stdout.contains(&again), "{}", run.stdout);
    send(&child, "INT");
    assert_eq!(Ended::wait(child).code, Some(130));
}

#[test]
fn the_catalogue_is_listed_one_line_each_and_can_be_run_by_name() {
    let folder = Folder::new();
    let listed = folder.run(&["list"]);
    let names: Vec<&str> = listed.stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names.len(), coldfront::catalog().len());
    for name in names {
        let checked = folder.run(&["check", name]);
        assert!(checked.code == Some(0) && checked.stdout.starts_with("ok  "), "{name}: {}", checked.stderr);
    }
}

#[test]
fn check_says_what_a_file_would_do_and_runs_nothing() {
    let folder = Folder::with_scenario();
    let ended = folder.run(&["check", "small.toml"]);
    for words in
        ["ok  small.toml: small", "about 110 requests in 1s", "spike for 500ms at 200/s", "queue of 50", "expect fast"]
    {
        assert!(ended.stdout.contains(words), "{words}\n{}", ended.stdout);
    }
    assert_eq!((ended.code, folder.files()), (Some(0), vec!["small.toml".to_owned()]));
}

#[test]
fn help_teaches_by_example() {
    let folder = Folder::new();
    for command in ["run", "load", "target", "check"] {
        let ended = folder.run(&[command, "--help"]);
        assert!(ended.code == Some(0) && ended.stdout.contains(&format!("  coldfront {command} ")), "{}", ended.stdout);
    }
    assert!(folder.run(&["--version"]).stdout.starts_with("coldfront "));
}

/// Reads standard error up to the line with these words.
fn wait_for_line(child: &mut Child, words: &str) {
    let mut lines = BufReader::new(child.stderr.as_mut().expect("it is caught"));
    let mut line = String::new();
    while !line.contains(words) {
        line.clear();
        assert!(lines.read_line(&mut line).expect("it writes text") > 0, "it ended without a line with `{words}`");
    }
}

/// Reads the first line of standard output.
fn wait_for_stdout(child: &mut Child) -> String {
    let mut line = String::new();
    let stream = child.stdout.as_mut().expect("it is caught");
    BufReader::new(stream).read_line(&mut line).expect("it writes text");
    line
}

fn send(child: &Child, signal: &str) {
    let status = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
    assert!(status.expect("there is a kill").success());
}
