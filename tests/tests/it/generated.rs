//! Pages that are written from the code: they may not be stale. `cargo xtask docs` writes them anew.

use crate::command::Folder;
use coldfront_tests::workspace;
use std::{env, fs};

#[test]
fn the_page_of_the_command_line_is_current() {
    let folder = Folder::new();
    let help = |arguments: &[&str]| folder.run(&[arguments, &["--help"]].concat()).stdout;
    let mut page = "# The command line\n\nWritten from `--help` by `cargo xtask docs`; do not edit.\n".to_owned();
    for command in ["", "run", "load", "target", "list", "check"] {
        let arguments: &[&str] = if command.is_empty() { &[] } else { &[command] };
        let name = ["coldfront", command].join(" ");
        page.extend(["\n## ", name.trim(), "\n\n```text\n", &without_blank_ends(&help(arguments)), "```\n"]);
    }
    is_current("docs/cli.md", &page);
}

/// Lines without blanks at their ends, which an editor would remove.
fn without_blank_ends(text: &str) -> String {
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// Compares a page with what it should be, or writes it if asked to.
fn is_current(name: &str, page: &str) {
    let path = workspace().join(name);
    if env::var_os("COLDFRONT_BLESS").is_some() {
        fs::write(&path, page).expect("the page is writable");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "{name} is stale: run `cargo xtask docs`");
}
