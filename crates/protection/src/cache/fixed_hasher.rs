//! A hasher without a secret: the same table on every run and machine.

use std::hash::{BuildHasher, Hasher};

/// An odd constant without structure: 2⁶⁴ divided by the golden ratio.
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// Hashes integers by one multiplication of 64 × 64 bits, folded. Not resistant against chosen keys, which a simulation has
/// no need of: keys come from the scenario.
#[derive(Clone, Copy, Debug, Default)]
pub struct FixedHasher(u64);

/// Makes [`FixedHasher`]s that all start from the same state.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuildFixedHasher;

impl Hasher for FixedHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        let product = u128::from(self.0 ^ value ^ MULTIPLIER) * u128::from(MULTIPLIER);
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
}

impl BuildHasher for BuildFixedHasher {
    type Hasher = FixedHasher;

    fn build_hasher(&self) -> FixedHasher {
        FixedHasher::default()
    }
}
