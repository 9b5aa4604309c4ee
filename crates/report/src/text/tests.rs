use super::Judgement::{Fail, Invalid, Pass};
use super::*;
use crate::model::{Counts, Expectation};
use crate::sample;

/// The whole summary of the sample, word for word: what a reader sees is a decision.
#[test]
fn a_failed_run_reads_at_a_glance() {
    let expected = "\
FAIL  cold pool under 0 → 500 → 0: 1 of 3 expectations does not hold, 1 cannot be judged
      sim, seed 7, cold-pool.toml
      note: the modelled network stands for the real one

  stage  offered     ok  rejected  shed  timed out     p50     p95     p99     max
  quiet      101    101         0     0          0  4.20ms  18.1ms  31.0ms  33.4ms
  spike    1,512  1,190       312     0         10  5.10ms   240ms   995ms   1.00s
  after      150    150         0     0          0       -       -       -       -
  total    1,763  1,441       312     0         10
  times from the intended start, over ok, timed-out and failed requests

first wave    2 of the first 3 requests of spike paid a cold cost: 2 for database connects (worst
              212ms); the slowest took 312ms (ok)

limiter       at most 400 admitted in any 1s, limit 400 (sliding-window)
gateway       at most 120 waiting for a worker, 12 shed, 12 of them by the queue's timeout
cache         81.2 % hits (1,169 of 1,439), 250 loads, 20 joined a load under way
pool          250 queries, 20 connects, at most 20 connections, at most 31 waiting for one

expectations      measured     margin
  ✗ first-wave       312ms    -24.8 %  p95(latency) <= 250ms during spike[0s..500ms]
      231 of 250 values are at most 250ms, 238 are needed
  ✓ no-connects          0          -  count(db.connects) == 0 during spike
  ? recovers             -          -  recovery(p95(latency per 500ms), 10% of quiet) <= 1s after
                                       spike
      the baseline has no values
  ? cannot be judged

load          sent 1,763 of 1,763 planned, at most 0.0 % off the plan, lateness p99 41.0µs
replay        coldfront run cold-pool.toml --sim --seed 7
";
    assert_eq!(sample::report().text(Colour::Never), expected);
}

#[test]
fn lines_keep_the_width_and_colour_only_adds_codes() {
    let mut report = sample::report();
    report.scenario.name = "a scenario whose name goes on and on ".repeat(6);
    report.expectations[0].text = format!("p95(latency) <= 250ms {}", "during spike ".repeat(12));
    report.expectations[0].reason = "because of this and that ".repeat(12);
    report.stages[1].name = "a-stage-with-a-name-that-nobody-would-choose".to_owned();
    for line in report.text(Colour::Never).lines() {
        assert!(line.chars().count() <= COLUMNS, "{line}");
        assert_eq!(line.trim_end(), line);
    }
    let coloured = report.text(Colour::Always);
    assert!(coloured.contains("\u{1b}[1;31mFAIL\u{1b}[0m"));
    assert_eq!(without_codes(&coloured), report.text(Colour::Never));
}

#[test]
fn a_scenario_cannot_write_escape_sequences_to_the_terminal() {
    let mut report = sample::report();
    report.scenario.name = "\u{1b}[2J".to_owned();
    report.expectations[0].name = "\u{1b}]0;".to_owned();
    report.stages[0].name = "\u{7}".to_owned();
    report.first_wave[0].stage = "\u{1b}c".to_owned();
    assert!(!report.text(Colour::Never).contains(['\u{1b}', '\u{7}']));
}

#[test]
fn columns_of_counts_appear_when_something_is_in_them() {
    let mut report = sample::report();
    assert!(!report.text(Colour::Never).contains("dropped"));
    report.totals.dropped = 3;
    assert!(report.text(Colour::Never).contains("dropped"));
}

#[test]
fn a_limiter_over_its_limit_and_a_lost_request_cannot_be_overlooked() {
    let mut report = sample::report();
    report.target.as_mut().and_then(|target| target.limiter.as_mut()).unwrap().admitted_max = Some(401);
    report.totals.unaccounted = 2;
    let text = report.text(Colour::Never);
    assert!(text.contains("at most 401 admitted in any 1s, OVER its limit 400"), "{text}");
    assert!(text.contains("UNACCOUNTED requests: 2,"), "{text}");
}

#[test]
fn the_conclusion_counts_what_does_not_hold() {
    let mut report = sample::report();
    assert_eq!(report.conclusion(), "1 of 3 expectations does not hold, 1 cannot be judged");
    let row = report.expectations[0].clone();
    let judged = |report: &mut Report, verdicts: &[Judgement], verdict| {
        report.expectations = verdicts.iter().map(|&verdict| Expectation { verdict, ..row.clone() }).collect();
        report.verdict = verdict;
        format!("{} {}", report.headline(), report.conclusion())
    };
    assert_eq!(judged(&mut report, &[], Pass), "RAN no expectations to judge");
    assert_eq!(judged(&mut report, &[Pass, Pass], Pass), "PASS all 2 expectations hold");
    assert_eq!(
        judged(&mut report, &[Fail, Fail, Invalid], Fail),
        "FAIL 2 of 3 expectations do not hold, 1 cannot be judged"
    );
    assert_eq!(judged(&mut report, &[Fail, Fail, Pass], Fail), "FAIL 2 of 3 expectations do not hold");
    assert_eq!(judged(&mut report, &[Pass, Invalid], Invalid), "INVALID 1 of 2 expectations cannot be judged");
    report.stimulus.delivered = false;
    report.stimulus.reasons = vec!["lateness p99 9.00ms is above 5ms".to_owned()];
    assert!(report.conclusion().starts_with("the planned load was not delivered: lateness"));
    report.interrupted = true;
    assert_eq!(report.headline(), "INTERRUPTED");
}

