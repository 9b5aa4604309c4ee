//! Streams, stages, mixes.

use super::json::json;
use crate::error::{Code, Finding, Problems};
use crate::file::{InFlightFile, InFlightWord, MOST_BODY, RouteFile, StageFile, TrafficFile};
use crate::quantity::{LONGEST, clip};
use crate::routes::RouteKind;
use crate::shape::{At, any_of, nearest};
use crate::{Connections, InFlight, InFlightPolicy, Keys, Rate, Route, Stage, Target, Traffic};
use std::collections::BTreeMap;
use std::time::Duration;

/// At most so many arrivals in a run, over all streams.
pub(crate) const MOST_ARRIVALS: f64 = 1e9;

/// All streams; every problem of every stream is noted.
pub(super) fn traffic(files: &[At<TrafficFile>], problems: &mut Problems) -> Option<Vec<Traffic>> {
    unique(files.iter().map(|file| &file.name), "traffic", problems);
    let streams: Vec<Option<Traffic>> = files.iter().map(|file| stream(file, problems)).collect();
    let streams: Vec<Traffic> = streams.into_iter().collect::<Option<_>>()?;
    let mut planned = 0.0;
    for (stream, file) in streams.iter().zip(files) {
        planned += stream.stages.iter().map(most_arrivals).sum::<f64>();
        if planned > MOST_ARRIVALS {
            let finding =
                Finding::new(Code::OutOfRange, &file.name.span, "the run plans more than 1000000000 requests");
            return problems.add(finding.help("shorten the stages or lower their rates"));
        }
    }
    Some(streams)
}

fn stream(file: &TrafficFile, problems: &mut Problems) -> Option<Traffic> {
    let stages = stages(file, problems);
    let mix: Vec<Option<Route>> = file.mix.iter().map(|route_file| route(route_file, problems)).collect();
    let in_flight = in_flight(&file.in_flight, problems);
    if let (Some(deadline), Some(timeout)) = (&file.deadline, &file.timeout)
        && **deadline > **timeout
    {
        let finding =
            Finding::new(Code::Conflict, &deadline.span, "`deadline` is above `timeout`, so it can never be missed");
        problems.add::<()>(finding.also(&timeout.span, "the timeout").help("write a deadline of at most the timeout"));
    }
    let timeout = file.timeout.as_ref().map(|timeout| timeout.value);
    Some(Traffic {
        name: file.name.value.clone(),
        arrivals: *file.arrivals,
        timeout,
        deadline: file.deadline.as_ref().map(|deadline| deadline.value).or(timeout),
        connections: Connections { max: *file.connections.max, open: *file.connections.open },
        in_flight: in_flight?,
        mix: mix.into_iter().collect::<Option<_>>()?,
        stages: stages?,
    })
}

/// Notes names that stand twice.
fn unique<'a>(names: impl Iterator<Item = &'a At<String>>, what: &str, problems: &mut Problems) {
    let mut seen: BTreeMap<&str, &At<String>> = BTreeMap::new();
    for name in names {
        if let Some(first) = seen.get(name.as_str()) {
            let message = format!("the {what} name `{}` stands twice", name.value);
            let finding = Finding::new(Code::Duplicate, &name.span, message).also(&first.span, "first here");
            problems.add::<()>(finding.help("give each its own name"));
        }
        seen.entry(name.as_str()).or_insert(name);
    }
}

// === stages ===

fn stages(file: &TrafficFile, problems: &mut Problems) -> Option<Vec<Stage>> {
    unique(file.stages.iter().map(|stage| &stage.name), "stage", problems);
    let mut start = Duration::ZERO;
    let mut stages = Vec::with_capacity(file.stages.len());
    for stage in file.stages.iter() {
        let stage: &StageFile = stage;
        let duration = *stage.duration;
        if start + duration > LONGEST {
            let finding =
                Finding::new(Code::OutOfRange, &stage.duration.span, "the stages are longer than 100 hours in sum");
            return problems.add(finding.help("shorten them"));
        }
        stages.push(Stage { name: stage.name.value.clone(), start, duration, rate: stage.rate.value.clone() });
        start += duration;
    }
    if stages.iter().all(|stage| is_silent(&stage.rate)) {
        let finding = Finding::new(
            Code::Conflict,
            &file.name.span,
            format!("`{}` sends nothing: its rate is 0 in every stage", *file.name),
        );
        return problems.add(finding.help("give at least one stage a rate above 0"));
    }
    Some(stages)
}

