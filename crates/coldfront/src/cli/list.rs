//! `list`: the scenarios that come with coldfront.

use super::failure::Failure;
use super::terminal::print;
use crate::{CatalogEntry, catalog};
use coldfront_verdict::Exit;

/// One line each: the name and a sentence about it.
pub(super) fn list() -> Result<Exit, Failure> {
    let width = catalog().iter().map(|shipped| shipped.name.len()).max().unwrap_or(0);
    let line = |shipped: &CatalogEntry| format!("{:width$}  {}\n", shipped.name, shipped.about);
    print(&catalog().iter().map(line).collect::<String>())?;
    Ok(Exit::Holds)
}
