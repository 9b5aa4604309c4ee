//! When traffic jumps from nothing to a flood and back, do your cold-start protections hold?
//!
//! coldfront runs a scenario (load, target, expectations) and judges it, in virtual time or over real HTTP. This crate is its
//! face: a library for `cargo test`, and the command line (`coldfront --help`).
//!
//! ```
//! let text = r#"
//!     name = "a pool that is warm before the spike"
//!
//!     [[traffic]]
//!     name = "shoppers"
//!     timeout = "1s"
//!     mix = [{ get = "/items/{key}", keys = { count = 1000 } }]
//!     stage = [{ name = "quiet", for = "1s", rate = "0/s" }, { name = "spike", for = "1s", rate = "500/s" }]
//!
//!     [target.db]
//!     query = "4ms"
//!     pool = { kind = "deadpool", max = 20, connect = "30ms", warm_up = { kind = "prewarm", to = 20 } }
//!
//!     [expect]
//!     no-connects = "count(db.connects) == 0 during spike"
//!     fast = "p95(latency) <= 20ms during spike"
//! "#;
//! let judged = coldfront::Scenario::parse("warm-pool.toml", text)?.seed(7).simulate()?;
//! judged.assert();
//! assert_eq!(judged.measured("no-connects"), Some(0.0));
//! # Ok::<(), coldfront::Error>(())
//! ```
//!
//! A simulation is a value computed from file and seed: it needs no port, no runtime and no other thread, and as many as you
//! like may run side by side. [`Judged::assert`] panics with the expectations that do not hold, what was measured, and the
//! command that shows the same run again.

pub mod cli;
mod error;
mod judged;
mod scenario;

pub use coldfront_harness::Options;
pub use coldfront_report as report;
pub use coldfront_report::model::Judgement;
pub use coldfront_rt::Stop;
pub use coldfront_scenarios::{CatalogEntry, Mode, catalog};
pub use error::Error;
pub use judged::Judged;
pub use scenario::Scenario;
