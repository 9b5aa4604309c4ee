//! Single values: texts, numbers, durations, rates.

use super::{Schema, Shape, wrong_type};
use crate::error::{Code, Finding, Problems};
use crate::quantity::{QuantityError, parse_duration, parse_rate};
use crate::source::Span;
use crate::tree::{Node, Value};
use std::marker::PhantomData;
use std::time::Duration;

// === texts ===

/// A text; what its form is, is its reader's to say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<T> {
    what: &'static str,
    example: &'static str,
    read: fn(&str, &mut Reading<'_>) -> Option<T>,
}

/// The text being read, so that a reader can say what is wrong where.
#[derive(Debug)]
pub(crate) struct Reading<'a> {
    /// The key whose value it is.
    pub(crate) key: &'a str,
    text: &'a str,
    literal: &'a Span,
    problems: &'a mut Problems,
}

/// A text of the form `what`, for example `example` (as TOML), read by `read`.
pub(crate) fn text<T>(
    what: &'static str,
    example: &'static str,
    read: fn(&str, &mut Reading<'_>) -> Option<T>,
) -> Text<T> {
    Text { what, example, read }
}

impl<T> Shape for Text<T> {
    type Out = T;

    fn schema(&self) -> Schema {
        Schema::Text { what: self.what, example: self.example }
    }

    fn decode(&self, node: &Node, key: &str, problems: &mut Problems) -> Option<T> {
        let Value::Text(text) = &node.value else {
            return problems.add(wrong_type(node, key, self.what, &format!("{key} = {}", self.example)));
        };
        (self.read)(text, &mut Reading { key, text, literal: &node.span, problems })
    }
}

impl Reading<'_> {
    /// Where a part of the text stands in the file.
    pub(crate) fn span(&self, part: Span) -> Span {
        self.problems.source.inside(self.literal, self.text, part)
    }

    /// Notes what is wrong with the whole.
    pub(crate) fn refuse<T>(&mut self, code: Code, message: impl Into<String>, help: impl Into<String>) -> Option<T> {
        let finding = Finding::new(code, self.literal, message).help(help);
        self.problems.add(finding)
    }

    /// Notes any problem.
    pub(crate) fn add<T>(&mut self, finding: Finding) -> Option<T> {
        self.problems.add(finding)
    }
}

// === quantities ===

/// A duration; zero only if so said.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DurationShape {
    above_zero: bool,
}

/// Any duration, zero included.
pub(crate) fn duration() -> DurationShape {
    DurationShape { above_zero: false }
}

impl DurationShape {
    /// Refuses zero.
    pub(crate) fn above_zero(mut self) -> Self {
        self.above_zero = true;
        self
    }
}

impl Shape for DurationShape {
    type Out = Duration;

    fn schema(&self) -> Schema {
        Schema::Duration { above_zero: self.above_zero }
    }

    fn decode(&self, node: &Node, key: &str, problems: &mut Problems) -> Option<Duration> {
        if let Some(number) = bare_number(node) {
            let message = format!("`{key}` is a duration, and {number} has no unit");
            let help = format!("write \"{number}s\" for seconds or \"{number}ms\" for milliseconds");
            return problems.add(Finding::new(Code::Unit, &node.span, message).label("which unit?").help(help));
        }
        let Value::Text(text) = &node.value else {
            return problems.add(wrong_type(node, key, "a duration", &format!("{key} = \"500ms\"")));
        };
        match parse_duration(text) {
            Ok(Duration::ZERO) if self.above_zero => problems.add(
                Finding::new(Code::OutOfRange, &node.span, format!("`{key}` must be above zero"))
                    .help("write a duration such as \"500ms\""),
            ),
            Ok(duration) => Some(duration),
            Err(error) => problems.add(quantity_finding(node, key, &error)),
        }
    }
}

/// A rate; zero only if so said.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateShape {
    above_zero: bool,
}

/// Any rate, zero included.
pub(crate) fn rate() -> RateShape {
    RateShape { above_zero: false }
}

impl RateShape {
    /// Refuses zero.
    pub(crate) fn above_zero(mut self) -> Self {
        self.above_zero = true;
        self
    }
}

impl Shape for RateShape {
    type Out = f64;

    fn schema(&self) -> Schema {
        Schema::Rate { above_zero: self.above_zero }
    }