/// Whether nothing arrives.
pub(super) fn is_silent(rate: &Rate) -> bool {
    match rate {
        Rate::Constant(rate) => *rate <= 0.0,
        Rate::Ramp { from, to } => *from <= 0.0 && *to <= 0.0,
        Rate::Step(rates) => rates.iter().all(|rate| *rate <= 0.0),
        Rate::Sine { mean, .. } => *mean <= 0.0,
    }
}

/// The most arrivals a stage can plan: exact but for a wave, whose last part may lie above its mean.
fn most_arrivals(stage: &Stage) -> f64 {
    let seconds = stage.duration.as_secs_f64();
    match &stage.rate {
        Rate::Constant(rate) => rate * seconds,
        Rate::Ramp { from, to } => (from + to) / 2.0 * seconds,
        Rate::Step(rates) => rates.iter().sum::<f64>() / rates.len() as f64 * seconds,
        Rate::Sine { mean, amplitude, period } => {
            (mean * seconds) + amplitude * seconds.min(period.as_secs_f64() / std::f64::consts::PI)
        }
    }
}

fn in_flight(file: &InFlightFile, problems: &mut Problems) -> Option<InFlight> {
    let policy = match (*file.policy, &file.capacity) {
        (InFlightWord::Drop, None) => InFlightPolicy::Drop,
        (InFlightWord::Queue, Some(capacity)) => InFlightPolicy::Queue { capacity: **capacity },
        (InFlightWord::Drop, Some(capacity)) => {
            let finding = Finding::new(Code::Conflict, &capacity.span, "`capacity` needs `policy = \"queue\"`");
            return problems.add(finding.help("write policy = \"queue\", or leave out `capacity`"));
        }
        (InFlightWord::Queue, None) => {
            let finding = Finding::new(Code::MissingKey, &file.policy.span, "`policy = \"queue\"` needs `capacity`");
            return problems.add(finding.help("add how many may wait, such as capacity = 1000"));
        }
    };
    Some(InFlight { max: *file.max, policy })
}

// === routes ===

/// Headers that belong to the client itself.
const OWN_HEADERS: [&str; 11] = [
    "host",
    "content-length",
    "connection",
    "transfer-encoding",
    "upgrade",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "expect",
    "coldfront-request-id",
];

fn methods(file: &RouteFile) -> Vec<(&'static str, &At<String>)> {
    let all = [
        ("GET", &file.get),
        ("POST", &file.post),
        ("PUT", &file.put),
        ("DELETE", &file.delete),
        ("PATCH", &file.patch),
        ("HEAD", &file.head),
    ];
    all.into_iter().filter_map(|(method, path)| path.as_ref().map(|path| (method, path))).collect()
}

fn route(file: &RouteFile, problems: &mut Problems) -> Option<Route> {
    let found = methods(file);
    let (method, path) = match found.as_slice() {
        [one] => *one,
        [] => {
            let finding = Finding::new(Code::MissingKey, &file.span, "an entry of `mix` needs a method with its path");
            return problems.add(finding.help("write get = \"/path\" (also post, put, delete, patch, head)"));
        }
        [first, second, ..] => {
            let finding = Finding::new(Code::Conflict, &second.1.span, "an entry of `mix` has one method")
                .also(&first.1.span, "the first");
            return problems.add(finding.help("write two entries"));
        }
    };
    let keys = keys(file, path, problems);
    let headers = headers(file, problems);
    let (body, content_type) = body(file, problems)?;
    let mut headers = headers?;
    if let Some(content_type) = content_type
        && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"))
    {
        headers.push(("content-type".to_owned(), content_type.to_owned()));
    }
    Some(Route {
        method: method.to_owned(),
        path: path.value.clone(),
        weight: *file.weight,
        keys: keys?,
        headers,
        body,
        expect: expected(file, problems)?,
    })
}

#[expect(clippy::option_option, reason = "wrong, absent and present are three states")]
fn keys(file: &RouteFile, path: &At<String>, problems: &mut Problems) -> Option<Option<Keys>> {
    match (path.contains("{key}"), &file.keys) {
        (true, Some(keys)) => Some(Some(Keys { count: *keys.count, zipf: *keys.zipf })),
        (false, None) => Some(None),
        (true, None) => {
            let finding = Finding::new(Code::MissingKey, &path.span, "a path with `{key}` needs `keys`");
            problems.add(finding.help("add how many keys there are: keys = { count = 10000 }"))
        }
        (false, Some(keys)) => {
            let finding = Finding::new(Code::Conflict, &keys.span, "`keys` needs a path with `{key}`")
                .also(&path.span, "no `{key}` here");
            problems.add(finding.help("write the place of the key, such as \"/items/{key}\", or leave out `keys`"))
        }
    }
}

