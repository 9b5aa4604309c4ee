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
    let impossible = |message: &str| {
        Finding::new(Code::Event, &file.span, message).label("the target cannot do this").help("or leave the event out")
    };
    let result = match &file.action {
        ActionFile::FlushCache(_) => cache(spec).map(|_| Action::FlushCache).map_err(impossible),
        ActionFile::WarmPool(warm) => pool(spec).map_err(impossible).and_then(|pool| {
            at_most("to", warm.to.as_ref(), pool.max, "the pool's `max`").map(|to| Action::WarmPool { to })
        }),
        ActionFile::WarmCache(warm) => cache(spec).map_err(impossible).and_then(|cache| {
            let most = cache.capacity;
            at_most("keys", warm.keys.as_ref(), most, "the cache's `capacity`").map(|keys| Action::WarmCache { keys })
        }),
        ActionFile::Cold(_) => Ok(Action::Cold),
        ActionFile::KillConnections(_) => pool(spec).map(|_| Action::KillConnections).map_err(impossible),
        ActionFile::SlowDb(slow) if spec.db.is_some() => {
            Ok(Action::SlowDb { factor: *slow.factor, lasting: slow.lasting.as_ref().map(|time| time.value) })
        }
        ActionFile::SlowDb(_) => Err(impossible("this event needs a database: add [target.db]")),
    };
    result.map_or_else(|finding| problems.add(finding), Some)
}

fn cache(spec: &MockSpec) -> Result<&Cache, &'static str> {
    spec.cache.as_ref().ok_or("this event needs a cache: add [target.cache]")
}

fn pool(spec: &MockSpec) -> Result<&Pool, &'static str> {
    let pool = spec.db.as_ref().and_then(|db| db.pool.as_ref());
    pool.ok_or("this event needs a connection pool: add `pool` to [target.db]")
}

fn at_most<T>(key: &str, value: Option<&At<T>>, most: T, whose: &str) -> Result<Option<T>, Finding>
where
    T: Copy + PartialOrd + std::fmt::Display,
{
    match value {
        Some(value) if value.value > most => {
            let message = format!("`{key}` is {}, above {whose} of {most}", value.value);
            Err(Finding::new(Code::Event, &value.span, message).help(format!("write at most {most}, or leave it out")))
        }
        _ => Ok(value.map(|value| value.value)),
    }
}
