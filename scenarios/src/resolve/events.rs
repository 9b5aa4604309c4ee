//! Events: when they happen, and whether the target can do them.

use super::stages::{find_stage, look_up};
use crate::error::{Code, Finding, Problems};
use crate::expectation::syntax::StageWritten;
use crate::file::{ActionFile, EventFile};
use crate::quantity::{QuantityError, duration_text, parse_duration};
use crate::shape::At;
use crate::{Action, Cache, Event, MockSpec, Pool, Scenario, Target};
use std::time::Duration;

/// The events by time, ties in file order.
pub(super) fn events(files: &[At<EventFile>], scenario: &Scenario, problems: &mut Problems) -> Option<Vec<Event>> {
    let events: Vec<Option<Event>> = files.iter().map(|file| event(file, scenario, problems)).collect();
    let mut events: Vec<Event> = events.into_iter().collect::<Option<_>>()?;
    events.sort_by_key(|event| event.at);
    Some(events)
}

fn event(file: &EventFile, scenario: &Scenario, problems: &mut Problems) -> Option<Event> {
    let at = moment(&file.at, scenario, problems);
    let action = action(file, &scenario.target, problems);
    let (at, action) = (at?, action?);
    let end = scenario.stages_end();
    if at > end {
        let message =
            format!("the event is at {}, and the last stage ends at {}", duration_text(at), duration_text(end));
        return problems.add(Finding::new(Code::Event, &file.at.span, message).help("move it into the run"));
    }
    Some(Event { at, action, at_text: file.at.value.clone() })
}

// === when ===

/// `3s`, `spike`, `spike+500ms`, `shoppers.spike-100ms`.
fn moment(at: &At<String>, scenario: &Scenario, problems: &mut Problems) -> Option<Duration> {
    let text = at.value.as_str();
    if text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+') {
        return parse_duration(text).map_or_else(|error| problems.add(quantity(at, &error)), Some);
    }
    let (stage, sign, offset) = split(text, scenario);
    let written = match stage.split_once('.') {
        Some((traffic, name)) => StageWritten { traffic: Some(traffic.to_owned()), name: name.to_owned() },
        None => StageWritten { traffic: None, name: stage.to_owned() },
    };
    let (stream, stage) = find_stage(&written, &at.span, &scenario.traffic, problems)?;
    let start = scenario.traffic[stream].stages[stage].start;
    let offset = match offset.map(parse_duration) {
        None => Duration::ZERO,
        Some(Ok(offset)) => offset,
        Some(Err(error)) => return problems.add(quantity(at, &error)),
    };
    let moment = if sign == '-' { start.checked_sub(offset) } else { start.checked_add(offset) };
    moment.or_else(|| {
        let message = format!("`{text}` is before the run: the stage starts at {}", duration_text(start));
        problems.add(Finding::new(Code::Event, &at.span, message).help("move it into the run"))
    })
}

/// Stage, sign and offset. A `-` may be part of the name: the whole is tried as a name first.
fn split<'a>(text: &'a str, scenario: &Scenario) -> (&'a str, char, Option<&'a str>) {
    if let Some((stage, offset)) = text.split_once('+') {
        return (stage.trim_end(), '+', Some(offset.trim_start()));
    }
    let (traffic, name) = match text.split_once('.') {
        Some((traffic, name)) => (Some(traffic.to_owned()), name),
        None => (None, text),
    };
    let whole = look_up(&StageWritten { traffic, name: name.to_owned() }, &scenario.traffic).is_ok();
    match text.rsplit_once('-') {
        Some((stage, offset)) if !whole && offset.trim_start().starts_with(|c: char| c.is_ascii_digit()) => {
            (stage.trim_end(), '-', Some(offset.trim_start()))
        }
        _ => (text, '+', None),
    }
}

fn quantity(at: &At<String>, error: &QuantityError) -> Finding {
    let code = if error.out_of_range { Code::OutOfRange } else { Code::Unit };
    Finding::new(code, &at.span, format!("`at`: {}", error.message)).help(&error.help)
}

// === what ===

fn action(file: &EventFile, target: &Target, problems: &mut Problems) -> Option<Action> {
    let Target::Embedded(spec) = target else {
        let finding =
            Finding::new(Code::Event, &file.span, "events happen to the embedded target, and `url` names a real one");
        return problems.add(finding.help("leave out the event, or the `url` of the target"));
    };
    let result = match &file.action {
        ActionFile::FlushCache(_) => cache(spec).map(|_| Action::FlushCache),
        ActionFile::WarmPool(warm) => pool(spec).and_then(|pool| {
            let to = warm.to.as_ref().map(|to| to.value);
            at_most("to", to.map(u64::from), u64::from(pool.max), "the pool's `max`").map(|()| Action::WarmPool { to })
        }),
        ActionFile::WarmCache(warm) => cache(spec).and_then(|cache| {
            let keys = warm.keys.as_ref().map(|keys| keys.value);
            at_most("keys", keys, cache.capacity, "the cache's `capacity`").map(|()| Action::WarmCache { keys })
        }),
        ActionFile::Cold(_) => Ok(Action::Cold),
        ActionFile::KillConnections(_) => pool(spec).map(|_| Action::KillConnections),
        ActionFile::SlowDb(slow) => match spec.db {
            Some(_) => {
                Ok(Action::SlowDb { factor: *slow.factor, lasting: slow.lasting.as_ref().map(|time| time.value) })
            }
            None => Err("this event needs a database: add [target.db]".to_owned()),
        },
    };
    result.map_or_else(
        |message| problems.add(Finding::new(Code::Event, &file.span, message).label("the target cannot do this")),
        Some,
    )
}

fn cache(spec: &MockSpec) -> Result<&Cache, String> {
    spec.cache.as_ref().ok_or_else(|| "this event needs a cache: add [target.cache]".to_owned())
}

fn pool(spec: &MockSpec) -> Result<&Pool, String> {
    let pool = spec.db.as_ref().and_then(|db| db.pool.as_ref());
    pool.ok_or_else(|| "this event needs a connection pool: add `pool` to [target.db]".to_owned())
}

fn at_most(key: &str, value: Option<u64>, most: u64, whose: &str) -> Result<(), String> {
    match value {
        Some(value) if value > most => Err(format!("`{key}` is {value}, above {whose} of {most}")),
        _ => Ok(()),
    }
}
