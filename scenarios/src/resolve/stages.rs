//! Stages by name.

use crate::Traffic;
use crate::error::{Code, Finding, Problems};
use crate::expectation::syntax::StageWritten;
use crate::quantity::clip;
use crate::shape::{any_of, suggestion};
use crate::source::Span;

/// Index of the stream and of the stage in it; notes the problem if there is not exactly one such stage.
pub(super) fn find_stage(
    written: &StageWritten,
    span: &Span,
    traffic: &[Traffic],
    problems: &mut Problems,
) -> Option<(usize, usize)> {
    look_up(written, traffic).or_else(|()| problems.add(missing(written, span, traffic)).ok_or(())).ok()
}

/// The same without a message.
pub(super) fn look_up(written: &StageWritten, traffic: &[Traffic]) -> Result<(usize, usize), ()> {
    let mut found = places(written, traffic);
    match (found.next(), found.next()) {
        (Some(place), None) => Ok(place),
        _ => Err(()),
    }
}

fn places<'a>(written: &'a StageWritten, traffic: &'a [Traffic]) -> impl Iterator<Item = (usize, usize)> + 'a {
    let streams = traffic.iter().enumerate();
    let named = streams.filter(|(_, stream)| written.traffic.as_ref().is_none_or(|name| *name == stream.name));
    named.flat_map(|(index, stream)| {
        let stages = stream.stages.iter().enumerate();
        stages.filter(|(_, stage)| stage.name == written.name).map(move |(stage, _)| (index, stage))
    })
}

fn missing(written: &StageWritten, span: &Span, traffic: &[Traffic]) -> Finding {
    let name = clip(&written.name);
    let found: Vec<String> =
        places(written, traffic).map(|(stream, _)| format!("{}.{}", traffic[stream].name, written.name)).collect();
    if found.len() > 1 {
        let message = format!("`{name}` is a stage of {} streams", found.len());
        let help = format!("write {}", any_of(found.iter().map(String::as_str)));
        return Finding::new(Code::Conflict, span, message).label("which one?").help(help);
    }
    if let Some(stream) = &written.traffic {
        let streams = traffic.iter().map(|stream| stream.name.as_str());
        let Some(known) = traffic.iter().find(|candidate| candidate.name == *stream) else {
            let message = format!("there is no traffic `{}`", clip(stream));
            return Finding::new(Code::UnknownName, span, message).help(suggestion(stream, streams));
        };
        let message = format!("`{}` has no stage `{name}`", known.name);
        let stages = known.stages.iter().map(|stage| stage.name.as_str());
        return Finding::new(Code::UnknownName, span, message).help(suggestion(&written.name, stages));
    }
    if let Some(stream) = traffic.iter().find(|stream| stream.name == written.name) {
        let stages: Vec<String> = stream.stages.iter().map(|stage| format!("{name}.{}", stage.name)).collect();
        let message = format!("`{name}` is a stream, not a stage");
        let help = format!("write {}", any_of(stages.iter().map(String::as_str)));
        return Finding::new(Code::UnknownName, span, message).help(help);
    }
    let stages = traffic.iter().flat_map(|stream| stream.stages.iter().map(|stage| stage.name.as_str()));
    Finding::new(Code::UnknownName, span, format!("there is no stage `{name}`")).help(suggestion(&written.name, stages))
}
