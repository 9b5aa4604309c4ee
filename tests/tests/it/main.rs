//! The integration tests, one binary: a module per phenomenon.
#![expect(clippy::float_cmp, reason = "the simulator is exact: equality is what these tests ask for")]

mod accounting;
mod determinism;
mod layers;
mod limiter_windows;
mod oracle;
mod parity;
mod pool_warm_up;
mod queue_buffering;
mod support;
mod tidy;
