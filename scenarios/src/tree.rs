//! A TOML document as a tree of values with their spans, in the order of the file.

use crate::error::{Code, Finding, Problems};
use crate::source::Span;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it stands. The span of a table is its header or its braces.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) value: Value,
}

/// A TOML value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Integer(i128),
    Float(f64),
    Boolean(bool),
    Datetime(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) node: Node,
}

/// Reads a document; on syntax errors notes them all and returns `None`.
pub(crate) fn parse_document(problems: &mut Problems) -> Option<Node> {
    let text = std::sync::Arc::clone(&problems.source.text);
    let (document, errors) = DeTable::parse_recoverable(&text);
    for error in errors {
        let span = error.span().unwrap_or_default();
        let finding = syntax_error(&span, error.message(), &text);
        problems.add::<()>(finding);
        if !is_harmless(error.message()) {
            // What follows a broken bracket or quote is noise.
            break;
        }
    }
    if !problems.is_empty() {
        return None;
    }
    let entries = table(document.get_ref(), problems)?;
    Some(Node { span: 0..0, value: Value::Table(entries) })
}

/// Reads one value that stands in our own sources: a default of a description.
pub(crate) fn parse_value(text: &str) -> Option<Node> {
    let value = DeValue::parse(text).ok()?;
    node(&value, &mut Problems::new(crate::source::Source::new("", text)))
}

/// Whether the reader knows how to go on after this syntax error.
fn is_harmless(message: &str) -> bool {
    message == "duplicate key" || message.starts_with("string values must be quoted")
}

fn syntax_error(span: &Span, message: &str, text: &str) -> Finding {
    if message == "duplicate key" {
        let line =
            text.get(..span.start).and_then(|before| before.rsplit('\n').next()).unwrap_or_default().trim_start();
        let help = if line.starts_with("[[") {
            "further up it has one bracket; a table that repeats has two, each time"
        } else if line.starts_with('[') {
            "a table that repeats has two brackets, such as [[traffic.stage]]"
        } else {
            "remove or rename one of them"
        };
        return Finding::new(Code::Duplicate, span, "this key stands twice in the same table").help(help);
    }
    let help = if is_harmless(message) {
        "put texts, durations and rates in quotes, such as for = \"2s\""
    } else {
        "the file must be TOML: https://toml.io"
    };
    Finding::new(Code::Syntax, span, format!("not TOML: {message}")).help(help)
}

fn table(entries: &DeTable<'_>, problems: &mut Problems) -> Option<Vec<Entry>> {
    let mut complete = true;
    let mut list = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        match node(value, problems) {
            Some(node) => list.push(Entry { key: key.get_ref().to_string(), key_span: key.span(), node }),
            None => complete = false,
        }
    }
    list.sort_by_key(|entry: &Entry| entry.key_span.start);
    complete.then_some(list)
}

fn node(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<Node> {
    let span = value.span();
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(integer) => match i128::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(number) => Value::Integer(number),
            Err(_) => return problems.add(too_large(&span)),
        },
        DeValue::Float(float) => Value::Float(float.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(boolean) => Value::Boolean(*boolean),
        DeValue::Datetime(datetime) => Value::Datetime(datetime.to_string()),
        DeValue::Array(array) => {
            let nodes: Vec<Option<Node>> = array.iter().map(|element| node(element, problems)).collect();
            Value::List(nodes.into_iter().collect::<Option<_>>()?)
        }
        DeValue::Table(entries) => Value::Table(table(entries, problems)?),
    };
    Some(Node { span, value })
}

fn too_large(span: &Span) -> Finding {
    Finding::new(Code::OutOfRange, span, "this number is too large").help("no setting takes a number of this size")
}

impl Value {
    /// The type in words, with its article.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a number with a point",
            Self::Boolean(_) => "true or false",
            Self::Datetime(_) => "a date or time",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

impl Node {
    /// The value of `key`, if this is a table that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Table(entries) => entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}
