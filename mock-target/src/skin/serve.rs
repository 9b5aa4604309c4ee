//! Accepting connections and serving them.

use super::{AdminAccess, router};
use crate::target::Target;
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use coldfront_rt::{Either, Rt, Stop, race};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt as _;

/// Connections at once; more wait in the listener's backlog.
const CONNECTIONS_MAX: u32 = 16_384;
/// Connections that may wait to be accepted; the system may allow fewer (`net.core.somaxconn`).
#[cfg(unix)]
const BACKLOG: i32 = 4096;
/// Pause after an accept that failed, which is nearly always for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);
/// How long requests under way have to end after a shutdown was requested.
const SHUTDOWN_TIME: Duration = Duration::from_secs(1);

/// A connection that was accepted, and its place among the [`CONNECTIONS_MAX`].
type Accepted = (TcpStream, SocketAddr, OwnedSemaphorePermit);

/// Serves on `listener` until `shutdown` is requested: HTTP/1.1 with keep-alive, on the live runtime of `rt`.
///
/// Connections are accepted at once; what they send waits until `cold` yields the target, so that clients may connect before
/// the run's time zero and still meet a target that was made at it. If it yields none, this returns.
///
/// After the request for shutdown no connection is accepted, requests under way have a second to end, and then this returns;
/// connections that are left end with the run.
///
/// # Errors
///
/// If the listener cannot be used at all. An accept that fails is tried again.
///
/// # Panics
///
/// Outside a live run.
pub async fn serve(
    rt: &Rt,
    listener: std::net::TcpListener,
    cold: impl Future<Output = Option<Target>>,
    admin: AdminAccess,
    shutdown: Stop,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    widen_backlog(&listener)?;
    let listener = TcpListener::from_std(listener)?;
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX as usize));
    let mut early = Vec::new();
    let mut cold = pin!(cold);
    let target = loop {
        let accepted = pin!(accept(rt, &listener, &places));
        match race(pin!(shutdown.requested()), race(cold.as_mut(), accepted)).await {
            Either::First(()) | Either::Second(Either::First(None)) => return Ok(()),
            Either::Second(Either::First(Some(target))) => break target,
            Either::Second(Either::Second(accepted)) => early.push(accepted),
        }
    };
    let router = router(target, admin);
    for accepted in early {
        start(rt, accepted, &router, &shutdown);
    }
    loop {
        let accepted = pin!(accept(rt, &listener, &places));
        match race(pin!(shutdown.requested()), accepted).await {
            Either::First(()) => break,
            Either::Second(accepted) => start(rt, accepted, &router, &shutdown),
        }
    }
    // Whether all have ended or their time has: there is nothing else to do about them.
    let _ = rt.timeout_at(rt.now() + SHUTDOWN_TIME, places.acquire_many(CONNECTIONS_MAX)).await;
    Ok(())
}

/// The standard library listens with room for 128 connections that nobody has accepted yet. A flood of connects overflows that,
/// and the client's system tries again a second later: a cold start that is not the target's. Listening again widens it.
#[cfg(unix)]
fn widen_backlog(listener: &std::net::TcpListener) -> io::Result<()> {
    Ok(rustix::net::listen(listener, BACKLOG)?)
}

#[cfg(not(unix))]
fn widen_backlog(_: &std::net::TcpListener) -> io::Result<()> {
    Ok(())
}

/// The next connection.
///
/// # Cancel safety
///
/// Dropping it loses no connection.
async fn accept(rt: &Rt, listener: &TcpListener, places: &Arc<Semaphore>) -> Accepted {
    let place = Arc::clone(places).acquire_owned().await.expect("the semaphore is never closed");
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, peer, place),
            Err(_) => rt.sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// Serves a connection in a task of its own.
fn start(rt: &Rt, (stream, peer, place): Accepted, router: &Router, shutdown: &Stop) {
    let connection = connection(stream, peer, router.clone(), shutdown.clone());
    rt.spawn("connection", async move {
        connection.await;
        drop(place);
    });
}

/// Serves one connection to its end. A client that closes it drops the handler of its request, and with it the call.
async fn connection(stream: TcpStream, peer: SocketAddr, router: Router, shutdown: Stop) {
    // Only latency is lost if the option cannot be set.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request)
    });
    let mut connection = pin!(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    // What ends a connection early (a reset, a malformed request) concerns its client alone.
    if let Either::Second(()) = race(connection.as_mut(), pin!(shutdown.requested())).await {
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}
