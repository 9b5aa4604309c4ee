//! Requests rendered in advance: a few fixed pieces with the key and the request's id between them.

use coldfront_scenarios::Route;

/// One route, ready to be sent: `before_key` KEY `before_id` ID `after_id`.
#[derive(Debug)]
pub(super) struct Template {
    before_key: Vec<u8>,
    /// Empty on a route without a key.
    before_id: Vec<u8>,
    after_id: Vec<u8>,
    has_key: bool,
    /// The answer has no body.
    pub(super) is_head: bool,
    /// Sending it twice is as good as once (RFC 9110, section 9.2.2).
    pub(super) is_idempotent: bool,
}

/// A route that cannot be written as a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{route}: {what} has a character that cannot be sent")]
#[non_exhaustive]
pub struct RouteError {
    /// The route's name.
    pub route: String,
    /// Its part that is wrong.
    pub what: String,
}

const KEY: &str = "{key}";

// === impl Template ===

impl Template {
    /// `route` at a host, behind a prefix of paths.
    pub(super) fn new(route: &Route, authority: &str, prefix: &str) -> Result<Self, RouteError> {
        check(route)?;
        let (before_key, after_key) = route.path.split_once(KEY).unwrap_or((&route.path, ""));
        let mut lines = format!("{after_key} HTTP/1.1\r\nhost: {authority}\r\n").into_bytes();
        for (name, value) in &route.headers {
            lines.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        // A body of nothing is still told to methods that usually have one (RFC 9110, section 8.6).
        let len = route.body.as_ref().map(Vec::len);
        if len.is_some() || matches!(route.method.as_str(), "POST" | "PUT" | "PATCH") {
            lines.extend_from_slice(format!("content-length: {}\r\n", len.unwrap_or(0)).as_bytes());
        }
        lines.extend_from_slice(b"coldfront-request-id: ");
        let mut after_id = b"\r\n\r\n".to_vec();
        after_id.extend_from_slice(route.body.as_deref().unwrap_or_default());
        Ok(Self {
            before_key: format!("{} {prefix}{before_key}", route.method).into_bytes(),
            before_id: lines,
            after_id,
            has_key: route.path.contains(KEY),
            is_head: route.method == "HEAD",
            is_idempotent: matches!(route.method.as_str(), "GET" | "HEAD" | "PUT" | "DELETE" | "OPTIONS" | "TRACE"),
        })
    }

    /// Writes the request of this id and key over what is in `buffer`.
    pub(super) fn render(&self, id: u64, key: u64, buffer: &mut Vec<u8>) {
        buffer.clear();
        buffer.extend_from_slice(&self.before_key);
        if self.has_key {
            push_decimal(key, buffer);
        }
        buffer.extend_from_slice(&self.before_id);
        push_hexadecimal(id, buffer);
        buffer.extend_from_slice(&self.after_id);
    }
}

/// Whatever could break out of its place in the request is refused here, whoever built the scenario.
fn check(route: &Route) -> Result<(), RouteError> {
    let error = |what: &str| RouteError { route: route.name(), what: what.to_owned() };
    let is_token = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
    };
    if !is_token(&route.method) {
        return Err(error("the method"));
    }
    if !route.path.starts_with('/') || !route.path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#') {
        return Err(error("the path"));
    }
    for (name, value) in &route.headers {
        if !is_token(name) || !value.bytes().all(|byte| byte == b'\t' || byte >= b' ' && byte != 0x7F) {
            return Err(error(&format!("header {name:?}")));
        }
    }
    Ok(())
}

fn push_decimal(mut number: u64, buffer: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    buffer.extend_from_slice(&digits[at..]);
}

/// Sixteen lower-case digits.
fn push_hexadecimal(number: u64, buffer: &mut Vec<u8>) {
    let mut digits = [0; 16];
    for (place, digit) in digits.iter_mut().enumerate() {
        *digit = b"0123456789abcdef"[(number >> (60 - 4 * place)) as usize & 15];
    }
    buffer.extend_from_slice(&digits);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::route;
    use proptest::prelude::*;

    fn rendered(route: &Route, id: u64, key: u64) -> String {
        let mut buffer = b"left over".to_vec();
        Template::new(route, "shop:8080", "/api").unwrap().render(id, key, &mut buffer);
        String::from_utf8(buffer).unwrap()
    }

    #[test]
    fn a_get_with_a_key() {
        let text = rendered(&route("GET", "/items/{key}?full=1", 1.0), 0x0001_0000_0000_00ab, 42);
        let expected =
            "GET /api/items/42?full=1 HTTP/1.1\r\nhost: shop:8080\r\ncoldfront-request-id: 00010000000000ab\r\n\r\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_post_with_a_body() {
        let mut order = route("POST", "/order", 1.0);
        order.headers = vec![("content-type".into(), "application/json".into())];
        order.body = Some(b"{\"n\":1}".to_vec());
        let expected = "POST /api/order HTTP/1.1\r\nhost: shop:8080\r\ncontent-type: application/json\r\n\
                        content-length: 7\r\ncoldfront-request-id: 0000000000000000\r\n\r\n{\"n\":1}";
        assert_eq!(rendered(&order, 0, 7), expected);
        assert!(rendered(&route("POST", "/import", 1.0), 0, 0).contains("content-length: 0\r\n"));
    }

    #[test]
    fn nothing_breaks_out_of_its_place() {
        let refused = |route: Route| Template::new(&route, "h", "").unwrap_err().what;
        assert_eq!(refused(route("GE T", "/", 1.0)), "the method");
        for path in ["", "items", "/a b", "/a\r\nx: y", "/a#b", "/ä"] {
            assert_eq!(refused(route("GET", path, 1.0)), "the path", "{path:?}");
        }
        for (name, value) in [("a b", ""), ("", ""), ("a", "b\r\nc: d"), ("a\n", ""), ("a", "b\0")] {
            let mut odd = route("GET", "/", 1.0);
            odd.headers = vec![(name.into(), value.into())];
            assert!(refused(odd).starts_with("header"), "{name:?}: {value:?}");
        }
    }

    proptest! {
        #[test]
        fn numbers_are_written_as_the_standard_library_does(number in any::<u64>()) {
            let mut buffer = Vec::new();
            push_decimal(number, &mut buffer);
            push_hexadecimal(number, &mut buffer);
            prop_assert_eq!(String::from_utf8(buffer).unwrap(), format!("{number}{number:016x}"));
        }
    }
}
