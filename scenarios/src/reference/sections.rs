//! The tables of the file format as sections: one walk over the schema, each table once.

use super::row;
use crate::shape::words::{meaning, presence, value};
use crate::shape::{KindSchema, Later, Schema, TableSchema};
use std::collections::{BTreeMap, VecDeque};

/// A page under construction.
#[derive(Debug, Default)]
pub(super) struct Page {
    text: String,
    /// Forms that were mentioned, by name.
    forms: BTreeMap<&'static str, Schema>,
}

/// The tables that were mentioned.
#[derive(Default)]
struct Found {
    /// Those without a section yet, in the order of their mention.
    pending: Vec<Pending>,
    /// The header of the section of each, by its sentence: the same table may stand at several places.
    headers: BTreeMap<&'static str, String>,
}

/// A table that waits for its section.
struct Pending {
    /// As the header of the file: `[[traffic.stage]]`.
    header: String,
    path: String,
    schema: Schema,
}

impl Page {
    pub(super) fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn heading(&mut self, level: usize, heading: &str) {
        self.text(&format!("{} {heading}\n\n", "#".repeat(level)));
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// The top table and every table in it.
    pub(super) fn tables(&mut self, top: &TableSchema) {
        self.text(&format!("{}\n\n", top.about));
        let mut found = Found::default();
        self.fields(top, "", &mut found);
        self.sections(3, found);
    }

    /// The sections of tables that were found, each followed by those of the tables in it.
    fn sections(&mut self, level: usize, mut found: Found) {
        let mut pending: VecDeque<Pending> = found.pending.drain(..).collect();
        while let Some(next) = pending.pop_front() {
            self.heading(level, &format!("`{}`", next.header));
            self.section(&next.path, &next.schema, &mut found);
            for inner in found.pending.drain(..).rev() {
                pending.push_front(inner);
            }
        }
    }

    /// Every form that was mentioned; a form may mention others.
    pub(super) fn forms(&mut self) {
        let mut written = Vec::new();
        while let Some((name, schema)) = self.forms.iter().find(|(name, _)| !written.contains(*name)) {
            let (name, schema) = (*name, schema.clone());
            written.push(name);
            self.form(name, &schema);
        }
    }

    fn form(&mut self, name: &str, schema: &Schema) {
        let Schema::OneOf { about, of, .. } = schema else { return };
        self.heading(3, &capitalised(name));
        self.text(&format!("{about}\n\n"));
        let mut found = Found::default();
        for form in of {
            match form {
                Schema::Table(table) => {
                    self.text(&format!("**{{ {} }}**\n\n{}\n\n", keys(table), table.about));
                    self.fields(table, "", &mut found);
                }
                Schema::Any => {}
                plain => {
                    let plain = self.value(plain, "", &mut found);
                    self.text(&format!("**{}**\n\n", capitalised(&plain)));
                }
            }
        }
        self.sections(4, found);
    }

    fn section(&mut self, path: &str, schema: &Schema, found: &mut Found) {
        match schema {
            Schema::Table(table) => {
                self.text(&format!("{}\n\n", table.about));
                self.fields(table, path, found);
            }
            Schema::Kinds { tag, kinds, later, about } => {
                self.text(&format!("{about} `{tag}` says which:\n\n"));
                self.kinds(tag, kinds, path, found);
                self.later(later);
            }
            _ => {}
        }
    }

    fn kinds(&mut self, tag: &str, kinds: &[KindSchema], path: &str, found: &mut Found) {
        for kind in kinds {
            self.text(&format!("**`{tag} = \"{}\"`** {}\n\n", kind.name, kind.about));
            self.fields(&kind.table, path, found);
        }
    }

    /// The keys of a table, then what it does not have yet, then its presets.
    fn fields(&mut self, table: &TableSchema, path: &str, found: &mut Found) {
        if !table.fields.is_empty() {
            self.text(&(row(&["key", "value", "default", "meaning"]) + &row(&["---"; 4])));
        }
        let mut flattened = None;
        for field in &table.fields {
            let path = if path.is_empty() { field.key.to_owned() } else { format!("{path}.{}", field.key) };
            let (value, meaning) = match &field.schema {
                Schema::Kinds { tag, kinds, later, .. } if *tag == field.key => {
                    flattened = Some((tag, kinds, later));
                    let kinds: Vec<String> = kinds.iter().map(|kind| format!("`\"{}\"`", kind.name)).collect();
                    (kinds.join(", "), format!("{} The other keys depend on it:", field.about))
                }
                schema => (self.value(schema, &path, found), meaning(field.about, schema)),
            };
            self.text(&row(&[&format!("`{}`", field.key), &value, &presence(field.presence), &meaning]));
        }
        if !table.fields.is_empty() {
            self.text("\n");
        }
        if let Some((tag, kinds, later)) = flattened {
            self.kinds(tag, kinds, path, found);
            self.later(later);
        }
        self.later(&table.later);
        self.presets(table);
    }

    fn later(&mut self, later: &[Later]) {
        if !later.is_empty() {
            let names: Vec<String> = later.iter().map(|later| format!("`{}`", later.name)).collect();
            self.text(&format!("Not in this version, and refused with the reason: {}.\n\n", names.join(", ")));
        }
    }

    fn presets(&mut self, table: &TableSchema) {
        if table.presets.is_empty() {
            return;
        }
        self.text("Presets, for `preset = \"name\"`:\n\n");
        self.text(&(row(&["preset", "values", "what"]) + &row(&["---"; 3])));
        for preset in &table.presets {
            self.text(&row(&[&format!("`{}`", preset.name), &format!("`{}`", preset.toml), preset.about]));
        }
        self.text("\n");
    }

    /// A value in words; a table gets its section later, a form its own, unless it has one.
    fn value(&mut self, schema: &Schema, path: &str, found: &mut Found) -> String {
        let is_list = matches!(schema, Schema::List { .. });
        value(schema, &mut |schema| match schema {
            Schema::OneOf { name, .. } => {
                self.forms.entry(name).or_insert_with(|| schema.clone());
                format!("[{name}](#{})", anchor(name))
            }
            Schema::Table(TableSchema { about, .. }) | Schema::Kinds { about, .. } => {
                let header = if is_list { format!("[[{path}]]") } else { format!("[{path}]") };
                let section = found.headers.entry(about).or_insert_with(|| {
                    found.pending.push(Pending {
                        header: header.clone(),
                        path: path.to_owned(),
                        schema: schema.clone(),
                    });
                    header.clone()
                });
                format!("[`{header}`](#{})", anchor(section))
            }
            _ => String::new(),
        })
    }
}

/// The keys of a form, as in a file.
fn keys(table: &TableSchema) -> String {
    table.fields.iter().map(|field| field.key).collect::<Vec<_>>().join(", ")
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

/// The anchor that Markdown viewers give a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}
