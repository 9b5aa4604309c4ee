//! JSON against the library that everybody reads it with.

use super::*;
use proptest::prelude::*;

#[test]
fn keys_keep_their_order_and_texts_are_escaped() {
    let node =
        crate::tree::parse_value("{ b = 1, a = [true, -2, 0.5, 1e30], c = { \"d\\n\\u0001\\\"\" = \"\\\\ é\" } }")
            .unwrap();
    assert_eq!(json(&node), r#"{"b":1,"a":[true,-2,0.5,1e30],"c":{"d\n\u0001\"":"\\ é"}}"#);
}

fn nodes() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        ".{0,12}".prop_map(Value::Text),
        any::<i64>().prop_map(|number| Value::Integer(number.into())),
        prop::num::f64::NORMAL.prop_map(Value::Float),
        any::<bool>().prop_map(Value::Boolean),
    ];
    let leaf = leaf.prop_map(|value| Node { span: 0..0, value });
    leaf.prop_recursive(4, 32, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List);
        let table = prop::collection::btree_map(".{0,6}", inner, 0..4).prop_map(|entries| {
            let entry = |(key, node)| crate::tree::Entry { key, key_span: 0..0, node };
            Value::Table(entries.into_iter().map(entry).collect())
        });
        prop_oneof![list, table].prop_map(|value| Node { span: 0..0, value })
    })
}

fn same(node: &Node, value: &serde_json::Value) -> bool {
    use serde_json::Value as Json;
    match (&node.value, value) {
        (Value::Text(text), Json::String(read)) => text == read,
        (Value::Integer(number), Json::Number(read)) => read.as_i64().map(i128::from) == Some(*number),
        (Value::Float(number), Json::Number(read)) => {
            read.as_f64().is_some_and(|read| (read - number).abs() <= number.abs() * 1e-15)
        }
        (Value::Boolean(boolean), Json::Bool(read)) => boolean == read,
        (Value::List(nodes), Json::Array(read)) => {
            nodes.len() == read.len() && nodes.iter().zip(read).all(|(node, read)| same(node, read))
        }
        (Value::Table(entries), Json::Object(read)) => {
            entries.len() == read.len()
                && entries.iter().all(|entry| read.get(&entry.key).is_some_and(|read| same(&entry.node, read)))
        }
        _ => false,
    }
}

proptest! {
    #[test]
    fn any_value_reads_back(node in nodes()) {
        let text = json(&node);
        let read: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        prop_assert!(same(&node, &read), "{}", text);
    }
}
