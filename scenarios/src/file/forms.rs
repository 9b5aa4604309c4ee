//! Values that may be written in several forms: laws, rates, resets, JSON bodies.

use super::{
    CommandFile, ExponentialFile, LogNormalFile, MixtureFile, PostFile, RampFile, SineFile, StepsFile, WeightedLawFile,
};
use crate::error::{Code, Finding, Problems};
use crate::shape::{Alternatives, At, Form, Schema, Shape, Table, duration, list, nested, rate, wrong_type};
use crate::tree::{Node, Value};
use crate::{Law, Rate, Reset};
use std::time::Duration;

// === rates ===

/// The rate of a stage.
pub(crate) const RATE: Alternatives<Rate> = Alternatives {
    name: "a rate over the stage",
    about: "Arrivals per second over a stage. A plain rate holds throughout; the tables change it.",
    accepted: "\"500/s\", { from = \"0/s\", to = \"500/s\" }, { mean = \"100/s\", amplitude = \"50/s\", period = \"1m\" } or \
               { steps = [\"100/s\", \"200/s\"] }",
    forms: &[
        Form { keys: &[], schema: || rate().schema(), decode: constant_rate },
        Form { keys: &["from", "to"], schema: || Schema::Table(RampFile::table_schema()), decode: ramp },
        Form {
            keys: &["mean", "amplitude", "period"],
            schema: || Schema::Table(SineFile::table_schema()),
            decode: sine,
        },
        Form { keys: &["steps"], schema: || Schema::Table(StepsFile::table_schema()), decode: steps },
        Form { keys: &["users", "spawn_rate"], schema: || Schema::Any, decode: closed_loop },
    ],
};

fn constant_rate(node: &Node, key: &str, problems: &mut Problems) -> Option<Rate> {
    if node.text() == Some("max") {
        let message = "`rate = \"max\"` is not supported: this version has open loops only, which need a rate";
        return problems
            .add(Finding::new(Code::NotSupported, &node.span, message).help(format!("write {}", RATE.accepted)));
    }
    rate().decode(node, key, problems).map(Rate::Constant)
}

fn ramp(node: &Node, key: &str, problems: &mut Problems) -> Option<Rate> {
    let ramp = nested::<RampFile>().decode(node, key, problems)?;
    Some(Rate::Ramp { from: *ramp.from, to: *ramp.to })
}

fn sine(node: &Node, key: &str, problems: &mut Problems) -> Option<Rate> {
    let sine = nested::<SineFile>().decode(node, key, problems)?;
    if *sine.amplitude > *sine.mean {
        let message = "`amplitude` is above `mean`: the rate would be negative";
        return problems.add(
            Finding::new(Code::Conflict, &sine.amplitude.span, message)
                .also(&sine.mean.span, "the mean")
                .help("write an amplitude of at most the mean"),
        );
    }
    Some(Rate::Sine { mean: *sine.mean, amplitude: *sine.amplitude, period: *sine.period })
}

fn steps(node: &Node, key: &str, problems: &mut Problems) -> Option<Rate> {
    let steps = nested::<StepsFile>().decode(node, key, problems)?;
    Some(Rate::Step(steps.steps.iter().map(|step| **step).collect()))
}

fn closed_loop(node: &Node, _key: &str, problems: &mut Problems) -> Option<Rate> {
    let message = "{ users, spawn_rate } is not supported: closed loops are not in this version";
    problems.add(Finding::new(Code::NotSupported, &node.span, message).help(format!("write {}", RATE.accepted)))
}

// === laws ===

/// The law of a duration.
pub(crate) const LAW: Alternatives<Law> = Alternatives {
    name: "a law",
    about: "The law of a duration. A plain duration is always the same; the tables draw it anew each time.",
    accepted: "\"4ms\" (always), { mean = \"4ms\" } (exponential), { median = \"4ms\", p99 = \"20ms\" } (log-normal) or \
               { mixture = [{ weight = 9, law = \"1ms\" }, { weight = 1, law = \"50ms\" }] }",
    forms: &[
        Form { keys: &[], schema: || duration().schema(), decode: fixed },
        Form { keys: &["mean"], schema: || Schema::Table(ExponentialFile::table_schema()), decode: exponential },
        Form { keys: &["median", "p99"], schema: || Schema::Table(LogNormalFile::table_schema()), decode: log_normal },
        Form { keys: &["mixture"], schema: || Schema::Table(MixtureFile::table_schema()), decode: mixture },
    ],
};

