//! Lists, tables, maps, and values that may have one of several forms.

use super::fields::decode_table;
use super::{At, Schema, Shape, Table, wrong_type};
use crate::error::{Code, Finding, Problems};
use crate::quantity::clip;
use crate::source::Span;
use crate::tree::{Node, Value};
use std::marker::PhantomData;

/// A table declared with [`super::table!`].
#[derive(Debug)]
pub(crate) struct Nested<T>(PhantomData<T>);

/// The table `T`.
pub(crate) fn nested<T: Table>() -> Nested<T> {
    Nested(PhantomData)
}

impl<T: Table> Shape for Nested<T> {
    type Out = T;

    fn schema(&self) -> Schema {
        Schema::Table(T::table_schema())
    }

    fn decode(&self, node: &Node, key: &str, problems: &mut Problems) -> Option<T> {
        decode_table(node, key, problems)
    }
}

/// A list with a bounded number of elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List<S> {
    of: S,
    least: usize,
    most: usize,
}

/// A list of `least` to `most` elements.
pub(crate) fn list<S: Shape>(of: S, least: usize, most: usize) -> List<S> {
    List { of, least, most }
}

impl<S: Shape> Shape for List<S> {
    type Out = Vec<At<S::Out>>;

    fn schema(&self) -> Schema {
        Schema::List { of: Box::new(self.of.schema()), least: self.least, most: self.most }
    }

    fn decode(&self, node: &Node, key: &str, problems: &mut Problems) -> Option<Self::Out> {
        let Value::List(elements) = &node.value else {
            let written = problems.source.text.get(node.span.clone()).unwrap_or_default();
            let example = match &node.value {
                Value::Table(_) if written.starts_with('[') => format!("it with two brackets: [{written}]"),
                Value::Table(_) => format!("it in brackets: {key} = [{{ … }}]"),
                _ => format!("{key} = [ … ]"),
            };
            return problems.add(wrong_type(node, key, "a list", &example));
        };
        if !(self.least..=self.most).contains(&elements.len()) {
            let message = format!("`{key}` has {} entries", elements.len());
            let help = format!("write {} to {}", self.least, self.most);
            return problems.add(Finding::new(Code::OutOfRange, &node.span, message).help(help));
        }
        let decode = |element: &Node| {
            let value = self.of.decode(element, key, problems)?;
            Some(At { span: element.span.clone(), value })
        };
        // Every element is decoded, so that every problem is seen, before any failure counts.
        let decoded: Vec<Option<At<S::Out>>> = elements.iter().map(decode).collect();
        decoded.into_iter().collect()
    }
}

/// A table with keys of the user's choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Map<S> {
    of: S,
    key: &'static str,
    most: usize,
}

/// A table from `key` (in words, with article) to `of`, with at most `most` entries.
pub(crate) fn map<S: Shape>(key: &'static str, of: S, most: usize) -> Map<S> {
    Map { of, key, most }
}

impl<S: Shape> Shape for Map<S> {
    type Out = Vec<(At<String>, At<S::Out>)>;

    fn schema(&self) -> Schema {
        Schema::Map { key: self.key, of: Box::new(self.of.schema()), most: self.most }
    }

    fn decode(&self, node: &Node, key: &str, problems: &mut Problems) -> Option<Self::Out> {
        let Value::Table(entries) = &node.value else {
            return problems.add(wrong_type(node, key, "a table", &format!("[{key}], or {key} = {{ … }}")));
        };
        if entries.len() > self.most {
            let message = format!("`{key}` has {} entries", entries.len());
            return problems
                .add(Finding::new(Code::OutOfRange, &node.span, message).help(format!("write at most {}", self.most)));
        }
        let mut decoded = Vec::with_capacity(entries.len());
        for entry in entries {
            let value = self.of.decode(&entry.node, &clip(&entry.key), problems);
            let name = At { span: entry.key_span.clone(), value: entry.key.clone() };
            decoded.push(value.map(|value| (name, At { span: entry.node.span.clone(), value })));
        }
        decoded.into_iter().collect()
    }
}

/// One form that a value may have.
pub(crate) struct Form<T> {
    /// Keys that only this form has; none: it is the form that is not a table.
    pub(crate) keys: &'static [&'static str],
    pub(crate) schema: fn() -> Schema,
    pub(crate) decode: fn(&Node, &str, &mut Problems) -> Option<T>,
}

/// A value that may have one of several forms, told apart by the keys of a table.
pub(crate) struct Alternatives<T: 'static> {
    /// The name in the reference.
    pub(crate) name: &'static str,
    /// The sentences of the reference.
    pub(crate) about: &'static str,
    /// All forms in words, for messages.
    pub(crate) accepted: &'static str,
    pub(crate) forms: &'static [Form<T>],
}

impl<T> Shape for Alternatives<T> {
    type Out = T;

    fn schema(&self) -> Schema {
        Schema::OneOf {
            name: self.name,
            about: self.about,
            of: self.forms.iter().map(|form| (form.schema)()).collect(),
        }
    }

    fn decode(&self, node: &Node, key: &str, problems: &mut Problems) -> Option<T> {
        let is_table = matches!(node.value, Value::Table(_));
        let mut fitting = self.forms.iter().filter(|form| {
            if is_table { form.keys.iter().any(|key| node.get(key).is_some()) } else { form.keys.is_empty() }
        });
        match (fitting.next(), fitting.next()) {
            (Some(form), None) => (form.decode)(node, key, problems),
            (Some(_), Some(_)) => problems.add(mixed_forms(&node.span, key, self.accepted)),
            (None, _) => problems.add(self.no_form(node, key)),
        }
    }
}

impl<T> Alternatives<T> {
    fn no_form(&self, node: &Node, key: &str) -> Finding {
        let Value::Table(entries) = &node.value else { return wrong_type(node, key, self.name, self.accepted) };
        let help = format!("write {}", self.accepted);
        match entries.first() {
            Some(entry) => {
                let message = format!("`{key}` has no form with the key `{}`", clip(&entry.key));
                Finding::new(Code::UnknownKey, &entry.key_span, message).help(help)
            }
            None => Finding::new(Code::MissingKey, &node.span, format!("`{key}` is empty")).help(help),
        }
    }
}

fn mixed_forms(span: &Span, key: &str, accepted: &str) -> Finding {
    Finding::new(Code::Conflict, span, format!("`{key}` mixes keys of several forms")).help(format!("write {accepted}"))
}
