//! What the integration tests share: where the workspace is and what it consists of.
//!
//! The tests themselves are the modules of `tests/it`, one binary, a module per phenomenon.

use cargo_metadata::{Metadata, MetadataCommand};
use std::fs;
use std::path::{Path, PathBuf};

/// The root of the workspace.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies directly under the workspace")
}

/// What cargo knows of the workspace's own packages, without resolving their dependencies.
///
/// # Panics
/// If cargo cannot say.
pub fn packages() -> Metadata {
    let manifest = workspace().join("Cargo.toml");
    MetadataCommand::new().manifest_path(manifest).no_deps().exec().expect("the workspace is readable by cargo")
}

/// Every file of the workspace with this extension, sorted; build output and hidden folders apart.
///
/// # Panics
/// If a folder cannot be read.
pub fn files(extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![workspace().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("folders of the workspace are readable") {
            let path = entry.expect("as above").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() && !name.starts_with('.') && name != "target" {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
