//! What a request says of itself.

use axum::http::{HeaderMap, HeaderName};
use std::sync::atomic::{AtomicU64, Ordering};

/// The header with which the load generator names its requests.
const REQUEST_ID: HeaderName = HeaderName::from_static("coldfront-request-id");
/// Ids of requests that bring none count on from here, apart from those of any load generator.
const FIRST_OWN_ID: u64 = 0xFFFF << 48;

/// Numbers requests that bring no id.
#[derive(Debug, Default)]
pub(super) struct RequestIds {
    given: AtomicU64,
}

impl RequestIds {
    /// The id that the request brings, or else one of its own.
    pub(super) fn of(&self, headers: &HeaderMap) -> Result<u64, &'static str> {
        let Some(value) = headers.get(REQUEST_ID) else {
            return Ok(FIRST_OWN_ID + self.given.fetch_add(1, Ordering::Relaxed));
        };
        hexadecimal(value.as_bytes()).ok_or("`coldfront-request-id` must be 16 hexadecimal digits")
    }
}

/// A number of exactly 16 hexadecimal digits.
fn hexadecimal(digits: &[u8]) -> Option<u64> {
    if digits.len() != 16 {
        return None;
    }
    digits.iter().try_fold(0, |number, digit| Some(number << 4 | u64::from(char::from(*digit).to_digit(16)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(ids: &RequestIds, value: &'static str) -> Result<u64, &'static str> {
        ids.of(&HeaderMap::from_iter([(REQUEST_ID, value.parse().unwrap())]))
    }

    #[test]
    fn ids_are_read_or_given() {
        let ids = RequestIds::default();
        assert_eq!(id(&ids, "00010000000000ab"), Ok(0x0001_0000_0000_00ab));
        assert_eq!(id(&ids, "ffffffffffffffff"), Ok(u64::MAX));
        assert!(id(&ids, "ab").is_err());
        assert!(id(&ids, "00010000000000+b").is_err());
        assert_eq!(ids.of(&HeaderMap::new()), Ok(FIRST_OWN_ID));
        assert_eq!(ids.of(&HeaderMap::new()), Ok(FIRST_OWN_ID + 1));
    }
}
