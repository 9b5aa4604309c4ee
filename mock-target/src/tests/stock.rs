//! The flash sale: the hot row never oversells.

use super::*;
use crate::call::Body;

fn sale(stock: u64, query: u64) -> MockSpec {
    MockSpec {
        catalog: Some(Catalog { stock, ..catalog(NOTHING) }),
        db: Some(db(query, Some(pool(4, 10, WarmUp::Lazy)))),
        ..MockSpec::default()
    }
}

#[test]
fn as_many_orders_are_accepted_as_there_are_units() {
    World::run(sale(10, 5), async move |world: World| {
        let orders: Vec<_> = (0..50)
            .map(|id| {
                let world = world.clone();
                let order = async move { world.ask(id, RouteKind::Order, 9999).await };
                (id, order)
            })
            .map(|(_, order)| world.rt.spawn("client", order))
            .collect();
        let answers = all(orders).await;
        let sold = answers.iter().filter(|(reply, _)| reply.status == 200).count();
        let refused = answers.iter().filter(|(reply, time)| reply.status == 409 && time.is_zero()).count();
        assert_eq!((sold, refused), (10, 40));
        assert_eq!(world.count(Series::CatalogOrders), 10);
        assert_eq!(world.count(Series::DbQueries), 10);
        let last = answers.iter().filter_map(|(reply, _)| match reply.body {
            Body::Ordered { left, .. } => Some(left),
            _ => None,
        });
        assert_eq!(last.min(), Some(0));
    });
}

#[test]
fn an_order_that_is_given_up_gives_its_unit_back() {
    World::run(sale(1, 100), async move |world: World| {
        let order = world.ask(1, RouteKind::Order, 5);
        assert!(world.rt.timeout_at(at(50), order).await.is_err());
        assert_eq!(world.ask(2, RouteKind::Order, 5).await.0.status, 200);
        assert_eq!(world.ask(3, RouteKind::Order, 5).await.0.status, 409);
        assert_eq!(world.count(Series::CatalogOrders), 1);
    });
}

#[test]
fn an_import_is_a_write() {
    World::run(sale(1, 100), async move |world: World| {
        let (reply, time) = world.ask(1, RouteKind::Import, 0).await;
        assert_eq!((reply.status, reply.body, time), (200, Body::Imported, ms(110)));
        assert_eq!(world.count(Series::CatalogImports), 1);
        assert_eq!(world.count(Series::DbQueries), 1);
    });
}