/// A law inside a mixture, which is not itself a mixture.
pub(crate) const PLAIN_LAW: Alternatives<Law> = Alternatives {
    name: "a law that is not a mixture",
    about: "One of the laws of a mixture.",
    accepted: "\"4ms\", { mean = \"4ms\" } or { median = \"4ms\", p99 = \"20ms\" }; mixtures do not nest",
    forms: &[
        Form { keys: &[], schema: || duration().schema(), decode: fixed },
        Form { keys: &["mean"], schema: || Schema::Table(ExponentialFile::table_schema()), decode: exponential },
        Form { keys: &["median", "p99"], schema: || Schema::Table(LogNormalFile::table_schema()), decode: log_normal },
    ],
};

fn fixed(node: &Node, key: &str, problems: &mut Problems) -> Option<Law> {
    duration().decode(node, key, problems).map(Law::Fixed)
}

fn exponential(node: &Node, key: &str, problems: &mut Problems) -> Option<Law> {
    let law = nested::<ExponentialFile>().decode(node, key, problems)?;
    Some(Law::Exponential { mean: *law.mean })
}

fn log_normal(node: &Node, key: &str, problems: &mut Problems) -> Option<Law> {
    /// A wider law would draw more than the longest duration.
    const WIDEST: u32 = 1_000_000;
    let law = nested::<LogNormalFile>().decode(node, key, problems)?;
    let (median, p99): (Duration, Duration) = (*law.median, *law.p99);
    if p99 < median || p99 > median.saturating_mul(WIDEST) {
        let message =
            if p99 < median { "`p99` is below `median`" } else { "`p99` is more than a million times `median`" };
        return problems.add(
            Finding::new(Code::Conflict, &law.p99.span, message)
                .also(&law.median.span, "the median")
                .help("write a p99 from the median to a million times it"),
        );
    }
    Some(Law::LogNormal { median, p99 })
}

fn mixture(node: &Node, key: &str, problems: &mut Problems) -> Option<Law> {
    let law = nested::<MixtureFile>().decode(node, key, problems)?;
    let part = |part: &At<WeightedLawFile>| (*part.weight, part.law.value.clone());
    Some(Law::Mixture(law.mixture.iter().map(part).collect()))
}

// === resets ===

/// How an external target is made cold.
pub(crate) const RESET: Alternatives<Reset> = Alternatives {
    name: "a reset",
    about: "How a real service is made cold before time zero.",
    accepted: "{ post = \"/admin/cold\" } or { command = [\"./restart.sh\"] }",
    forms: &[
        Form { keys: &["post"], schema: || Schema::Table(PostFile::table_schema()), decode: reset_post },
        Form { keys: &["command"], schema: || Schema::Table(CommandFile::table_schema()), decode: reset_command },
    ],
};

fn reset_post(node: &Node, key: &str, problems: &mut Problems) -> Option<Reset> {
    let post = nested::<PostFile>().decode(node, key, problems)?;
    Some(Reset::Post(post.post.value))
}

fn reset_command(node: &Node, key: &str, problems: &mut Problems) -> Option<Reset> {
    let command = nested::<CommandFile>().decode(node, key, problems)?;
    Some(Reset::Command(command.command.value.into_iter().map(|word| word.value).collect()))
}

// === any value ===

/// Any TOML value that JSON can say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnyShape;

/// Any TOML value that JSON can say.
pub(crate) const ANY: AnyShape = AnyShape;

impl Shape for AnyShape {
    type Out = Node;

    fn schema(&self) -> Schema {
        Schema::Any
    }

    fn decode(&self, node: &Node, key: &str, problems: &mut Problems) -> Option<Node> {
        sayable(node, key, problems).then(|| node.clone())
    }
}

fn sayable(node: &Node, key: &str, problems: &mut Problems) -> bool {
    match &node.value {
        Value::Float(number) if !number.is_finite() => {
            let finding = Finding::new(Code::OutOfRange, &node.span, format!("JSON cannot say {number}"));
            problems.add::<()>(finding.help("write a finite number or a text")).is_some()
        }
        Value::Datetime(_) => {
            let finding = wrong_type(node, key, "what JSON has", "dates and times as texts, in quotes");
            problems.add::<()>(finding).is_some()
        }
        // Not `all`, which would stop at the first problem.
        Value::List(nodes) => nodes.iter().filter(|node| !sayable(node, key, problems)).count() == 0,
        Value::Table(entries) => entries.iter().filter(|entry| !sayable(&entry.node, key, problems)).count() == 0,
        _ => true,
    }
}

/// A list of program and arguments.
pub(crate) fn words_of_command() -> impl Shape<Out = Vec<At<String>>> {
    list(crate::shape::text("a text", "\"./restart.sh\"", super::words::argument), 1, 256)
}
