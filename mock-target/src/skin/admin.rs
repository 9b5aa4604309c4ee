//! `/admin/*`: what events do to the target, on demand.

mod action;

use super::{Skin, answer};
use action::{ACTIONS, action};
use axum::body::Bytes;
use axum::extract::{ConnectInfo, Path, State};
use axum::http::{Extensions, Method, StatusCode};
use axum::response::Response;
use serde_json::json;
use std::net::SocketAddr;

/// Who may use `/admin/*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum AdminAccess {
    /// Peers on the loopback interface; others are answered 403. The default.
    #[default]
    Loopback,
    /// Anyone who can connect.
    Anyone,
}

/// Why an action is not done.
#[derive(Debug)]
struct Refusal(StatusCode, String);

pub(super) async fn admin(
    State(skin): State<Skin>,
    Path(name): Path<String>,
    method: Method,
    extensions: Extensions,
    body: Bytes,
) -> Response {
    let done = skin.admin.check(&extensions).and_then(|()| attend(&skin, &name, &method, &body));
    if let Err(Refusal(status, text)) = done {
        return answer::problem(status, &text);
    }
    let state = serde_json::to_value(skin.target.state()).expect("numbers and booleans can be written");
    let answered = if name == "state" { state } else { json!({ "done": name, "state": state }) };
    answer::json_text(StatusCode::OK, answered.to_string())
}

fn attend(skin: &Skin, name: &str, method: &Method, body: &[u8]) -> Result<(), Refusal> {
    let is_action = ACTIONS.contains(&name);
    if !is_action && name != "state" {
        let known = ACTIONS.join(", ");
        return Err(Refusal(StatusCode::NOT_FOUND, format!("there is no such action; there are: state, {known}")));
    }
    let wanted = if is_action { Method::POST } else { Method::GET };
    if *method != wanted {
        return Err(Refusal(StatusCode::METHOD_NOT_ALLOWED, format!("`/admin/{name}` takes {wanted}")));
    }
    if is_action {
        skin.target.apply(&action(skin.target.spec(), name, body)?);
    }
    Ok(())
}

// === impl AdminAccess ===

impl AdminAccess {
    /// A peer whose address is not known may not.
    fn check(self, extensions: &Extensions) -> Result<(), Refusal> {
        let is_loopback = |ConnectInfo(peer): &ConnectInfo<SocketAddr>| peer.ip().to_canonical().is_loopback();
        if self == Self::Anyone || extensions.get().is_some_and(is_loopback) {
            return Ok(());
        }
        Err(Refusal(StatusCode::FORBIDDEN, "only peers on the loopback interface may do this".to_owned()))
    }
}
