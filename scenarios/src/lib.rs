//! The scenario language: what a file may say and what it means.
//!
//! `file.toml → Scenario`. This crate parses with source positions, resolves defaults and names, checks what can be checked
//! without a run, and holds the [registry of series](Series) that recorder, verdict and reports share.
//!
//! Architecture invariant: no clock, no wait, no draw, no I/O but reading the named file; it knows nothing of how a
//! scenario is run.

mod builder;
mod catalog;
pub mod error;
pub mod expectation;
mod file;
mod model;
mod overrides;
mod parse;
pub mod quantity;
mod reference;
mod resolve;
pub mod routes;
pub mod series;
mod shape;
mod source;
mod tree;

pub use builder::Builder;
pub use catalog::{CatalogEntry, catalog};
pub use error::{Code, Problem, ScenarioError};
pub use expectation::{Expectation, Outcome, Scope};
pub use model::*;
pub use parse::LARGEST_FILE;
pub use reference::reference;
pub use routes::RouteKind;
pub use series::{Kind, Series, Side};
pub use source::Position;
