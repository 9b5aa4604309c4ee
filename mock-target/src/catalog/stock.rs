//! The hot row of a flash sale: units that can be sold once.
//!
//! An order reserves its units before it writes, so two orders can never have the same unit; what is not committed, because
//! the write failed or the client gave up, comes back. So the sum of committed orders never exceeds the stock. A product may
//! be refused as sold out while reservations are open that come back later: it undersells for a moment, never oversells.

use crate::gateway::lock;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Products that can have been ordered by one instance at most; more are unknown products.
const PRODUCTS_MAX: usize = 65_536;

#[derive(Debug)]
pub(crate) struct Stock {
    /// Units of each product at the start.
    units: u64,
    /// Units sold or reserved, of products that were ordered.
    taken: Mutex<BTreeMap<u64, u64>>,
}

/// Why there is no unit for an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StockError {
    SoldOut,
    UnknownProduct,
}

/// Units that belong to one order. Dropping it gives them back.
#[derive(Debug)]
pub(crate) struct Reservation<'a> {
    stock: &'a Stock,
    product: u64,
    quantity: u64,
    /// Units of the product that nobody has, after this order.
    left: u64,
}

impl Stock {
    pub(crate) const fn new(units: u64) -> Self {
        Self { units, taken: Mutex::new(BTreeMap::new()) }
    }

    /// Takes `quantity` units of `product` (at least 1) for an order that is about to be written.
    pub(crate) fn reserve(&self, product: u64, quantity: u32) -> Result<Reservation<'_>, StockError> {
        let quantity = u64::from(quantity.max(1));
        let mut taken = lock(&self.taken);
        if taken.len() >= PRODUCTS_MAX && !taken.contains_key(&product) {
            return Err(StockError::UnknownProduct);
        }
        let of_product = taken.entry(product).or_insert(0);
        let left = self.units.checked_sub(*of_product).and_then(|left| left.checked_sub(quantity));
        let left = left.ok_or(StockError::SoldOut)?;
        *of_product += quantity;
        Ok(Reservation { stock: self, product, quantity, left })
    }

    /// Units of `product` sold or reserved.
    #[cfg(test)]
    pub(crate) fn taken(&self, product: u64) -> u64 {
        lock(&self.taken).get(&product).copied().unwrap_or(0)
    }
}

impl Reservation<'_> {
    /// The order is written: the units are sold. Gives how many were left after it.
    pub(crate) fn commit(mut self) -> u64 {
        self.quantity = 0;
        self.left
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        if self.quantity > 0
            && let Some(of_product) = lock(&self.stock.taken).get_mut(&self.product)
        {
            *of_product -= self.quantity;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_sold_once_and_come_back_if_not_committed() {
        let stock = Stock::new(3);
        let first = stock.reserve(9999, 2).unwrap();
        assert_eq!(stock.reserve(9999, 2).unwrap_err(), StockError::SoldOut);
        let second = stock.reserve(9999, 1).unwrap();
        assert_eq!(second.commit(), 0);
        drop(first);
        assert_eq!(stock.taken(9999), 1);
        assert_eq!(stock.reserve(9999, 0).unwrap().commit(), 1);
        assert_eq!(stock.reserve(7, 3).unwrap().commit(), 0);
    }

    #[test]
    fn products_are_bounded() {
        let stock = Stock::new(1);
        for product in 0..PRODUCTS_MAX as u64 {
            stock.reserve(product, 1).unwrap().commit();
        }
        assert_eq!(stock.reserve(u64::MAX, 1).unwrap_err(), StockError::UnknownProduct);
        assert_eq!(stock.reserve(0, 1).unwrap_err(), StockError::SoldOut);
    }
}
