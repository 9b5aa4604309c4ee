//! One of several words, and tables told apart by a word.

use super::{Fields, KindSchema, Later, Schema, Shape, TableSchema, any_of, suggestion, wrong_type};
use crate::error::{Code, Finding, Problems};
use crate::quantity::clip;
use crate::tree::{Node, Value};
use std::marker::PhantomData;

/// A word with what it stands for and a sentence about it.
pub(crate) type Named<T> = (&'static str, T, &'static str);

/// One of several words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice<T: 'static> {
    words: &'static [Named<T>],
    later: &'static [Later],
}

/// One of `words`; those of `later` are refused with their reason.
pub(crate) const fn choice<T>(words: &'static [Named<T>], later: &'static [Later]) -> Choice<T> {
    Choice { words, later }
}

impl<T: Clone> Shape for Choice<T> {
    type Out = T;

    fn schema(&self) -> Schema {
        Schema::Choice(self.words.iter().map(|(word, _, about)| (*word, *about)).collect())
    }

    fn decode(&self, node: &Node, key: &str, problems: &mut Problems) -> Option<T> {
        let known = self.words.iter().map(|(word, ..)| *word);
        let word = known_word(node, key, known, self.later, problems)?;
        self.words.iter().find(|(known, ..)| *known == word).map(|(_, value, _)| value.clone())
    }
}

/// A family of tables declared with [`super::kinds!`].
pub(crate) trait Kinds: Sized {
    /// The sentence of the reference.
    const ABOUT: &'static str;
    /// The key that tells them apart.
    const TAG: &'static str;

    /// The descriptions.
    fn kind_schemas() -> Vec<KindSchema>;

    /// Kinds of the design that this version does not have.
    fn later() -> &'static [Later];

    /// Takes the keys of the kind of this name, which is one of the described.
    fn take_kind(kind: &str, fields: &mut Fields<'_>) -> Option<Self>;
}

/// A table of one of several kinds.
#[derive(Debug)]
pub(crate) struct Tagged<K>(PhantomData<K>);

/// A table of one of the kinds of `K`.
pub(crate) fn kinds_of<K: Kinds>() -> Tagged<K> {
    Tagged(PhantomData)
}

impl<K: Kinds> Tagged<K> {
    /// The name of the kind, checked.
    pub(crate) fn kind(node: &Node, problems: &mut Problems) -> Option<&'static str> {
        let names: Vec<&'static str> = K::kind_schemas().iter().map(|kind| kind.name).collect();
        known_word(node, K::TAG, names.iter().copied(), K::later(), problems)
    }
}

impl<K: Kinds> Shape for Tagged<K> {
    type Out = K;

    fn schema(&self) -> Schema {
        Schema::Kinds { about: K::ABOUT.trim(), tag: K::TAG, kinds: K::kind_schemas(), later: K::later() }
    }

    fn decode(&self, node: &Node, key: &str, problems: &mut Problems) -> Option<K> {
        if !matches!(node.value, Value::Table(_)) {
            let names: Vec<&'static str> = K::kind_schemas().iter().map(|kind| kind.name).collect();
            let example = format!("{key} = {{ {} = \"{}\", … }}", K::TAG, names.first().copied().unwrap_or_default());
            let finding = wrong_type(node, key, "a table", &format!("{example} ({} is {})", K::TAG, any_of(names)));
            return problems.add(finding);
        }
        let schema = TableSchema::new("");
        let mut fields = Fields::open(node, key, &schema, problems)?;
        let value = fields.flattened(K::TAG, self);
        let clean = fields.close(&schema);
        value.filter(|_| clean)
    }
}

fn known_word(
    node: &Node,
    key: &str,
    known: impl Iterator<Item = &'static str> + Clone,
    later: &'static [Later],
    problems: &mut Problems,
) -> Option<&'static str> {
    let Value::Text(word) = &node.value else {
        let example = format!("{key} = \"{}\" (accepted: {})", known.clone().next().unwrap_or_default(), any_of(known));
        return problems.add(wrong_type(node, key, "a word in quotes", &example));
    };
    if let Some(found) = known.clone().find(|candidate| candidate == word) {
        return Some(found);
    }
    let shown = clip(word);
    if let Some(later) = later.iter().find(|later| later.name == word) {
        let message = format!("`{key} = \"{shown}\"` is not supported: {}", later.reason);
        let help = format!("accepted: {}", any_of(known));
        return problems.add(Finding::new(Code::NotSupported, &node.span, message).help(help));
    }
    let message = format!("`{key}` cannot be `{shown}`");
    problems.add(Finding::new(Code::UnknownName, &node.span, message).help(suggestion(word, known)))
}