#[test]
fn an_empty_run_has_nothing_to_divide() {
    let mut report = sample::report();
    report.totals = Counts::default();
    report.stages.truncate(1);
    report.first_wave.clear();
    report.target = None;
    report.expectations.clear();
    assert!(!report.text(Colour::Never).contains("NaN"));
}

#[test]
fn the_replay_command_survives_a_shell() {
    let mut report = sample::report();
    report.again.file = "it's cold.toml".to_owned();
    assert_eq!(report.replay().as_deref(), Some(r"coldfront run 'it'\''s cold.toml' --sim --seed 7"));
    report.again.file = "<command line>".to_owned();
    assert_eq!(report.replay(), None);
}

#[test]
fn the_replay_command_takes_the_file_and_the_flags_that_were_given() {
    let mut report = sample::report();
    report.scenario.mode = "live";
    report.again.file = "/home/me/cold.toml".to_owned();
    report.again.url = Some("http://[::1]:80".to_owned());
    report.again.allow_commands = true;
    let command = "coldfront run /home/me/cold.toml --live --seed 7 --url 'http://[::1]:80' --allow-commands";
    assert_eq!(report.replay().as_deref(), Some(command));
    assert!(!String::from_utf8(report.json()).unwrap().contains("/home"), "no path of this machine in the JSON");
}

#[test]
fn a_bound_in_percent_is_shown_beside_a_percentage_and_a_far_margin_as_a_multiple() {
    let mut report = sample::report();
    report.expectations[0].measured = Some(0.772_09);
    report.expectations[0].unit = "";
    report.expectations[0].in_percent = true;
    report.expectations[1].margin = Some(-20.4);
    let text = report.text(Colour::Never);
    assert!(text.contains("✗ first-wave      77.2 %"), "{text}");
    assert!(text.contains(" -20×  count"), "{text}");
    assert!(report.failure().contains("measured 77.2 %"), "{}", report.failure());
}

#[test]
fn a_token_bucket_says_what_it_promises() {
    let mut report = sample::report();
    let limiter = report.target.as_mut().and_then(|target| target.limiter.as_mut()).unwrap();
    (limiter.kind, limiter.limit, limiter.rate_per_s, limiter.burst) = ("token-bucket", 500, Some(400.0), Some(100));
    let words = "at most 400 admitted in any 1s, limit 500 (token-bucket filled at 400/s, burst 100)";
    assert!(report.text(Colour::Never).contains(words), "{}", report.text(Colour::Never));
}

#[test]
fn a_panic_names_what_does_not_hold_and_how_to_see_it_again() {
    let expected = "\
cold pool under 0 → 500 → 0: 1 of 3 expectations does not hold, 1 cannot be judged
  ✗ first-wave: p95(latency) <= 250ms during spike[0s..500ms]
      measured 312ms: 231 of 250 values are at most 250ms, 238 are needed
  ? recovers: recovery(p95(latency per 500ms), 10% of quiet) <= 1s after spike
      measured nothing: the baseline has no values
  seed 7, sim, cold-pool.toml
  to see it again: coldfront run cold-pool.toml --sim --seed 7";
    assert_eq!(sample::report().failure(), expected);
}

#[test]
fn several_runs_close_with_one_line_each_and_the_first_trouble() {
    let mut passed = sample::report();
    passed.verdict = Pass;
    passed.again.file = "quiet.toml".to_owned();
    let mut failed = sample::report();
    failed.expectations[0].reason =
        "231 of 250 values are at most 250ms, 238 are needed, and that is a long story".to_owned();
    let expected = "  \
  scenario        mode  seed  holds  offered     ok  verdict
  quiet.toml       sim     7    1/3    1,763  1,441     PASS
  cold-pool.toml   sim     7    1/3    1,763  1,441     FAIL
  down.toml       live     9      -        -      -  INVALID
  cold-pool.toml, seed 7: first-wave: 231 of 250 values are at most 250ms, 238 are needed, and that…
  down.toml, seed 9: the run could not be made: nobody is there
  3 of 6 runs did not start
";
    let mut overview = Overview::default();
    overview.add(&passed);
    overview.add(&failed);
    overview.add_unmade("down.toml", "live", 9, "nobody is there");
    overview.add_not_started(3);
    assert_eq!(overview.text(Colour::Never, Width::Terminal), expected);
    let whole = overview.text(Colour::Never, Width::Whole);
    assert!(whole.contains("and that is a long story\n"), "{whole}");
}

#[test]
fn a_long_path_keeps_its_end_in_the_table_of_a_terminal() {
    let mut report = sample::report();
    report.again.file = format!("{}/pool.toml", "a-folder/".repeat(12));
    let mut overview = Overview::default();
    overview.add(&report);
    let text = overview.text(Colour::Never, Width::Terminal);
    assert!(text.lines().all(|line| line.chars().count() <= COLUMNS) && text.contains("/pool.toml "), "{text}");
    assert!(overview.text(Colour::Never, Width::Whole).contains(&report.again.file));
}

fn without_codes(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('\u{1b}') {
        plain.push_str(&rest[..start]);
        let end = rest[start..].find('m').expect("only colour codes");
        rest = &rest[start + end + 1..];
    }
    plain + rest
}
