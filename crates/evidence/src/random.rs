//! Draws that a recorded seed repeats on any machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// A generator keyed by SHA-256 of the seed and the named parts; each part counts with its length.
pub fn generator(seed: i64, parts: &[&[u8]]) -> ChaCha8Rng {
    let mut hash = Sha256::new();
    hash.update(seed.to_be_bytes());
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    ChaCha8Rng::from_seed(hash.finalize().into())
}

/// A whole number from 0 to `end - 1`; `end` is at least 1. The remainder's bias is below 2^-40 for any sample of people.
pub fn below(end: usize, random: &mut ChaCha8Rng) -> usize {
    (random.next_u64() % end.max(1) as u64) as usize
}

/// A number from 0 to 1, without 0 and 1 themselves, so that any quantile of it is finite.
pub fn uniform(random: &mut ChaCha8Rng) -> f64 {
    ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}
