//! The integration tests, one binary: a module per phenomenon.
#![expect(clippy::float_cmp, reason = "the simulator is exact: equality is what these tests ask for")]

mod accounting;
mod bad_input;
mod catalogue;
mod cli;
mod command;
mod determinism;
mod generated;
mod layers;
mod library;
mod limiter_windows;
mod oracle;
mod parity;
mod pool_warm_up;
mod queue_buffering;
mod readme;
mod support;
mod tidy;