    fn decode(&self, node: &Node, key: &str, problems: &mut Problems) -> Option<f64> {
        if let Some(number) = bare_number(node) {
            let message = format!("`{key}` is a rate, and {number} has no unit");
            let help = format!("write \"{number}/s\" for so many per second (also /m and /h)");
            return problems.add(Finding::new(Code::Unit, &node.span, message).label("per what?").help(help));
        }
        let Value::Text(text) = &node.value else {
            return problems.add(wrong_type(node, key, "a rate", &format!("{key} = \"500/s\"")));
        };
        match parse_rate(text) {
            Ok(rate) if self.above_zero && rate <= 0.0 => problems.add(
                Finding::new(Code::OutOfRange, &node.span, format!("`{key}` must be above zero"))
                    .help("write a rate such as \"500/s\""),
            ),
            Ok(rate) => Some(rate),
            Err(error) => problems.add(quantity_finding(node, key, &error)),
        }
    }
}

fn quantity_finding(node: &Node, key: &str, error: &QuantityError) -> Finding {
    let code = if error.out_of_range { Code::OutOfRange } else { Code::Unit };
    Finding::new(code, &node.span, format!("`{key}`: {}", error.message)).help(&error.help)
}

fn bare_number(node: &Node) -> Option<String> {
    match &node.value {
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        _ => None,
    }
}

// === numbers ===

/// A whole number in a closed range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IntegerShape<T> {
    least: u64,
    most: u64,
    into: PhantomData<T>,
}

/// A whole number from `least` to `most`, as a `T` that can hold them.
pub(crate) fn integer<T: TryFrom<u64>>(least: u64, most: u64) -> IntegerShape<T> {
    IntegerShape { least, most, into: PhantomData }
}

impl<T: TryFrom<u64>> Shape for IntegerShape<T> {
    type Out = T;

    fn schema(&self) -> Schema {
        Schema::Integer { least: self.least, most: self.most }
    }

    fn decode(&self, node: &Node, key: &str, problems: &mut Problems) -> Option<T> {
        let Value::Integer(number) = node.value else {
            let example = format!("a whole number without quotes: {key} = {}", self.least.max(1));
            return problems.add(wrong_type(node, key, "an integer", &example));
        };
        let inside = u64::try_from(number).ok().filter(|number| (self.least..=self.most).contains(number));
        match inside.and_then(|number| T::try_from(number).ok()) {
            Some(number) => Some(number),
            None => problems.add(
                Finding::new(Code::OutOfRange, &node.span, format!("`{key}` is {number}, outside its range"))
                    .help(format!("write a whole number from {} to {}", self.least, self.most)),
            ),
        }
    }
}

/// A finite number in a range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberShape {
    least: f64,
    most: f64,
    above_least: bool,
}

/// A finite number from `least` to `most`.
pub(crate) fn number(least: f64, most: f64) -> NumberShape {
    NumberShape { least, most, above_least: false }
}

impl NumberShape {
    /// Refuses the lower end itself.
    pub(crate) fn above_least(self) -> Self {
        Self { above_least: true, ..self }
    }
}

impl Shape for NumberShape {
    type Out = f64;

    fn schema(&self) -> Schema {
        Schema::Number { least: self.least, most: self.most, above_least: self.above_least }
    }

    fn decode(&self, node: &Node, key: &str, problems: &mut Problems) -> Option<f64> {
        let number = match node.value {
            Value::Integer(number) => number as f64,
            Value::Float(number) => number,
            _ => return problems.add(wrong_type(node, key, "a number", &format!("{key} = 1.5"))),
        };
        let above = if self.above_least { number > self.least } else { number >= self.least };
        if above && number <= self.most {
            return Some(number);
        }
        let from = if self.above_least { "above" } else { "from" };
        problems.add(
            Finding::new(Code::OutOfRange, &node.span, format!("`{key}` is {number}, outside its range"))
                .help(format!("write a number {from} {}, at most {}", self.least, self.most)),
        )
    }
}

/// `true` or `false`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BooleanShape;

/// `true` or `false`.
pub(crate) fn boolean() -> BooleanShape {
    BooleanShape
}

impl Shape for BooleanShape {
    type Out = bool;

    fn schema(&self) -> Schema {
        Schema::Boolean
    }

    fn decode(&self, node: &Node, key: &str, problems: &mut Problems) -> Option<bool> {
        match node.value {
            Value::Boolean(boolean) => Some(boolean),
            _ => problems.add(wrong_type(node, key, "true or false", &format!("{key} = true"))),
        }
    }
}
