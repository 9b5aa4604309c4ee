//! The wire: a lean HTTP/1.1 client over TCP.
//!
//! It does what a load generator needs and no more. Requests are rendered once per route and patched; one write sends a
//! request, one read usually receives the answer; the body is counted and thrown away; nothing is pipelined, and nothing
//! waits for Nagle's algorithm. That is why it is not hyper's client: the same loop over hyper costs a quarter more
//! processor time per request than a raw socket, and a generator's own cost is what it adds to every latency.
//!
//! It carries `http` only. It follows no redirect, keeps no cookie and speaks through no proxy.

mod chunked;
mod connection;
mod response;
mod template;
#[cfg(test)]
mod tests;
mod timing;
mod url;

pub use connection::Connection;
pub use template::RouteError;
pub use url::UrlError;

use crate::transport::{Exchange, Request, Transport, TransportError};
use coldfront_rt::Rt;
use coldfront_scenarios::Scenario;
use std::future::poll_fn;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use template::Template;
use tokio::net::TcpStream;
use url::Url;

/// An HTTP/1.1 client for the routes of one scenario and one target. Clones share everything.
#[derive(Clone, Debug)]
pub struct Http {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    rt: Rt,
    /// In the order in which they are tried; at least one.
    addresses: Vec<SocketAddr>,
    /// Per stream and route.
    templates: Vec<Vec<Template>>,
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The target's address cannot be used.
    #[error("target url \"{url}\"")]
    Url {
        /// As it was given.
        url: String,
        /// Why.
        #[source]
        source: UrlError,
    },
    /// The target's name has no address.
    #[error("no address for host \"{host}\"")]
    Resolve {
        /// The name.
        host: String,
        /// Why, if the system said.
        #[source]
        source: io::Error,
    },
    /// A route cannot be sent.
    #[error("a route cannot be sent")]
    Route(#[from] RouteError),
}

// === impl Http ===

impl Http {
    /// The client for the routes of `scenario` at `url`: `http://host[:port][/prefix]`, where the prefix goes before every
    /// path. Names are resolved here, once, and this waits for it.
    ///
    /// # Errors
    /// If the address cannot be parsed (`https` is not supported) or resolved, or a route has characters that would break
    /// the request.
    pub fn new(rt: Rt, url: &str, scenario: &Scenario) -> Result<Self, HttpError> {
        let parsed = Url::parse(url).map_err(|source| HttpError::Url { url: url.to_owned(), source })?;
        let templates = scenario.traffic.iter().map(|traffic| {
            traffic.mix.iter().map(|route| Template::new(route, &parsed.authority, &parsed.prefix)).collect()
        });
        let templates = templates.collect::<Result<Vec<Vec<_>>, _>>()?;
        let addresses = resolve(&parsed).map_err(|source| HttpError::Resolve { host: parsed.host, source })?;
        Ok(Self { shared: Arc::new(Shared { rt, addresses, templates }) })
    }
}

fn resolve(url: &Url) -> io::Result<Vec<SocketAddr>> {
    let addresses: Vec<SocketAddr> = (url.host.as_str(), url.port).to_socket_addrs()?.collect();
    if addresses.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "the name exists and has no address"));
    }
    Ok(addresses)
}

impl Transport for Http {
    type Connection = Connection;

    async fn connect(&self) -> Result<Connection, TransportError> {
        let mut error = TransportError::Refused;
        for address in &self.shared.addresses {
            match TcpStream::connect(address).await {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    return Ok(Connection::new(stream));
                }
                Err(refusal) => error = refusal.into(),
            }
        }
        Err(error)
    }

    async fn exchange(&self, connection: &mut Connection, request: &Request) -> Result<Exchange, TransportError> {
        let template = &self.shared.templates[usize::from(request.traffic)][usize::from(request.route)];
        connection.begin(template, request.id, request.key);
        poll_fn(|cx| connection.poll_exchange(&self.shared.rt, cx)).await
    }

    async fn closed(&self, connection: &mut Connection) {
        poll_fn(|cx| connection.poll_closed(cx)).await;
    }
}
