//! A table while its keys are taken out one by one.

use super::words::in_words;
use super::{At, Kinds, Schema, Shape, Table, TableSchema, Tagged, all_of, any_of, merge, suggestion, wrong_type};
use crate::error::{Code, Finding, Problems};
use crate::quantity::clip;
use crate::source::Span;
use crate::tree::{Entry, Node, Value, parse_value};

/// The keys of a table that nobody has taken yet.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    name: String,
    span: Span,
    entries: Vec<Entry>,
    /// Whether further keys are to be accepted.
    is_open: bool,
    /// Keys that somebody asked for, whether they were there or not.
    asked: Vec<&'static str>,
    pub(crate) problems: &'a mut Problems,
}

/// Decodes `node` as the table `T`, the value of `key`, with presets merged and unknown keys refused.
pub(crate) fn decode_table<T: Table>(node: &Node, key: &str, problems: &mut Problems) -> Option<T> {
    let schema = T::table_schema();
    let mut fields = Fields::open(node, key, &schema, problems)?;
    let value = T::take(&mut fields);
    let clean = fields.close(&schema);
    value.filter(|_| clean)
}

impl<'a> Fields<'a> {
    /// Opens a table; `None` if it is something else.
    pub(crate) fn open(node: &Node, key: &str, schema: &TableSchema, problems: &'a mut Problems) -> Option<Self> {
        let Value::Table(_) = &node.value else {
            return problems.add(wrong_type(node, key, "a table", &table_example(schema)));
        };
        let merged = merge::with_preset(node, schema, problems)?;
        let Value::Table(entries) = merged.value else { return None };
        Some(Self {
            name: if key.is_empty() { "a scenario".to_owned() } else { format!("`{key}`") },
            span: node.span.clone(),
            entries,
            is_open: false,
            asked: Vec::new(),
            problems,
        })
    }

    /// Where the table stands.
    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }

    /// The value of a key that must be there.
    pub(crate) fn required<S: Shape>(&mut self, key: &'static str, shape: &S) -> Option<At<S::Out>> {
        match self.optional(key, shape)? {
            Some(value) => Some(value),
            None => self.missing(key, &shape.schema()),
        }
    }

    /// The value of a key that may be left out. The outer `None` says that it is wrong.
    #[expect(clippy::option_option, reason = "wrong, absent and present are three states; the macro needs this form")]
    pub(crate) fn optional<S: Shape>(&mut self, key: &'static str, shape: &S) -> Option<Option<At<S::Out>>> {
        let Some(entry) = self.take(key) else { return Some(None) };
        let value = shape.decode(&entry.node, key, self.problems)?;
        Some(Some(At { span: entry.node.span, value }))
    }

    /// The value of a key, or the default, which is written as TOML.
    pub(crate) fn default<S: Shape>(
        &mut self,
        key: &'static str,
        shape: &S,
        value: &'static str,
    ) -> Option<At<S::Out>> {
        let entry = self.take(key);
        let node = match entry {
            Some(entry) => entry.node,
            None => Node { span: self.span(), ..parse_value(value).expect("defaults are TOML, which a test checks") },
        };
        let value = shape.decode(&node, key, self.problems)?;
        Some(At { span: node.span, value })
    }

    /// The kind whose tag and keys stand in this table itself.
    pub(crate) fn flattened<K: Kinds>(&mut self, tag: &'static str, _shape: &Tagged<K>) -> Option<K> {
        let tag = self.take(tag);
        let kind = match &tag {
            Some(tag) => Tagged::<K>::kind(&tag.node, self.problems),
            None => self.missing_tag::<K>(),
        };
        // Without its kind, nobody can say which of the other keys are right.
        self.is_open = kind.is_none();
        K::take_kind(kind?, self)
    }

    /// Takes one key out.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<Entry> {
        self.asked.push(key);
        let at = self.entries.iter().position(|entry| entry.key == key)?;
        Some(self.entries.remove(at))
    }

    /// Refuses what nobody took; whether there was nothing.
    pub(crate) fn close(self, schema: &TableSchema) -> bool {
        if self.is_open {
            return false;
        }
        for entry in &self.entries {
            let finding = self.refused(entry, schema);
            self.problems.add::<()>(finding);
        }
        self.entries.is_empty()
    }

    fn refused(&self, entry: &Entry, schema: &TableSchema) -> Finding {
        let (table, key, span) = (&self.name, clip(&entry.key), &entry.key_span);
        let accepted = format!("{table} takes {}", all_of(self.asked.iter().copied()));
        if let Some(later) = schema.later.iter().find(|later| later.name == entry.key) {
            let message = format!("`{key}` is not supported: {}", later.reason);
            return Finding::new(Code::NotSupported, span, message).help(accepted);
        }
        let finding = Finding::new(Code::UnknownKey, span, format!("{table} has no key `{key}`"));
        let help = match schema.instead.iter().find(|other| other.key == entry.key) {
            Some(instead) => format!("{}; {accepted}", instead.help),
            None => suggestion(&entry.key, self.asked.iter().copied()),
        };
        finding.label("not a key of this table").help(help)
    }

    fn missing<T>(&mut self, key: &'static str, schema: &Schema) -> Option<T> {
        let finding = Finding::new(Code::MissingKey, &self.span, format!("{} needs `{key}`", self.name));
        self.problems
            .add(finding.label(format!("`{key}` is missing here")).help(format!("`{key}` is {}", in_words(schema))))
    }

    fn missing_tag<K: Kinds>(&mut self) -> Option<&'static str> {
        let kinds = K::kind_schemas();
        let finding = Finding::new(Code::MissingKey, &self.span, format!("{} needs `{}`", self.name, K::TAG))
            .label(format!("`{}` is missing here", K::TAG))
            .help(format!("`{}` is one of {}", K::TAG, any_of(kinds.iter().map(|kind| kind.name))));
        self.problems.add(finding)
    }
}

fn table_example(schema: &TableSchema) -> String {
    let keys = schema.fields.iter().map(|field| field.key);
    format!("a table {{ … }} with the keys {}", all_of(keys))
}
