//! Places.

use super::*;
use proptest::prelude::*;

#[test]
fn positions_count_characters_from_one() {
    let source = Source::new("f", "ab\né→x\n");
    let at = |offset| {
        let Position { line, column } = source.position(offset);
        (line, column)
    };
    assert_eq!((at(0), at(2), at(3)), ((1, 1), (1, 3), (2, 1)));
    assert_eq!((at(5), at(8)), ((2, 2), (2, 3)), "é and → are one character each");
    assert_eq!(at(4), (2, 1), "inside a character is at it");
    assert_eq!((at(10), at(1_000)), ((3, 1), (3, 1)), "beyond the end is the end");
}

fn place(text: &str, decoded: &str, part: Span) -> Span {
    Source::new("f", text).inside(&(0..text.len()), decoded, part)
}

#[test]
fn parts_of_strings_are_found_through_quotes_and_escapes() {
    assert_eq!(place("\"abc\"", "abc", 1..2), 2..3);
    assert_eq!(place("'a\\bc'", "a\\bc", 1..2), 2..3);
    assert_eq!(place("\"a\\\"b\"", "a\"b", 2..3), 4..5);
    assert_eq!(place("\"\\u00e9b\"", "éb", 2..3), 7..8);
    assert_eq!(place("\"\\u00e9b\"", "éb", 0..2), 1..7);
    assert_eq!(place("\"\"\"\nab\"\"\"", "ab", 1..2), 5..6);
    assert_eq!(place("'''ab'''", "ab", 0..2), 3..5);
    assert_eq!(place("\"ab\"", "ab", 2..2), 3..3, "the end of the text");
}

#[test]
fn what_cannot_be_followed_is_the_whole_literal() {
    assert_eq!(place("\"pg-lan\"", "20ms", 1..2), 0..8, "a value of a preset");
    assert_eq!(place("\"\"\"a\\\n  b\"\"\"", "ab", 1..2), 0..12, "a line continued");
    assert_eq!(place("5", "5", 0..1), 0..1);
}

proptest! {
    #[test]
    fn no_literal_panics(literal in ".{0,20}", decoded in ".{0,10}", from in 0_usize..12, length in 0_usize..4) {
        let span = place(&literal, &decoded, from..from + length);
        prop_assert!(span.start <= span.end && span.end <= literal.len());
    }
}
