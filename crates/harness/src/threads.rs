//! Threads with a name, whose panic is an error of the run.

use crate::HarnessError;
use std::thread::{Builder, JoinHandle};

pub(crate) fn start<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, HarnessError> {
    let thread = Builder::new().name(name.to_owned()).spawn(work);
    thread.map_err(|error| HarnessError::Panicked(format!("no thread could be started: {error}")))
}

pub(crate) fn join<T>(thread: JoinHandle<T>) -> Result<T, HarnessError> {
    thread.join().map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        HarnessError::Panicked(text.unwrap_or_else(|| "without a message".to_owned()))
    })
}
