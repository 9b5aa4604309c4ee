//! The five routes of the service itself.

use super::{Skin, answer};
use crate::RouteKind;
use crate::call::{Call, KeySource, OrderRequest};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;

pub(super) async fn catalog(State(skin): State<Skin>, headers: HeaderMap, uri: Uri) -> Response {
    read(skin, RouteKind::Catalog, &headers, &uri).await
}

pub(super) async fn item(State(skin): State<Skin>, headers: HeaderMap, uri: Uri) -> Response {
    read(skin, RouteKind::Item, &headers, &uri).await
}

pub(super) async fn feed(State(skin): State<Skin>, headers: HeaderMap, uri: Uri) -> Response {
    read(skin, RouteKind::Feed, &headers, &uri).await
}

/// The body is taken and ignored.
pub(super) async fn import(State(skin): State<Skin>, headers: HeaderMap, _body: Bytes) -> Response {
    call(skin, RouteKind::Import, &headers, 0, 1).await
}

pub(super) async fn order(State(skin): State<Skin>, headers: HeaderMap, body: Bytes) -> Response {
    match OrderRequest::parse(&body) {
        Ok(order) => call(skin, RouteKind::Order, &headers, order.sku_id, order.quantity).await,
        Err(error) => answer::problem(StatusCode::BAD_REQUEST, &error),
    }
}

async fn read(skin: Skin, route: RouteKind, headers: &HeaderMap, uri: &Uri) -> Response {
    let target = uri.path_and_query().map_or(uri.path(), |target| target.as_str());
    match KeySource::of(target) {
        KeySource::Fixed(key) => call(skin, route, headers, key, 1).await,
        KeySource::Drawn | KeySource::Unreadable => {
            answer::problem(StatusCode::BAD_REQUEST, "the key must be an integer from 0 to 18446744073709551615")
        }
    }
}

async fn call(skin: Skin, route: RouteKind, headers: &HeaderMap, key: u64, quantity: u32) -> Response {
    match skin.ids.of(headers) {
        Ok(id) => answer::reply(&skin.target.call(Call { id, route, key, quantity }).await),
        Err(error) => answer::problem(StatusCode::BAD_REQUEST, error),
    }
}
