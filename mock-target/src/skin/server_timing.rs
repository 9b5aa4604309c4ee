//! The `server-timing` header: where the time of a request went, tier by tier.

use crate::call::{Cost, TierCost};
use coldfront_clock::nanos_of;
use std::fmt::Write as _;
use std::time::Duration;

/// `gateway;dur=1.234, db;dur=34.5, db-cold;dur=30`, in milliseconds to the nanosecond; what is zero is left out. `None` if
/// all is.
pub(super) fn header(cost: &Cost) -> Option<String> {
    let mut out = String::new();
    let tiers: [(&str, &TierCost); 4] =
        [("gateway", &cost.gateway), ("catalog", &cost.catalog), ("cache", &cost.cache), ("db", &cost.db)];
    for (name, tier) in tiers {
        entry(&mut out, name, "", tier.total);
        entry(&mut out, name, "-cold", tier.cold);
    }
    if out.is_empty() { None } else { Some(out) }
}

fn entry(out: &mut String, name: &str, suffix: &str, time: Duration) {
    let nanos = nanos_of(time);
    if nanos == 0 {
        return;
    }
    if out.is_empty() {
        out.reserve(128);
    } else {
        out.push_str(", ");
    }
    let (millis, mut rest) = (nanos / 1_000_000, nanos % 1_000_000);
    write!(out, "{name}{suffix};dur={millis}").expect("writing to a string cannot fail");
    if rest > 0 {
        let mut digits = 6;
        while rest % 10 == 0 {
            rest /= 10;
            digits -= 1;
        }
        write!(out, ".{rest:0digits$}").expect("writing to a string cannot fail");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact_and_zero_is_left_out() {
        let tier = |total, cold| TierCost { total: Duration::from_nanos(total), cold: Duration::from_nanos(cold) };
        assert_eq!(header(&Cost::default()), None);
        let cost = Cost {
            gateway: tier(1_234_000, 0),
            catalog: tier(1, 0),
            cache: tier(0, 250_000),
            db: tier(34_500_000, 30_000_000),
        };
        let expected = "gateway;dur=1.234, catalog;dur=0.000001, cache-cold;dur=0.25, db;dur=34.5, db-cold;dur=30";
        assert_eq!(header(&cost).as_deref(), Some(expected));
        assert_eq!(header(&Cost { db: tier(100_000_010, 0), ..Cost::default() }).as_deref(), Some("db;dur=100.00001"));
    }
}
