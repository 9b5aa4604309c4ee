//! The `deadpool` crate, unmodified, as a kind of pool.
//!
//! A semaphore with one permit per connection, first in first out; an acquire that holds a permit takes the connection that
//! has been idle longest, or opens one itself. deadpool's own timeouts need a runtime of its choice, so it has none: the
//! deadline is set from outside, and it covers the wait and the connect together.

use super::server::{ConnectRefused, Opened, Server};
use deadpool::managed::{Manager, Metrics, Object, Pool, PoolError, RecycleResult};
use std::sync::Arc;
use std::time::Duration;

/// Connections that one pool can be asked to hold at most: deadpool reserves memory for all of them at once.
const CONNECTIONS_MAX: u32 = 100_000;

#[derive(Debug)]
pub(super) struct DeadpoolKind {
    pool: Pool<Connections>,
    server: Arc<Server>,
}

/// What deadpool asks for connections.
#[derive(Debug)]
struct Connections(Arc<Server>);

/// What deadpool keeps.
#[derive(Debug)]
struct Connection {
    opened: Opened,
    /// How long the acquire waited that it was opened for.
    opening: Duration,
    /// Whether nobody has used it yet.
    is_new: bool,
}

/// A connection in use.
#[derive(Debug)]
pub(crate) struct DeadpoolLease<'a> {
    server: &'a Server,
    /// Present until the drop.
    object: Option<Object<Connections>>,
}

impl Manager for Connections {
    type Type = Connection;
    type Error = ConnectRefused;

    async fn create(&self) -> Result<Connection, ConnectRefused> {
        let asked = self.0.rt.now();
        let opened = self.0.open_for_acquire().await?;
        Ok(Connection { opened, opening: self.0.rt.now().since(asked), is_new: true })
    }

    async fn recycle(&self, _connection: &mut Connection, _metrics: &Metrics) -> RecycleResult<ConnectRefused> {
        Ok(())
    }
}

impl DeadpoolKind {
    /// An empty pool of at most `max` connections.
    pub(super) fn new(server: Arc<Server>, max: u32) -> Self {
        let pool = Pool::builder(Connections(Arc::clone(&server))).max_size(max.min(CONNECTIONS_MAX) as usize).build();
        Self { pool: pool.expect("only a timeout could need a runtime, and none is set"), server }
    }

    /// A connection, waiting as long as it takes. The books of the server know it as in use, unless it was an idle one.
    pub(super) async fn get(&self) -> Result<DeadpoolLease<'_>, ConnectRefused> {
        match self.pool.get().await {
            Ok(object) => Ok(DeadpoolLease { server: &self.server, object: Some(object) }),
            Err(PoolError::Backend(refused)) => Err(refused),
            Err(error) => unreachable!("without timeouts, hooks and close there is no other error: {error:?}"),
        }
    }

    /// Drops the idle connections, and counts them.
    pub(super) fn drop_idle(&self) -> u32 {
        self.pool.retain(|_, _| false).removed.len() as u32
    }
}

impl DeadpoolLease<'_> {
    /// Whether the connection was an idle one. Right only once, at the beginning of a lease.
    pub(super) fn begin(&mut self) -> bool {
        let connection = self.object.as_mut().expect("the object is there until the drop");
        !std::mem::replace(&mut connection.is_new, false)
    }

    /// How long the acquire waited for this connection to be opened.
    pub(super) fn take_opening(&mut self) -> Duration {
        let connection = self.object.as_mut().expect("the object is there until the drop");
        std::mem::take(&mut connection.opening)
    }
}

impl Drop for DeadpoolLease<'_> {
    fn drop(&mut self) {
        let Some(object) = self.object.take() else { return };
        if !self.server.give_back(object.opened) {
            drop(Object::take(object));
        }
    }
}
