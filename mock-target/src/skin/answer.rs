//! Replies and problems as HTTP responses.

use super::server_timing;
use crate::call::Reply;
use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderName, RETRY_AFTER};
use axum::http::{HeaderValue, Response, StatusCode};
use serde_json::json;
use std::time::Duration;

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A reply of the target.
pub(super) fn reply(reply: &Reply) -> Response<Body> {
    let status = StatusCode::from_u16(reply.status).expect("the target answers with statuses that there are");
    let mut response = json_text(status, reply.body.to_json());
    let headers = response.headers_mut();
    if let Some(timing) = server_timing::header(&reply.cost).and_then(|timing| HeaderValue::try_from(timing).ok()) {
        headers.insert(SERVER_TIMING, timing);
    }
    if let Some(after) = reply.retry_after {
        headers.insert(RETRY_AFTER, retry_after(after));
    }
    response
}

/// Something that is wrong with a request, in words for its sender.
pub(super) fn problem(status: StatusCode, text: &str) -> Response<Body> {
    json_text(status, json!({ "error": text }).to_string())
}

/// `text` is JSON.
pub(super) fn json_text(status: StatusCode, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

/// Whole seconds, rounded up, and at least 1: a client that obeys does not come back too early.
pub(super) fn retry_after(after: Duration) -> HeaderValue {
    let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
    HeaderValue::from(seconds.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_rounded_up_and_never_zero() {
        let seconds = [0, 1, 999, 1000, 1001, 59_000].map(|millis| retry_after(Duration::from_millis(millis)));
        assert_eq!(seconds, ["1", "1", "1", "1", "2", "59"].map(HeaderValue::from_static));
    }
}
