//! Presets under the user's own values.

use super::*;
use crate::shape::{Presence, TableSchema, duration, integer, kinds, kinds_of, nested, table};
use crate::source::Source;
use std::time::Duration;

table! {
    /// The outer table.
    Outer {
        /// A tag.
        kind: crate::shape::At<u32> = required("kind", integer::<u32>(0, 9));
        /// A number.
        number: Option<crate::shape::At<u32>> = optional("number", integer::<u32>(0, 99));
        /// A table.
        inner: Option<crate::shape::At<Inner>> = optional("inner", nested::<Inner>());
        /// One of two kinds of tables.
        tagged: Option<crate::shape::At<Either>> = optional("tagged", kinds_of::<Either>());
        /// A value that is no table to merge.
        law: Option<crate::shape::At<crate::Law>> = optional("law", crate::file::LAW);
    }
    presets {
        "full": "{ kind = 1, number = 5, inner = { a = 1, b = 2 }, tagged = { kind = \"one\", a = 3, b = 4 }, law = { mean = \"1s\" } }", "All of it.";
    }
}

table! {
    /// Two numbers.
    Inner {
        /// The first.
        a: Option<crate::shape::At<u32>> = optional("a", integer::<u32>(0, 99));
        /// The second.
        b: Option<crate::shape::At<u32>> = optional("b", integer::<u32>(0, 99));
    }
}

kinds! {
    /// One of two.
    Either by "kind" {
        /// The one.
        "one" => One(Inner);
        /// The other.
        "two" => Two(Inner);
    }
}

fn outer(text: &str) -> Option<Outer> {
    use crate::shape::Shape;
    let node = parse_value(text).expect("TOML");
    nested::<Outer>().decode(&node, "outer", &mut Problems::new(Source::new("test", text)))
}

type Pair = (Option<u32>, Option<u32>);

fn pair(inner: &Inner) -> Pair {
    (inner.a.as_ref().map(|a| **a), inner.b.as_ref().map(|b| **b))
}

type Tagged = Option<(bool, Pair)>;

fn summary(outer: &Outer) -> (u32, Option<u32>, Option<Pair>, Tagged) {
    let tagged = outer.tagged.as_ref().map(|tagged| match &tagged.value {
        Either::One(inner) => (true, pair(inner)),
        Either::Two(inner) => (false, pair(inner)),
    });
    (*outer.kind, outer.number.as_ref().map(|n| **n), outer.inner.as_ref().map(|inner| pair(inner)), tagged)
}

#[test]
fn a_preset_alone_gives_its_values() {
    let outer = outer("{ preset = \"full\" }").unwrap();
    assert_eq!(summary(&outer), (1, Some(5), Some((Some(1), Some(2))), Some((true, (Some(3), Some(4))))));
}

#[test]
fn own_values_win_key_by_key_at_every_depth() {
    let outer = outer("{ preset = \"full\", number = 6, inner = { b = 9 }, tagged = { a = 8 } }").unwrap();
    assert_eq!(summary(&outer), (1, Some(6), Some((Some(1), Some(9))), Some((true, (Some(8), Some(4))))));
}

#[test]
fn another_kind_discards_what_belonged_to_the_first() {
    let changed = outer("{ preset = \"full\", tagged = { kind = \"two\", a = 8 } }").unwrap();
    assert_eq!(summary(&changed).3, Some((false, (Some(8), None))), "b of the other kind is gone");
    let same = outer("{ preset = \"full\", tagged = { kind = \"one\", a = 8 } }").unwrap();
    assert_eq!(summary(&same).3, Some((true, (Some(8), Some(4)))));
    let whole = outer("{ preset = \"full\", kind = 2 }").unwrap();
    assert_eq!(summary(&whole), (2, None, None, None), "the table's own kind discards all of the preset");
}

#[test]
fn a_law_is_replaced_as_a_whole() {
    let of = |text: &str| outer(text).unwrap().law.unwrap().value;
    assert_eq!(of("{ preset = \"full\" }"), crate::Law::Exponential { mean: Duration::from_secs(1) });
    let log_normal = crate::Law::LogNormal { median: Duration::from_secs(1), p99: Duration::from_secs(2) };
    assert_eq!(of("{ preset = \"full\", law = { median = \"1s\", p99 = \"2s\" } }"), log_normal);
    assert_eq!(of("{ preset = \"full\", law = \"3s\" }"), crate::Law::Fixed(Duration::from_secs(3)));
}

#[test]
fn without_presets_the_word_is_an_unknown_key() {
    let schema = TableSchema::new("").optional("", "a", &duration());
    assert_eq!(schema.fields[0].presence, Presence::Optional);
    let node = parse_value("{ preset = \"full\" }").unwrap();
    let same = with_preset(&node, &schema, &mut Problems::new(Source::new("test", "")));
    assert_eq!(same, Some(node));
}
