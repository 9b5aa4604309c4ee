//! The engine of the file format: what a value may be (a *shape*), described once.
//!
//! A shape decodes a value with all its error messages and describes itself as a [`Schema`]. A table is declared with
//! [`table!`] and a family of tables told apart by a tag with [`kinds!`]; from one declaration come the decoder, the list
//! of accepted keys, the reference page, and whatever else walks the schema.

mod choice;
mod collection;
mod fields;
mod merge;
mod scalar;
mod schema;
pub(crate) mod words;

pub(crate) use choice::{Kinds, Tagged, choice, kinds_of};
pub(crate) use collection::{Alternatives, Form, list, map, nested};
pub(crate) use fields::Fields;
pub(crate) use scalar::{Reading, Text, boolean, duration, integer, number, rate, text};
pub(crate) use schema::{KindSchema, Later, Presence, Schema, TableSchema};

use crate::error::{Code, Finding, Problems};
use crate::source::Span;
use crate::tree::Node;
use std::ops::Deref;

/// What a value may be.
pub(crate) trait Shape {
    /// The decoded value.
    type Out;

    /// The description.
    fn schema(&self) -> Schema;

    /// Decodes `node`, the value of `key`; notes what is wrong and returns `None` if something is.
    fn decode(&self, node: &Node, key: &str, problems: &mut Problems) -> Option<Self::Out>;
}

/// A table that is declared with [`table!`].
pub(crate) trait Table: Sized {
    /// The description.
    fn table_schema() -> TableSchema;

    /// Takes its keys from `fields`. Keys left over are the caller's to judge.
    fn take(fields: &mut Fields<'_>) -> Option<Self>;
}

/// A value with its place in the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct At<T> {
    /// Where the value stands; a default stands where its table stands.
    pub(crate) span: Span,
    pub(crate) value: T,
}

impl<T> Deref for At<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// The finding for a value of the wrong type.
pub(crate) fn wrong_type(node: &Node, key: &str, wanted: &str, example: &str) -> Finding {
    Finding::new(Code::WrongType, &node.span, format!("`{key}` takes {wanted}, not {}", node.value.kind()))
        .label(format!("this is {}", node.value.kind()))
        .help(format!("write {example}"))
}

/// Of `known`, the one that `word` was probably meant to be.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Below this similarity a suggestion is noise.
    const ALIKE: f64 = 0.75;
    /// Longer words are no misspelling of anything, and cost time.
    const LONGEST: usize = 100;
    if word.len() > LONGEST {
        return None;
    }
    let word = word.to_lowercase();
    let scored = known.into_iter().map(|candidate| (strsim::jaro_winkler(&word, &candidate.to_lowercase()), candidate));
    scored.filter(|(score, _)| *score >= ALIKE).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, candidate)| candidate)
}

/// `a, b or c`, each in backticks.
pub(crate) fn any_of<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    joined(words, "or")
}

/// `a, b and c`, each in backticks.
pub(crate) fn all_of<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    joined(words, "and")
}

fn joined<'a>(words: impl IntoIterator<Item = &'a str>, last_joint: &str) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match words.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {last_joint} {last}", first.join(", ")),
    }
}

/// `did you mean …? accepted: …`
pub(crate) fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    /// More names than this are not listed: the reference does that.
    const LISTED: usize = 40;
    let guess = nearest(word, known.clone()).map(|guess| format!("did you mean `{guess}`? ")).unwrap_or_default();
    let mut names: Vec<&str> = Vec::new();
    for name in known {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.len() {
        0 => format!("{guess}there is none"),
        1..=LISTED => format!("{guess}accepted: {}", any_of(names)),
        count => format!("{guess}there are {count} of them"),
    }
}

/// Declares a table: a struct whose fields carry key, shape, presence and (as their doc comment) the sentence of the
/// reference.
macro_rules! table {
    (
        $(#[doc = $about:literal])+
        $name:ident {
            $(
                $(#[doc = $field_about:literal])+
                $field:ident: $type:ty = $presence:ident($key:literal, $shape:expr $(, $default:literal)? $(,)?);
            )*
        }
        $(later { $($later_key:literal: $reason:literal;)+ })?
        $(instead { $($other_key:literal: $help:literal;)+ })?
        $(presets { $($preset:literal: $toml:literal, $preset_about:literal;)+ })?
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct $name {
            /// Where the table stands.
            pub(crate) span: $crate::source::Span,
            $( $(#[doc = $field_about])+ pub(crate) $field: $type, )*
        }

        impl $crate::shape::Table for $name {
            fn table_schema() -> $crate::shape::TableSchema {
                $crate::shape::TableSchema::new(concat!($($about),+))
                    $( .$presence(concat!($($field_about),+), $key, &$shape $(, $default)?) )*
                    $( $( .later($later_key, $reason) )+ )?
                    $( $( .instead($other_key, $help) )+ )?
                    $( $( .preset($preset, $toml, $preset_about) )+ )?
            }

            fn take(fields: &mut $crate::shape::Fields<'_>) -> Option<Self> {
                $( let $field = fields.$presence($key, &$shape $(, $default)?); )*
                Some(Self { span: fields.span(), $( $field: $field?, )* })
            }
        }
    };
}
pub(crate) use table;

/// Declares an enum of tables told apart by the value of one key, or by a word alone.
macro_rules! kinds {
    (
        $(#[doc = $about:literal])+
        $name:ident by $tag:literal {
            $( $(#[doc = $kind_about:literal])+ $kind:literal => $variant:ident($table:ty); )+
        }
        $(later { $($later:literal: $reason:literal;)+ })?
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) enum $name {
            $( $(#[doc = $kind_about])+ $variant($table), )+
        }

        impl $crate::shape::Kinds for $name {
            const ABOUT: &'static str = concat!($($about),+);
            const TAG: &'static str = $tag;

            fn kind_schemas() -> Vec<$crate::shape::KindSchema> {
                vec![ $( $crate::shape::KindSchema {
                    name: $kind,
                    about: concat!($($kind_about),+).trim(),
                    table: <$table as $crate::shape::Table>::table_schema(),
                }, )+ ]
            }

            fn later() -> &'static [$crate::shape::Later] {
                &[ $( $( $crate::shape::Later { name: $later, reason: $reason }, )+ )? ]
            }

            fn take_kind(kind: &str, fields: &mut $crate::shape::Fields<'_>) -> Option<Self> {
                match kind {
                    $( $kind => <$table as $crate::shape::Table>::take(fields).map(Self::$variant), )+
                    _ => unreachable!("the tag was checked against the list of kinds"),
                }
            }
        }
    };
}
pub(crate) use kinds;

#[cfg(test)]
mod tests;
