//! Liveness and readiness.

use super::{Skin, answer};
use crate::gateway::COME_BACK;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::Response;

/// Alive as long as it answers.
pub(super) async fn health() -> Response {
    answer::json_text(StatusCode::OK, r#"{"alive":true}"#.to_owned())
}

/// 503 until a warm-up with a gate is done.
pub(super) async fn ready(State(skin): State<Skin>) -> Response {
    if skin.target.is_ready() {
        return answer::json_text(StatusCode::OK, r#"{"ready":true}"#.to_owned());
    }
    let mut response = answer::json_text(StatusCode::SERVICE_UNAVAILABLE, r#"{"ready":false}"#.to_owned());
    response.headers_mut().insert(RETRY_AFTER, answer::retry_after(COME_BACK));
    response
}
