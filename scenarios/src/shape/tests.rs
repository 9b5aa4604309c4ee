//! The declarations hold what they promise.

use super::*;
use crate::file::ScenarioFile;
use crate::source::Source;
use crate::tree::parse_value;

fn every_table(schema: &Schema, visit: &mut dyn FnMut(&TableSchema)) {
    match schema {
        Schema::Table(table) => {
            visit(table);
            table.fields.iter().for_each(|field| every_table(&field.schema, visit));
        }
        Schema::Kinds { kinds, .. } => {
            for kind in kinds {
                every_table(&Schema::Table(kind.table.clone()), visit);
            }
        }
        Schema::List { of, .. } | Schema::Map { of, .. } => every_table(of, visit),
        Schema::OneOf { of, .. } => of.iter().for_each(|schema| every_table(schema, visit)),
        _ => {}
    }
}

#[test]
fn every_default_is_toml_and_every_key_is_declared_once() {
    let mut tables = 0;
    every_table(&Schema::Table(ScenarioFile::table_schema()), &mut |table| {
        tables += 1;
        let mut keys: Vec<&str> = table.fields.iter().map(|field| field.key).collect();
        keys.extend(table.later.iter().map(|later| later.name));
        keys.extend(table.instead.iter().map(|instead| instead.key));
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count, "{}", table.about);
        for field in &table.fields {
            assert!(field.about.ends_with('.'), "{}: {:?} is a sentence", field.key, field.about);
            if let Presence::Default(value) = field.presence {
                assert!(parse_value(value).is_some(), "{}: {value}", field.key);
            }
        }
        for preset in &table.presets {
            assert!(parse_value(preset.toml).is_some(), "{}", preset.name);
        }
    });
    assert!(tables > 30, "the walk reaches the tables: {tables}");
}

/// Every preset fits its table, up to the keys that only the user can know.
#[test]
fn every_preset_decodes() {
    use crate::file::{ColdFile, NetworkFile, PoolFile};
    fn decoded<T: Table>(rest: &str) -> usize {
        let presets = T::table_schema().presets;
        for preset in &presets {
            let text = format!("{{ preset = \"{}\"{rest} }}", preset.name);
            let mut problems = Problems::new(Source::new("test", &text));
            let node = parse_value(&text).expect("TOML");
            let table = nested::<T>().decode(&node, "preset", &mut problems);
            assert!(table.is_some(), "{text}: {}", problems.finish::<()>(None).expect_err("a problem").plain());
        }
        presets.len()
    }
    assert_eq!(decoded::<PoolFile>(", max = 5"), 4);
    assert_eq!((decoded::<NetworkFile>(""), decoded::<ColdFile>("")), (3, 1));
}

#[test]
fn suggestions_are_near_or_absent() {
    let known = ["latency", "lateness", "db.queries"];
    assert_eq!(nearest("latencyy", known), Some("latency"));
    assert_eq!(nearest("LATENCY", known), Some("latency"));
    assert_eq!(nearest("xyz", known), None);
    assert_eq!(nearest(&"latency".repeat(100), known), None);
    assert_eq!(suggestion("x", ["a", "a", "b"]), "accepted: `a` or `b`");
    assert_eq!(suggestion("x", []), "there is none");
}
