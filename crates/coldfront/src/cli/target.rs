//! `target`: the mock service alone.

use super::arguments::Target as Flags;
use super::failure::Failure;
use super::terminal::print;
use super::{find, signal};
use crate::Error;
use coldfront_scenarios::Target;
use coldfront_verdict::Exit;
use std::net::TcpListener;

/// Serves until it is stopped.
pub(super) fn serve(flags: &Flags) -> Result<Exit, Failure> {
    let name = flags.file.as_deref().unwrap_or("burst-0-500-0".as_ref());
    let scenario = find::one(name)?;
    let unusable =
        |error| Failure::usage(format!("cannot listen on {}: {error}", flags.listen), "take another --listen");
    let listener = TcpListener::bind(flags.listen).map_err(unusable)?;
    let address = listener.local_addr().map_err(unusable)?;
    let stop = signal::watch()?;
    if let Target::Embedded(_) = scenario.resolved().target {
        print(&format!("listening on http://{address}\n"))?;
    }
    coldfront_harness::serve(scenario.resolved(), listener, stop).map_err(Error::from)?;
    Ok(Exit::Interrupted)
}
