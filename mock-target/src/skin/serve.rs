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
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tower::ServiceExt as _;

/// Connections at once; more wait in the listener's backlog.
const CONNECTIONS_MAX: u32 = 16_384;
/// Pause after an accept that failed, which is nearly always for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);
/// How long requests under way have to end after a shutdown was requested.
const SHUTDOWN_TIME: Duration = Duration::from_secs(1);

/// Serves `target` on `listener` until `shutdown` is requested: HTTP/1.1 with keep-alive, on the live runtime of `rt`.
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
    target: Target,
    admin: AdminAccess,
    shutdown: Stop,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let router = router(target, admin);
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX as usize));
    loop {
        let accept = pin!(async {
            let place = Arc::clone(&places).acquire_owned().await.expect("the semaphore is never closed");
            (listener.accept().await, place)
        });
        match race(pin!(shutdown.requested()), accept).await {
            Either::First(()) => break,
            Either::Second((Ok((stream, peer)), place)) => {
                let connection = connection(stream, peer, router.clone(), shutdown.clone());
                rt.spawn("connection", async move {
                    connection.await;
                    drop(place);
                });
            }
            Either::Second((Err(_), _)) => rt.sleep(ACCEPT_PAUSE).await,
        }
    }
    // Whether all have ended or their time has: there is nothing else to do about them.
    let _ = rt.timeout_at(rt.now() + SHUTDOWN_TIME, places.acquire_many(CONNECTIONS_MAX)).await;
    Ok(())
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
