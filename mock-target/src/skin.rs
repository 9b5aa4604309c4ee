//! HTTP over the target: a thin skin that live traffic passes and a simulation does not pay for.

mod admin;
mod answer;
mod calls;
mod metrics;
mod probes;
mod request;
mod serve;
mod server_timing;

pub use admin::AdminAccess;
pub use serve::serve;

use crate::target::Target;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{any, get, post};
use request::RequestIds;
use std::sync::Arc;

/// Bodies of requests, in bytes; longer ones are answered 413.
const BODY_MAX: usize = 64 * 1024;

/// What every handler works with.
#[derive(Clone, Debug)]
struct Skin {
    target: Target,
    ids: Arc<RequestIds>,
    admin: AdminAccess,
}

/// The routes of the target: its own five, `/healthz`, `/readyz`, `/metrics` and `/admin/*`.
///
/// Unknown paths are answered 404, unknown methods 405, both as JSON. Who may use `/admin/*` is told by the peer's address,
/// as axum's `ConnectInfo<SocketAddr>`; [`serve`] provides it.
pub fn router(target: Target, admin: AdminAccess) -> Router {
    let skin = Skin { target, ids: Arc::new(RequestIds::default()), admin };
    Router::new()
        .route("/catalog", get(calls::catalog))
        .route("/items/{key}", get(calls::item))
        .route("/import", post(calls::import))
        .route("/api/v1/feed", get(calls::feed))
        .route("/api/v1/seckill/order", post(calls::order))
        .route("/healthz", get(probes::health))
        .route("/readyz", get(probes::ready))
        .route("/metrics", get(metrics::metrics))
        .route("/admin/{*action}", any(admin::admin))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(DefaultBodyLimit::max(BODY_MAX))
        .with_state(skin)
}

async fn not_found() -> Response {
    answer::problem(StatusCode::NOT_FOUND, "there is no such path")
}

async fn method_not_allowed() -> Response {
    answer::problem(StatusCode::METHOD_NOT_ALLOWED, "this path does not take this method")
}

#[cfg(test)]
mod tests;
