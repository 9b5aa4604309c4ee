//! What goes into the target and what comes out.

use crate::RouteKind;
use coldfront_measure::ColdCosts;
use serde::Deserialize;
use std::fmt::Write as _;
use std::time::Duration;

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Identity of the request, on which its service demands depend; the same in both modes.
    pub id: u64,
    /// What is asked for.
    pub route: RouteKind,
    /// The key of a read, 0 where the path has none; the product of an order.
    pub key: u64,
    /// Units of an order, 0 counts as 1; no meaning otherwise.
    pub quantity: u32,
}

/// Where a read has its key from: the segment after `/items/`, else the query parameter `key`, else it is 0.
///
/// The same rule is read off a path as it comes over the wire and off one as a scenario writes it, so that both modes read
/// the same keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// It is drawn for each request: the path says `{key}` there.
    Drawn,
    /// It is always this one.
    Fixed(u64),
    /// What stands there is no key; answered 400.
    Unreadable,
}

/// The body of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderRequest {
    /// Which product. Default 0.
    #[serde(default)]
    pub sku_id: u64,
    /// How many, at least 1. Default 1.
    #[serde(default = "one")]
    pub quantity: u32,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// With 429 and 503: how long the refusal holds, as far as known. On the wire rounded up to whole seconds, at least 1.
    pub retry_after: Option<Duration>,
    /// Where the time went.
    pub cost: Cost,
    /// What is said.
    pub body: Body,
}

/// Where the time of a request went, by tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Cost {
    /// Queue, own work, cold penalty.
    pub gateway: TierCost,
    /// Own work, cold penalty.
    pub catalog: TierCost,
    /// Look-up, and waiting for somebody else's load.
    pub cache: TierCost,
    /// Connection and query.
    pub db: TierCost,
}

/// The time of a request in one tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TierCost {
    /// All of it, the tiers below excluded.
    pub total: Duration,
    /// What it would not have cost a warm target. For the cache: everything from a miss until the value is there, less what
    /// the database counts as cold itself, so that the tiers' cold costs can be summed.
    pub cold: Duration,
}

/// What an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// A read: the key and where its value came from.
    Read {
        /// The key.
        key: u64,
        /// Where the value came from.
        from: Source,
    },
    /// The import is done.
    Imported,
    /// The order is placed.
    Ordered {
        /// Which product.
        sku_id: u64,
        /// How many are left.
        left: u64,
    },
    /// The request failed or was refused, in a few words.
    Problem(&'static str),
}

/// Where a value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A fresh entry of the cache.
    Cache,
    /// The database, by this request's own query, or without any if that tier is off.
    Db,
    /// The query of another request for the same key.
    Joined,
}

const fn one() -> u32 {
    1
}

// === impl KeySource ===

impl KeySource {
    /// The key's source in a path with its query, if it has one.
    pub fn of(path_and_query: &str) -> Self {
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        let in_query = || query.split('&').find_map(|parameter| parameter.strip_prefix("key="));
        match path.strip_prefix("/items/").or_else(in_query) {
            None => Self::Fixed(0),
            Some("{key}") => Self::Drawn,
            Some(text) => text.parse().map_or(Self::Unreadable, Self::Fixed),
        }
    }
}

// === impl OrderRequest ===

impl OrderRequest {
    /// The order in a JSON body; an empty body is one unit of product 0.
    ///
    /// # Errors
    ///
    /// What is wrong with the body, in words for its sender.
    pub fn parse(body: &[u8]) -> Result<Self, String> {
        if body.is_empty() {
            return Ok(Self { sku_id: 0, quantity: 1 });
        }
        let order: Self = serde_json::from_slice(body).map_err(|error| error.to_string())?;
        if order.quantity == 0 { Err("`quantity` must be at least 1".to_owned()) } else { Ok(order) }
    }
}

// === impl Cost ===

impl Cost {
    /// The cold parts, as the recorder takes them.
    pub const fn cold(&self) -> ColdCosts {
        ColdCosts { gateway: self.gateway.cold, catalog: self.catalog.cold, cache: self.cache.cold, db: self.db.cold }
    }
}

// === impl Body ===

impl Body {
    /// Appends the body as JSON.
    pub fn write_json(&self, out: &mut String) {
        let written = match self {
            Self::Read { key, from } => write!(out, r#"{{"key":{key},"from":"{}"}}"#, from.name()),
            Self::Imported => write!(out, r#"{{"imported":true}}"#),
            Self::Ordered { sku_id, left } => write!(out, r#"{{"sku_id":{sku_id},"left":{left}}}"#),
            Self::Problem(text) => write!(out, r#"{{"error":"{text}"}}"#),
        };
        written.expect("writing to a string cannot fail");
    }

    /// The body as JSON.
    pub fn to_json(&self) -> String {
        let mut out = String::with_capacity(48);
        self.write_json(&mut out);
        out
    }
}

// === impl Source ===

impl Source {
    /// The name in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cache => "cache",
            Self::Db => "db",
            Self::Joined => "joined",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_small_json() {
        assert_eq!(Body::Read { key: 17, from: Source::Cache }.to_json(), r#"{"key":17,"from":"cache"}"#);
        assert_eq!(Body::Ordered { sku_id: 9999, left: 41 }.to_json(), r#"{"sku_id":9999,"left":41}"#);
        assert_eq!(Body::Imported.to_json(), r#"{"imported":true}"#);
        assert_eq!(Body::Problem("sold out").to_json(), r#"{"error":"sold out"}"#);
    }

    #[test]
    fn keys_are_found_in_the_path_or_in_the_query() {
        let sources = [
            ("/items/{key}", KeySource::Drawn),
            ("/items/17?full=1", KeySource::Fixed(17)),
            ("/items/seventeen", KeySource::Unreadable),
            ("/items/-1", KeySource::Unreadable),
            ("/catalog", KeySource::Fixed(0)),
            ("/catalog?page=3", KeySource::Fixed(0)),
            ("/api/v1/feed?limit=20&key={key}", KeySource::Drawn),
            ("/api/v1/feed?limit=20&key=18446744073709551615", KeySource::Fixed(u64::MAX)),
            ("/api/v1/feed?key=18446744073709551616", KeySource::Unreadable),
            ("/api/v1/feed?key=", KeySource::Unreadable),
            ("/api/v1/feed?monkey=3", KeySource::Fixed(0)),
        ];
        for (path, source) in sources {
            assert_eq!(KeySource::of(path), source, "{path}");
        }
    }

    #[test]
    fn orders_are_read_from_their_body() {
        let order = |body: &str| OrderRequest::parse(body.as_bytes());
        assert_eq!(order(r#"{"sku_id":9999,"quantity":2}"#), Ok(OrderRequest { sku_id: 9999, quantity: 2 }));
        assert_eq!(order(""), Ok(OrderRequest { sku_id: 0, quantity: 1 }));
        assert_eq!(order("{}"), Ok(OrderRequest { sku_id: 0, quantity: 1 }));
        assert!(order(r#"{"quantity":0}"#).is_err_and(|error| error.contains("at least 1")));
        assert!(order(r#"{"sku":1}"#).is_err_and(|error| error.contains("unknown field `sku`")));
        assert!(order("nonsense").is_err());
    }
}
