//! Hashes that are the same in every process, so that the server's answers follow from the calls alone.

use std::hash::Hasher;

use twox_hash::XxHash64;

pub fn hash(bytes: &[u8]) -> u64 {
    XxHash64::oneshot(0, bytes)
}

/// Returns one hash of several words, in their order.
pub fn mix(words: &[u64]) -> u64 {
    let mut hasher = XxHash64::with_seed(0);
    words.iter().for_each(|word| hasher.write_u64(*word));
    hasher.finish()
}

/// Returns a number in `0.0..1.0` that follows from the hash.
pub fn unit(hash: u64) -> f64 {
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}
