//! One run, end to end: a scenario goes in, a judged recording comes out.
//!
//! The harness is the one place where load and target meet. In `sim` it gives the generator a transport that calls the
//! target in process, all on one virtual clock; in `live` it starts target and generator on a thread each, joined by real
//! TCP and one monotonic clock. What is recorded and how it is judged is the same in both.
//!
//! Architecture invariant: no policy of load, protection or verdict lives here; only the order in which they are set up.

mod error;
mod external;
mod in_process;
mod options;
mod real;
mod run;
mod serve;
mod simulated;
mod threads;
mod timeline;

pub use error::HarnessError;
pub use external::READY_LIMIT;
pub use options::Options;
pub use run::{Run, run};
pub use serve::serve;
