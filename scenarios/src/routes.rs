//! The routes of the embedded target.

/// A route that the embedded target answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RouteKind {
    /// `GET /catalog`: the list of products.
    Catalog,
    /// `GET /items/{key}`: one product, through the cache.
    Item,
    /// `POST /import`: new products.
    Import,
    /// `GET /api/v1/feed`: a feed.
    Feed,
    /// `POST /api/v1/seckill/order`: a flash-sale order.
    Order,
}

impl RouteKind {
    /// Every route.
    pub const ALL: [Self; 5] = [Self::Catalog, Self::Item, Self::Import, Self::Feed, Self::Order];

    /// The route of a method and a path as a scenario writes it; a query is ignored.
    pub fn of(method: &str, path_template: &str) -> Option<Self> {
        let path = path_template.split('?').next().unwrap_or_default();
        Self::ALL.into_iter().find(|route| route.method() == method && route.path() == path)
    }

    /// GET or POST.
    pub const fn method(self) -> &'static str {
        match self {
            Self::Catalog | Self::Item | Self::Feed => "GET",
            Self::Import | Self::Order => "POST",
        }
    }

    /// The path, with `{key}` where it has one.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Catalog => "/catalog",
            Self::Item => "/items/{key}",
            Self::Import => "/import",
            Self::Feed => "/api/v1/feed",
            Self::Order => "/api/v1/seckill/order",
        }
    }

    /// Method and path: `GET /items/{key}`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Catalog => "GET /catalog",
            Self::Item => "GET /items/{key}",
            Self::Import => "POST /import",
            Self::Feed => "GET /api/v1/feed",
            Self::Order => "POST /api/v1/seckill/order",
        }
    }
}
