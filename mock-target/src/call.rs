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
