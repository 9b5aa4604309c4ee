//! `[[event]]`.

use super::words;
use crate::shape::{At, duration, integer, kinds, kinds_of, number, table, text};
use std::time::Duration;

table! {
    /// Something that happens to the embedded target at a moment of the run.
    EventFile {
        /// When: a time of the run (`3s`), a stage's start (`spike`), or a time after or before it (`spike+500ms`,
        /// `spike-100ms`). `shoppers.spike` tells stages of the same name apart.
        at: At<String> = required("at", text("a moment", "\"spike+500ms\"", words::moment));
        /// What happens.
        action: ActionFile = flattened("do", kinds_of::<ActionFile>());
    }
}

kinds! {
    /// What an event does.
    ActionFile by "do" {
        /// Empties the cache.
        "flush-cache" => FlushCache(PlainFile);
        /// Opens connections until the pool holds `to`.
        "warm-pool" => WarmPool(WarmPoolFile);
        /// Puts the keys 0 to `keys` − 1 into the cache, as a warm-up job would have.
        "warm-cache" => WarmCache(WarmCacheFile);
        /// Swaps in a newly constructed, cold target; requests under way finish on the old one.
        "cold" => Cold(PlainFile);
        /// The database closes every connection: idle ones at once, those in use after their query.
        "kill-connections" => KillConnections(PlainFile);
        /// Multiplies every query time.
        "slow-db" => SlowDb(SlowDbFile);
    }
    later {
        "restart": "use `cold`";
        "scale": "the catalog of this version is one process";
        "kill-replica": "the catalog of this version is one process";
        "pause": "garbage-collection pauses are not in this version";
        "clock-jump": "clock jumps are not in this version";
    }
}

table! {
    /// Nothing to set.
    PlainFile {}
}

table! {
    /// How full the pool is made.
    WarmPoolFile {
        /// Connections, at most the pool's `max`. Left out: its `max`.
        to: Option<At<u32>> = optional("to", integer::<u32>(1, 100_000));
    }
}

table! {
    /// What is put into the cache.
    WarmCacheFile {
        /// How many keys, at most the capacity. Left out: as many as fit.
        keys: Option<At<u64>> = optional("keys", integer::<u64>(1, 10_000_000));
    }
}

table! {
    /// How slow, and how long.
    SlowDbFile {
        /// The factor.
        factor: At<f64> = required("factor", number(1.0, 1e6));
        /// How long. Left out: to the end of the run.
        lasting: Option<At<Duration>> = optional("for", duration().above_zero());
    }
}
