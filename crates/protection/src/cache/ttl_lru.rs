//! Least recently used out first, and every entry only so long.
//!
//! **Problem.** The tier below is too slow to be asked every time; memory is bounded and data grow old.
//!
//! **Rule.** At most `capacity` entries; a new one beyond that displaces the one that was used least recently, where a look-up
//! that hits and an insert are uses. An entry inserted at t is fresh in [t, t + ttl): at t + ttl itself it is not.
//!
//! **Formula.** A cold cache misses K (1 − (1 − 1/K)ⁿ) times in n uniform look-ups over K keys, if it can hold them all.
//!
//! **Source.** The textbook LRU; the half-open lifetime is that of HTTP caching (fresh while age < lifetime).
//!
//! **When it fails.** Entries that were loaded together expire together; a scan larger than the capacity evicts everything.

use super::fixed_hasher::BuildFixedHasher;
use coldfront_clock::{Instant, nanos_of};
use hashlink::LruCache;
use std::time::Duration;

/// A bounded map from keys to values with a lifetime. Every operation is O(1); an expired entry counts as an entry until a
/// look-up finds it expired or it is displaced.
pub struct TtlLru<V> {
    entries: LruCache<u64, Entry<V>, BuildFixedHasher>,
    ttl: Option<u64>,
}

struct Entry<V> {
    value: V,
    /// First instant at which it is no longer fresh.
    expires: Instant,
}

impl<V> TtlLru<V> {
    /// An empty cache for at most `capacity` entries (at least 1), each fresh for `ttl` (`None`: for ever).
    pub fn new(capacity: u64, ttl: Option<Duration>) -> Self {
        let capacity = usize::try_from(capacity.max(1)).unwrap_or(usize::MAX);
        Self { entries: LruCache::with_hasher(capacity, BuildFixedHasher), ttl: ttl.map(nanos_of) }
    }

    /// Looks `key` up: a copy of the value if it is fresh, which makes it the most recently used. An expired entry is removed.
    pub fn get(&mut self, now: Instant, key: u64) -> Option<V>
    where
        V: Copy,
    {
        let entry = self.entries.get(&key)?;
        if now < entry.expires {
            return Some(entry.value);
        }
        self.entries.remove(&key);
        None
    }

    /// Whether a fresh entry for `key` is there; not a use.
    pub fn contains(&self, now: Instant, key: u64) -> bool {
        self.entries.peek(&key).is_some_and(|entry| now < entry.expires)
    }

    /// Puts `value` in at `now`; displaces the least recently used entry if the cache is full.
    pub fn insert(&mut self, now: Instant, key: u64, value: V) {
        let expires = self.ttl.map_or(Instant::MAX, |ttl| now + Duration::from_nanos(ttl));
        self.entries.insert(key, Entry { value, expires });
    }

    /// Removes every entry.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// How many entries there are, expired ones that nobody has looked up included.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The most entries there may be.
    pub fn capacity(&self) -> usize {
        self.entries.capacity()
    }
}

impl<V> std::fmt::Debug for TtlLru<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TtlLru").field("len", &self.len()).field("capacity", &self.capacity()).finish_non_exhaustive()
    }
}
