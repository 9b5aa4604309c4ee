//! The integration tests, one binary: a module per phenomenon.

mod layers;
mod tidy;
