use super::*;
use crate::tests::{World, at, cache, catalog, db, fixed, gateway, ms, pool};
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{Method, Request};
use coldfront_scenarios::{Cache, Catalog, Gateway, Limiter, MockSpec, Series, WarmUp};
use serde_json::{Value, json};
use std::net::SocketAddr;
use tower::ServiceExt as _;

mod real;

const LOOPBACK: &str = "127.0.0.1:4000";

/// Every tier, each with a cost of its own.
fn full() -> MockSpec {
    MockSpec {
        gateway: Some(Gateway { service: fixed(1), workers: Some(10), ..gateway() }),
        catalog: Some(Catalog { stock: 2, ..catalog(fixed(2)) }),
        cache: Some(Cache { hit: fixed(3), miss: fixed(4), ..cache() }),
        db: Some(db(10, Some(pool(4, 50, WarmUp::Lazy)))),
        ..MockSpec::default()
    }
}

struct Answered {
    status: u16,
    headers: axum::http::HeaderMap,
    text: String,
}

impl Answered {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// One request through the router, without a wire: the skin needs no runtime of its own.
async fn send(world: &World, method: Method, path: &str, body: &str, peer: Option<&str>) -> Answered {
    let mut request = Request::builder().method(method).uri(path).body(Body::from(body.to_owned())).unwrap();
    if let Some(peer) = peer {
        request.extensions_mut().insert(ConnectInfo(peer.parse::<SocketAddr>().unwrap()));
    }
    let router = router(world.target.clone(), AdminAccess::Loopback);
    let response = router.oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.unwrap();
    Answered { status: parts.status.as_u16(), headers: parts.headers, text: String::from_utf8(bytes.to_vec()).unwrap() }
}

async fn get_of(world: &World, path: &str) -> Answered {
    send(world, Method::GET, path, "", None).await
}

async fn post_to(world: &World, path: &str, body: &str) -> Answered {
    send(world, Method::POST, path, body, Some(LOOPBACK)).await
}

#[test]
fn the_five_routes_answer_in_json_and_say_where_the_time_went() {
    World::run(full(), async move |world: World| {
        let cold = get_of(&world, "/items/17").await;
        assert_eq!((cold.status, cold.text.as_str()), (200, r#"{"key":17,"from":"db"}"#));
        assert_eq!(cold.header("content-type"), Some("application/json"));
        let timing = "gateway;dur=1, catalog;dur=2, cache;dur=4, cache-cold;dur=14, db;dur=60, db-cold;dur=50";
        assert_eq!(cold.header("server-timing"), Some(timing));
        assert_eq!(cold.header("retry-after"), None);
        let warm = get_of(&world, "/items/17").await;
        assert_eq!(warm.text, r#"{"key":17,"from":"cache"}"#);
        assert_eq!(warm.header("server-timing"), Some("gateway;dur=1, catalog;dur=2, cache;dur=3"));
        assert_eq!(get_of(&world, "/catalog").await.text, r#"{"key":0,"from":"db"}"#);
        assert_eq!(get_of(&world, "/api/v1/feed?limit=9&key=17").await.text, r#"{"key":17,"from":"cache"}"#);
        assert_eq!(post_to(&world, "/import", "anything").await.text, r#"{"imported":true}"#);
        let order = r#"{"sku_id":9999,"quantity":2}"#;
        assert_eq!(post_to(&world, "/api/v1/seckill/order", order).await.text, r#"{"sku_id":9999,"left":0}"#);
        let sold_out = post_to(&world, "/api/v1/seckill/order", order).await;
        assert_eq!((sold_out.status, sold_out.text.as_str()), (409, r#"{"error":"sold out"}"#));
    });
}

#[test]
fn what_is_not_understood_is_the_clients_fault() {
    World::run(full(), async move |world: World| {
        for (path, status) in [("/nowhere", 404), ("/admin", 404), ("/import", 405), ("/items/seventeen", 400)] {
            let answered = get_of(&world, path).await;
            assert_eq!(answered.status, status, "{path}");
            assert!(answered.json()["error"].is_string(), "{path}");
        }
        let order = post_to(&world, "/api/v1/seckill/order", r#"{"sku":1}"#).await;
        assert_eq!(order.status, 400);
        assert!(order.text.contains("unknown field `sku`"), "{}", order.text);
        let long = "x".repeat(BODY_MAX + 1);
        assert_eq!(post_to(&world, "/import", &long).await.status, 413);
        let request =
            Request::builder().uri("/catalog").header("coldfront-request-id", "7").body(Body::empty()).unwrap();
        let response = router(world.target.clone(), AdminAccess::Loopback).oneshot(request).await.unwrap();
        assert_eq!(response.status(), 400);
        // None of these reached the service.
        assert_eq!(world.count(Series::GatewayReceived), 0);
    });
}

#[test]
fn refusals_tell_in_whole_seconds_when_to_come_back() {
    let limiter = Some(Limiter::FixedWindow { limit: 1, per: ms(2500) });
    let spec = MockSpec { gateway: Some(Gateway { limiter, ..gateway() }), ..MockSpec::default() };
    World::run(spec, async move |world: World| {
        assert_eq!(get_of(&world, "/catalog").await.status, 200);
        for (moment, seconds) in [(100, "3"), (500, "2"), (2400, "1")] {
            world.rt.sleep_until(at(moment)).await;
            let refused = get_of(&world, "/catalog").await;
            assert_eq!((refused.status, refused.header("retry-after")), (429, Some(seconds)), "at {moment} ms");
        }
    });
}

#[test]
fn readiness_follows_the_warm_up() {
    let warm_up = WarmUp::Prewarm { to: 4, parallel: 4, gate: true };
    let spec = MockSpec { db: Some(db(10, Some(pool(4, 50, warm_up)))), ..MockSpec::default() };
    World::run(spec, async move |world: World| {
        assert_eq!(get_of(&world, "/healthz").await.status, 200);
        let early = get_of(&world, "/readyz").await;
        assert_eq!((early.status, early.header("retry-after")), (503, Some("1")));
        let refused = get_of(&world, "/catalog").await;
        assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
        world.rt.sleep_until(at(51)).await;
        assert_eq!(get_of(&world, "/readyz").await.text, r#"{"ready":true}"#);
        assert_eq!(get_of(&world, "/catalog").await.status, 200);
    });
}

#[test]
fn only_neighbours_may_administer() {
    World::run(full(), async move |world: World| {
        for peer in [None, Some("192.0.2.7:4000"), Some("[2001:db8::7]:4000")] {
            for (method, path) in [(Method::POST, "/admin/cold"), (Method::GET, "/admin/state")] {
                assert_eq!(send(&world, method, path, "", peer).await.status, 403, "{peer:?} {path}");
            }
        }
        assert_eq!(world.target.state().generation, 1);
        for peer in [LOOPBACK, "[::1]:4000", "[::ffff:127.0.0.1]:4000"] {
            assert_eq!(send(&world, Method::GET, "/admin/state", "", Some(peer)).await.status, 200, "{peer}");
        }
        let request = Request::builder().uri("/admin/state").body(Body::empty()).unwrap();
        let response = router(world.target.clone(), AdminAccess::Anyone).oneshot(request).await.unwrap();
        assert_eq!(response.status(), 200);
    });
}

#[test]
fn actions_are_done_and_answered_with_the_state() {
    World::run(full(), async move |world: World| {
        let warmed = post_to(&world, "/admin/warm-cache", r#"{"keys":5}"#).await;
        assert_eq!(warmed.status, 200);
        assert_eq!(warmed.json()["done"], "warm-cache");
        assert_eq!(warmed.json()["state"]["cache_entries"], 5);
        assert_eq!(post_to(&world, "/admin/flush-cache", "").await.json()["state"]["cache_entries"], 0);
        assert_eq!(post_to(&world, "/admin/warm-pool", r#"{"to":3}"#).await.status, 200);
        world.rt.sleep_until(at(51)).await;
        let state = send(&world, Method::GET, "/admin/state", "", Some(LOOPBACK)).await.json();
        assert_eq!(state["db_pool"], json!({ "size": 3, "idle": 3, "connecting": 0, "waiters": 0 }));
        assert_eq!(post_to(&world, "/admin/kill-connections", "{}").await.json()["state"]["db_pool"]["size"], 0);
        assert_eq!(post_to(&world, "/admin/slow-db", r#"{"factor":3,"lasting_ms":1000}"#).await.status, 200);
        let slow = get_of(&world, "/items/1").await;
        assert!(slow.header("server-timing").is_some_and(|timing| timing.contains("db;dur=80,")));
        assert_eq!(post_to(&world, "/admin/cold", "").await.json()["state"]["generation"], 2);
    });
}

#[test]
fn actions_say_what_is_wrong_with_them() {
    World::run(full(), async move |world: World| {
        let cases = [
            ("/admin/warm-pool", r#"{"to":9}"#, 400, "`to` must be 1 to 4"),
            ("/admin/warm-pool", r#"{"to":0}"#, 400, "`to` must be 1 to 4"),
            ("/admin/warm-pool", r#"{"size":4}"#, 400, "unknown field `size`"),
            ("/admin/warm-cache", "five", 400, "not what this action takes"),
            ("/admin/slow-db", "", 400, "not what this action takes"),
            ("/admin/slow-db", r#"{"factor":0.5}"#, 400, "at least 1"),
            ("/admin/cold", r#"{"please":true}"#, 400, "unknown field `please`"),
            ("/admin/state", "", 405, "takes GET"),
            ("/admin/explode", "", 404, "kill-connections"),
        ];
        for (path, body, status, text) in cases {
            let answered = post_to(&world, path, body).await;
            assert_eq!(answered.status, status, "{path} {body}");
            assert!(answered.text.contains(text), "{path} {body}: {}", answered.text);
        }
        assert_eq!(send(&world, Method::GET, "/admin/cold", "", Some(LOOPBACK)).await.status, 405);
        assert_eq!(world.target.state().generation, 1);
    });
    World::run(MockSpec::default(), async move |world: World| {
        for path in ["/admin/warm-pool", "/admin/kill-connections", "/admin/warm-cache", "/admin/flush-cache"] {
            assert_eq!(post_to(&world, path, "").await.status, 409, "{path}");
        }
        assert_eq!(post_to(&world, "/admin/slow-db", r#"{"factor":2}"#).await.status, 409);
    });
}

#[test]
fn metrics_are_prometheus_text() {
    World::run(full(), async move |world: World| {
        get_of(&world, "/items/1").await;
        let metrics = get_of(&world, "/metrics").await;
        assert_eq!(metrics.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
        for line in [
            "# TYPE coldfront_gateway_received_total counter",
            "coldfront_gateway_received_total 1",
            "coldfront_db_pool_idle 1",
            "coldfront_db_connect_seconds_sum 0.050000000",
            "coldfront_db_connect_seconds_count 1",
        ] {
            assert!(metrics.text.lines().any(|present| present == line), "{line} is not in\n{}", metrics.text);
        }
        // A gauge that no tier reports is left out, and so is what the client measures.
        assert!(!metrics.text.contains("breaker_state") && !metrics.text.contains("coldfront_offered"));
        assert!(metrics.text.lines().all(|line| line.starts_with("# ") || line.split(' ').count() == 2));
    });
}
