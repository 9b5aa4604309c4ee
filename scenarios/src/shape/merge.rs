//! `preset = "name"`: the named values under the user's own.

use super::{Presence, Schema, TableSchema, suggestion, wrong_type};
use crate::error::{Code, Finding, Problems};
use crate::quantity::clip;
use crate::source::Span;
use crate::tree::{Entry, Node, Value, parse_value};

/// `node` with the preset it names, if any, merged under it and the key `preset` taken out.
pub(crate) fn with_preset(node: &Node, schema: &TableSchema, problems: &mut Problems) -> Option<Node> {
    let (Value::Table(entries), false) = (&node.value, schema.presets.is_empty()) else { return Some(node.clone()) };
    let Some(named) = entries.iter().find(|entry| entry.key == "preset") else { return Some(node.clone()) };
    let Value::Text(name) = &named.node.value else {
        let example = format!("preset = \"{}\"", schema.presets[0].name);
        return problems.add(wrong_type(&named.node, "preset", "a name", &example));
    };
    let Some(preset) = schema.presets.iter().find(|preset| preset.name == name) else {
        let names = schema.presets.iter().map(|preset| preset.name);
        return problems.add(
            Finding::new(Code::UnknownName, &named.node.span, format!("there is no preset `{}` here", clip(name)))
                .help(suggestion(name, names)),
        );
    };
    let base = parse_value(preset.toml).expect("presets are TOML, which a test checks");
    let own: Vec<Entry> = entries.iter().filter(|entry| entry.key != "preset").cloned().collect();
    let own = Node { span: node.span.clone(), value: Value::Table(own) };
    Some(merge(&moved(base, &named.node.span), &own, &Schema::Table(schema.clone())))
}

/// `over` laid over `base`, key by key; where they name different kinds, `base` is discarded with all its keys.
fn merge(base: &Node, over: &Node, schema: &Schema) -> Node {
    let (Value::Table(below), Value::Table(above)) = (&base.value, &over.value) else { return over.clone() };
    let Some(keys) = keys_of(schema, base, over) else { return over.clone() };
    let mut merged: Vec<Entry> = Vec::with_capacity(below.len() + above.len());
    for entry in below {
        let laid = match (above.iter().find(|own| own.key == entry.key), keys.get(&entry.key)) {
            (Some(own), Some(schema)) => Entry { node: merge(&entry.node, &own.node, schema), ..own.clone() },
            (Some(own), None) => own.clone(),
            (None, _) => entry.clone(),
        };
        merged.push(laid);
    }
    merged.extend(above.iter().filter(|own| base.get(&own.key).is_none()).cloned());
    Node { span: over.span.clone(), value: Value::Table(merged) }
}

/// The schemas of the keys that merge one by one; `None` if the value is replaced as a whole.
fn keys_of(schema: &Schema, base: &Node, over: &Node) -> Option<std::collections::BTreeMap<String, Schema>> {
    let mut keys = std::collections::BTreeMap::new();
    let table = match schema {
        Schema::Table(table) => table.clone(),
        Schema::Kinds { tag, kinds, .. } => {
            let kind = over.get(tag).or_else(|| base.get(tag)).and_then(Node::text)?;
            kinds.iter().find(|candidate| candidate.name == kind)?.table.clone()
        }
        _ => return None,
    };
    let tags: Vec<&str> = if let Schema::Kinds { tag, .. } = schema {
        vec![*tag]
    } else {
        let flattened = table.fields.iter().filter(|field| field.presence == Presence::Flattened);
        flattened.map(|field| field.key).chain(["kind"]).collect()
    };
    let changes =
        |tag: &&str| over.get(tag).is_some_and(|own| Some(&own.value) != base.get(tag).map(|node| &node.value));
    if tags.iter().any(changes) {
        return None;
    }
    for field in table.fields {
        keys.insert(field.key.to_owned(), field.schema);
    }
    Some(keys)
}

/// The same tree, standing at `span` throughout: a problem in a preset points at its name.
fn moved(node: Node, span: &Span) -> Node {
    let value = match node.value {
        Value::List(nodes) => Value::List(nodes.into_iter().map(|node| moved(node, span)).collect()),
        Value::Table(entries) => Value::Table(
            entries
                .into_iter()
                .map(|entry| Entry { key_span: span.clone(), node: moved(entry.node, span), ..entry })
                .collect(),
        ),
        value => value,
    };
    Node { span: span.clone(), value }
}

#[cfg(test)]
mod tests;
