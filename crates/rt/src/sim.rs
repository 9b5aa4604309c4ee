//! Virtual time: a single-thread executor whose clock jumps to the next deadline whenever nothing is runnable.

mod core;
mod error;
mod run;
mod tasks;

pub(crate) use self::core::Token;
pub use error::SimError;
pub use run::run;
pub(crate) use tasks::Key;

#[cfg(test)]
mod tests;
