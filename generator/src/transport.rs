//! The seam between the load and the wire: how one request travels.

use coldfront_clock::Instant;
use coldfront_measure::ColdCosts;
use std::future::Future;
use std::io;

/// A way to the target: the wire, by a client of HTTP/1.1, or a call in process.
///
/// A transport knows the scenario's routes from its construction, so that a request is a few numbers.
pub trait Transport: Clone + Send + Sync + 'static {
    /// An open connection; it carries one request at a time, and dropping it closes it.
    type Connection: Send + 'static;

    /// Opens a connection.
    fn connect(&self) -> impl Future<Output = Result<Self::Connection, TransportError>> + Send;

    /// Sends `request` and receives the answer to its last byte.
    ///
    /// # Cancel safety
    /// A dropped exchange leaves the connection in an unknown state: the caller closes it.
    fn exchange(
        &self,
        connection: &mut Self::Connection,
        request: &Request,
    ) -> impl Future<Output = Result<Exchange, TransportError>> + Send;

    /// Completes when the other side closes a connection that carries no request. By default it never does.
    ///
    /// # Cancel safety
    /// Dropping it leaves the connection as it is.
    fn closed(&self, connection: &mut Self::Connection) -> impl Future<Output = ()> + Send {
        let _ = connection;
        std::future::pending()
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The stream: an index into the scenario's traffic.
    pub traffic: u16,
    /// The route: an index into the stream's mix.
    pub route: u16,
    /// The request's id, unique in the run; the same for every attempt.
    pub id: u64,
    /// The key, if the route has one.
    pub key: u64,
}

/// An answer that was received to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The status.
    pub status: u16,
    /// When the first byte was received.
    pub first_byte_at: Instant,
    /// When the last byte was received.
    pub completed_at: Instant,
    /// What the target says was paid because something was cold.
    pub cold: ColdCosts,
    /// Whether the connection can carry another request.
    pub reusable: bool,
}

/// Why there is no answer. The connection is of no further use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// Nobody listens there.
    #[error("connection refused")]
    Refused,
    /// Connecting took longer than the limit.
    #[error("connecting took too long")]
    ConnectTimedOut,
    /// A connection that was not opened for this request ended before the first byte of an answer, and the request may be
    /// repeated: it lost the race with the other side's idle timeout.
    #[error("idle connection was closed by the other side")]
    Stale,
    /// The other side reset the connection.
    #[error("connection reset")]
    Reset,
    /// The other side closed the connection before the answer was complete.
    #[error("connection closed before the answer was complete")]
    ClosedEarly,
    /// The answer breaks the protocol.
    #[error("malformed answer: {0}")]
    Malformed(&'static str),
    /// The answer is larger than the client accepts.
    #[error("answer too large: {0}")]
    TooLarge(&'static str),
    /// This process may open no more files.
    #[error("out of file descriptors: raise the limit on open files (`ulimit -n`) or lower `connections.max`")]
    NoDescriptors,
    /// Every local port is taken, many of them by connections that were closed a moment ago.
    #[error("out of local ports: the target closes connections faster than their ports become free again")]
    NoPorts,
    /// Any other failure of the system's.
    #[error("{0}")]
    Io(io::ErrorKind),
}

// === impl TransportError ===

/// `ENFILE` and `EMFILE` on Linux, the BSDs and macOS; the standard library has no name for them.
const OUT_OF_FILES: [i32; 2] = [23, 24];

impl From<io::Error> for TransportError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            _ if cfg!(unix) && error.raw_os_error().is_some_and(|code| OUT_OF_FILES.contains(&code)) => {
                Self::NoDescriptors
            }
            io::ErrorKind::AddrNotAvailable => Self::NoPorts,
            io::ErrorKind::ConnectionRefused => Self::Refused,
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionAborted => {
                Self::Reset
            }
            kind => Self::Io(kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn failures_of_the_system_are_told_apart() {
        for (error, expected) in [
            (io::Error::from_raw_os_error(24), TransportError::NoDescriptors),
            (io::ErrorKind::AddrNotAvailable.into(), TransportError::NoPorts),
            (io::ErrorKind::ConnectionRefused.into(), TransportError::Refused),
            (io::ErrorKind::BrokenPipe.into(), TransportError::Reset),
            (io::ErrorKind::HostUnreachable.into(), TransportError::Io(io::ErrorKind::HostUnreachable)),
        ] {
            assert_eq!(TransportError::from(error), expected);
        }
    }
}
