//! Schemas in words.

use super::{Presence, Schema, all_of, any_of};

/// What a value may be, for a cell of a table. `link` makes the name of a table or form point at its section.
pub(crate) fn value(schema: &Schema, link: &mut dyn FnMut(&Schema) -> String) -> String {
    match schema {
        Schema::Text { what, example } => format!("{what}: `{example}`"),
        Schema::Duration { above_zero: false } => "a duration".to_owned(),
        Schema::Duration { above_zero: true } => "a duration above zero".to_owned(),
        Schema::Rate { above_zero: false } => "a rate".to_owned(),
        Schema::Rate { above_zero: true } => "a rate above zero".to_owned(),
        Schema::Integer { least, most } if *most == u64::MAX => format!("a whole number from {}", grouped(*least)),
        Schema::Integer { least, most } => format!("a whole number, {} to {}", grouped(*least), grouped(*most)),
        Schema::Number { least, most, above_least } => {
            format!("a number {} {least}, at most {most}", if *above_least { "above" } else { "from" })
        }
        Schema::Boolean => "`true` or `false`".to_owned(),
        Schema::Choice(words) => words.iter().map(|(word, _)| format!("`\"{word}\"`")).collect::<Vec<_>>().join(" or "),
        Schema::Table(_) | Schema::Kinds { .. } | Schema::OneOf { .. } => link(schema),
        Schema::List { of, least, most } => match **of {
            Schema::Table(_) | Schema::Kinds { .. } => format!("a list of {least} to {most}: {}", value(of, link)),
            _ => format!("a list of {least} to {most}, each {}", value(of, link)),
        },
        Schema::Map { key, of, most } => format!("a table of at most {most} from {key} to {}", value(of, link)),
        Schema::Any => "any value that JSON can say".to_owned(),
    }
}

/// What a value may be, for a message.
pub(crate) fn in_words(schema: &Schema) -> String {
    value(schema, &mut |schema| match schema {
        Schema::Table(table) => {
            format!("a table {{ … }} with the keys {}", all_of(table.fields.iter().map(|field| field.key)))
        }
        Schema::Kinds { tag, kinds, .. } => {
            format!("a table with {tag} = {}", any_of(kinds.iter().map(|kind| kind.name)))
        }
        Schema::OneOf { name, .. } => (*name).to_owned(),
        _ => String::new(),
    })
}

/// The sentence about a key, with those about its words.
pub(crate) fn meaning(about: &str, schema: &Schema) -> String {
    let Schema::Choice(words) = schema else { return about.to_owned() };
    let words: Vec<String> = words.iter().map(|(word, about)| format!("`{word}`: {about}")).collect();
    format!("{about} {}.", words.join("; "))
}

/// Whether a key must be there, for a cell of a table.
pub(crate) fn presence(presence: Presence) -> String {
    match presence {
        Presence::Required | Presence::Flattened => "required".to_owned(),
        Presence::Optional => "optional".to_owned(),
        Presence::Default(value) => format!("`{value}`"),
    }
}

/// A whole number as TOML writes large ones: `100_000`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.char_indices() {
        if index > 0 && digits.len() > 4 && (digits.len() - index).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}