fn headers(file: &RouteFile, problems: &mut Problems) -> Option<Vec<(String, String)>> {
    let mut headers: Vec<(String, String)> = Vec::new();
    let mut sound = true;
    for (name, value) in file.headers.iter() {
        let finding = header_problem(name, value).or_else(|| {
            let twice = headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
            twice
                .then(|| Finding::new(Code::Duplicate, &name.span, format!("the header `{}` stands twice", clip(name))))
        });
        match finding {
            Some(finding) => sound = problems.add::<()>(finding).is_some(),
            None => headers.push((name.value.clone(), value.value.clone())),
        }
    }
    sound.then_some(headers)
}

fn header_problem(name: &At<String>, value: &At<String>) -> Option<Finding> {
    let shown = clip(name);
    if OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
        let message = format!("the header `{shown}` is the client's own");
        return Some(
            Finding::new(Code::InvalidName, &name.span, message).help("leave it out; the client sets it as needed"),
        );
    }
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || name.len() > 256 || !name.bytes().all(token) {
        let message = format!("`{}` is not a header name", name.escape_debug());
        return Some(
            Finding::new(Code::InvalidName, &name.span, message)
                .help("write letters, digits and `-`, such as accept-language"),
        );
    }
    let visible = |byte: u8| byte == b'\t' || (b' '..=b'~').contains(&byte);
    if value.len() > 8_192 || !value.bytes().all(visible) || value.trim() != value.as_str() {
        let message = format!("the value of the header `{shown}` has characters that a header cannot have");
        let help = "write at most 8192 visible ASCII characters, without blanks at the ends";
        return Some(Finding::new(Code::InvalidName, &value.span, message).help(help));
    }
    None
}

type Body = (Option<Vec<u8>>, Option<&'static str>);

fn body(file: &RouteFile, problems: &mut Problems) -> Option<Body> {
    match (&file.body, &file.json) {
        (None, None) => Some((None, None)),
        (Some(body), None) => Some((Some(body.as_bytes().to_vec()), None)),
        (None, Some(value)) => {
            let text = json(value);
            if text.len() > MOST_BODY {
                let finding = Finding::new(Code::OutOfRange, &value.span, format!("the body has {} bytes", text.len()));
                return problems.add(finding.help(format!("write at most {MOST_BODY}")));
            }
            Some((Some(text.into_bytes()), Some("application/json")))
        }
        (Some(body), Some(json)) => {
            let finding =
                Finding::new(Code::Conflict, &json.span, "a request has one body").also(&body.span, "the other");
            problems.add(finding.help("write `body` or `json`"))
        }
    }
}

fn expected(file: &RouteFile, problems: &mut Problems) -> Option<Vec<u16>> {
    let Some(written) = &file.expect else { return Some(Vec::new()) };
    let mut statuses: Vec<u16> = Vec::with_capacity(written.len());
    for status in written.iter() {
        if statuses.contains(&**status) {
            let finding = Finding::new(Code::Duplicate, &status.span, format!("the status {} stands twice", **status));
            return problems.add(finding.help("write each status once"));
        }
        statuses.push(**status);
    }
    statuses.sort_unstable();
    Some(statuses)
}

/// Notes routes that the embedded target does not have.
pub(super) fn check_routes(files: &[At<TrafficFile>], traffic: &[Traffic], target: &Target, problems: &mut Problems) {
    if matches!(target, Target::External(_)) {
        return;
    }
    for (file, stream) in files.iter().zip(traffic) {
        for (route_file, route) in file.mix.iter().zip(&stream.mix) {
            if RouteKind::of(&route.method, &route.path).is_some() {
                continue;
            }
            let span =
                methods(route_file).first().map_or_else(|| route_file.span.clone(), |(_, path)| path.span.clone());
            let names = RouteKind::ALL.map(RouteKind::name);
            let other_method =
                RouteKind::ALL.into_iter().find(|kind| RouteKind::of(kind.method(), &route.path) == Some(*kind));
            let guess = other_method.map(RouteKind::name).or_else(|| nearest(&route.name(), names));
            let guess = guess.map(|guess| format!("did you mean `{guess}`? ")).unwrap_or_default();
            let message = format!("the embedded target has no route `{}`", clip(&route.name()));
            let help = format!("{guess}It has {}", any_of(names));
            problems.add::<()>(Finding::new(Code::UnknownName, &span, message).help(help));
        }
    }
}
