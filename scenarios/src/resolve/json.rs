//! A TOML value as JSON, keys in the order of the file.

use crate::tree::{Node, Value};

/// The JSON text of a value whose numbers are finite.
pub(super) fn json(node: &Node) -> String {
    let mut text = String::new();
    write(node, &mut text);
    text
}

fn write(node: &Node, text: &mut String) {
    match &node.value {
        Value::Text(value) | Value::Datetime(value) => write_text(value, text),
        Value::Integer(number) => text.push_str(&number.to_string()),
        Value::Float(number) => text.push_str(&float(*number)),
        Value::Boolean(boolean) => text.push_str(if *boolean { "true" } else { "false" }),
        Value::List(nodes) => {
            let write_element = |element: &Node, text: &mut String| write(element, text);
            between(nodes, ('[', ']'), text, write_element);
        }
        Value::Table(entries) => between(entries, ('{', '}'), text, |entry, text| {
            write_text(&entry.key, text);
            text.push(':');
            write(&entry.node, text);
        }),
    }
}

fn between<T>(items: &[T], brackets: (char, char), text: &mut String, write: impl Fn(&T, &mut String)) {
    text.push(brackets.0);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        write(item, text);
    }
    text.push(brackets.1);
}

fn write_text(value: &str, text: &mut String) {
    text.push('"');
    for character in value.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            control if control < ' ' => text.push_str(&escape(control)),
            other => text.push(other),
        }
    }
    text.push('"');
}

/// `Debug` of a finite number is JSON: it has a point or an exponent, and reads back as the same number.
fn float(number: f64) -> String {
    format!("{number:?}")
}

fn escape(control: char) -> String {
    format!("\\u{:04x}", u32::from(control))
}

#[cfg(test)]
mod tests;
