//! Shapes as data: what the reference page, and later a JSON Schema, are written from.

use super::{Kinds, Shape, Tagged};

/// What a value may be.
#[derive(Clone, Debug)]
pub(crate) enum Schema {
    /// A text of a certain form.
    Text {
        /// In words, with article: `a path`.
        what: &'static str,
        /// As TOML.
        example: &'static str,
    },
    /// A duration with unit.
    Duration { above_zero: bool },
    /// A rate with unit.
    Rate { above_zero: bool },
    /// A whole number in a closed range.
    Integer { least: u64, most: u64 },
    /// A finite number in a closed range; `above_least` excludes the lower end.
    Number { least: f64, most: f64, above_least: bool },
    /// `true` or `false`.
    Boolean,
    /// One of several words.
    Choice(Vec<(&'static str, &'static str)>),
    /// A table.
    Table(TableSchema),
    /// A table whose keys depend on one of them.
    Kinds { about: &'static str, tag: &'static str, kinds: Vec<KindSchema>, later: &'static [Later] },
    /// A list.
    List { of: Box<Schema>, least: usize, most: usize },
    /// A table with keys of the user's choice.
    Map {
        /// What a key is, with article.
        key: &'static str,
        of: Box<Schema>,
        most: usize,
    },
    /// Any one of several shapes, under a name that the reference explains once.
    OneOf { name: &'static str, about: &'static str, of: Vec<Schema> },
    /// Any TOML value.
    Any,
}

/// A table: its keys and what they mean.
#[derive(Clone, Debug)]
pub(crate) struct TableSchema {
    pub(crate) about: &'static str,
    pub(crate) fields: Vec<FieldSchema>,
    pub(crate) later: Vec<Later>,
    pub(crate) instead: Vec<Instead>,
    pub(crate) presets: Vec<Preset>,
}

/// A key of a table.
#[derive(Clone, Debug)]
pub(crate) struct FieldSchema {
    pub(crate) key: &'static str,
    pub(crate) about: &'static str,
    pub(crate) presence: Presence,
    pub(crate) schema: Schema,
}

/// Whether a key must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    /// May be left out; the sentence says what that means.
    Optional,
    /// Stands for this TOML value if left out.
    Default(&'static str),
    /// Not a key: the tag and the keys of the kind stand in this table itself.
    Flattened,
}

/// One of the kinds of a family of tables.
#[derive(Clone, Debug)]
pub(crate) struct KindSchema {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) table: TableSchema,
}

/// A word that the design has and this version does not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Later {
    pub(crate) name: &'static str,
    pub(crate) reason: &'static str,
}

/// A key that users of other tools may write, and what to write instead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instead {
    pub(crate) key: &'static str,
    pub(crate) help: &'static str,
}

/// Values under a name, for `preset = "name"`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Preset {
    pub(crate) name: &'static str,
    /// The values, as a TOML inline table.
    pub(crate) toml: &'static str,
    pub(crate) about: &'static str,
}

// === impl TableSchema: the counterparts of the methods of `Fields`, so that one declaration calls both ===

impl TableSchema {
    pub(crate) fn new(about: &'static str) -> Self {
        Self { about: about.trim(), fields: Vec::new(), later: Vec::new(), instead: Vec::new(), presets: Vec::new() }
    }

    pub(crate) fn required(self, about: &'static str, key: &'static str, shape: &impl Shape) -> Self {
        self.with(about, key, Presence::Required, shape)
    }

    pub(crate) fn optional(self, about: &'static str, key: &'static str, shape: &impl Shape) -> Self {
        self.with(about, key, Presence::Optional, shape)
    }

    pub(crate) fn default(
        self,
        about: &'static str,
        key: &'static str,
        shape: &impl Shape,
        value: &'static str,
    ) -> Self {
        self.with(about, key, Presence::Default(value), shape)
    }

    pub(crate) fn flattened<K: Kinds>(self, about: &'static str, tag: &'static str, shape: &Tagged<K>) -> Self {
        debug_assert_eq!(tag, K::TAG, "the declaration names the tag of its kinds");
        self.with(about, tag, Presence::Flattened, shape)
    }

    pub(crate) fn later(mut self, name: &'static str, reason: &'static str) -> Self {
        self.later.push(Later { name, reason });
        self
    }

    pub(crate) fn instead(mut self, key: &'static str, help: &'static str) -> Self {
        self.instead.push(Instead { key, help });
        self
    }

    pub(crate) fn preset(mut self, name: &'static str, toml: &'static str, about: &'static str) -> Self {
        self.presets.push(Preset { name, toml, about });
        self
    }

    fn with(mut self, about: &'static str, key: &'static str, presence: Presence, shape: &impl Shape) -> Self {
        self.fields.push(FieldSchema { key, about: about.trim(), presence, schema: shape.schema() });
        self
    }
}
