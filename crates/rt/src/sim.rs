//! Virtual time: a single-thread executor whose clock jumps to the next deadline whenever nothing is runnable.

mod core;
mod error;
mod run;
mod tasks;
mod token;
mod wakers;

pub use error::SimError;
pub use run::run;
pub(crate) use tasks::Key;
pub(crate) use token::Token;

#[cfg(test)]
mod tests;
