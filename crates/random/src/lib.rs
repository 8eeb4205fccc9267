//! Random draws that a recorded seed reproduces on any machine and with any version of the rand crates.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// Returns a generator whose key is the SHA-256 of the seed and the named parts. The length of each part is hashed too,
/// so that no two lists of parts have the same key.
pub fn generator(seed: i64, parts: &[&[u8]]) -> ChaCha8Rng {
    let mut hash = Sha256::new();
    hash.update(seed.to_be_bytes());
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    ChaCha8Rng::from_seed(hash.finalize().into())
}

/// Shuffles the items (Fisher-Yates). It is written out here so that a version of the rand crates cannot change the
/// order. The modulo bias is below 2^-50.
pub fn shuffle<T>(items: &mut [T], random: &mut ChaCha8Rng) {
    for last in (1..items.len()).rev() {
        let other = random.next_u64() % (last as u64 + 1);
        items.swap(last, other as usize);
    }
}

/// Draws a whole number from 0 to `end - 1`; `end` is at least 1. The modulo bias is below 2^-40 for any sample of people.
pub fn below(end: usize, random: &mut ChaCha8Rng) -> usize {
    (random.next_u64() % end.max(1) as u64) as usize
}

/// Draws a number between 0 and 1, both excluded, so that any quantile of it is finite.
pub fn uniform(random: &mut ChaCha8Rng) -> f64 {
    ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// Shuffles the items that are not pinned. Pinned items keep their positions.
pub fn shuffle_around<T: Copy>(items: &mut [T], is_pinned: impl Fn(T) -> bool, random: &mut ChaCha8Rng) {
    let places: Vec<usize> =
        items.iter().enumerate().filter(|(_, item)| !is_pinned(**item)).map(|(place, _)| place).collect();
    let mut free: Vec<T> = places.iter().filter_map(|place| items.get(*place).copied()).collect();
    shuffle(&mut free, random);
    put_back(items, &places, free);
}

/// Reverses the items that are not pinned. Pinned items keep their positions.
pub fn reverse_around<T: Copy>(items: &mut [T], is_pinned: impl Fn(T) -> bool) {
    let places: Vec<usize> =
        items.iter().enumerate().filter(|(_, item)| !is_pinned(**item)).map(|(place, _)| place).collect();
    let free: Vec<T> = places.iter().rev().filter_map(|place| items.get(*place).copied()).collect();
    put_back(items, &places, free);
}

fn put_back<T>(items: &mut [T], places: &[usize], free: Vec<T>) {
    for (place, item) in places.iter().zip(free) {
        if let Some(slot) = items.get_mut(*place) {
            *slot = item;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pinned_items_keep_their_places_and_no_item_is_lost() {
        for seed in 0..50 {
            let mut items = [1, 2, 3, 4, 5, 6];
            shuffle_around(&mut items, |item| item == 2 || item == 6, &mut generator(seed, &[b"pins"]));
            assert_eq!((items[1], items[5]), (2, 6));
            items.sort_unstable();
            assert_eq!(items, [1, 2, 3, 4, 5, 6]);
        }
        let mut items = ["a", "b", "c", "other"];
        reverse_around(&mut items, |item| item == "other");
        assert_eq!(items, ["c", "b", "a", "other"]);
    }

    #[test]
    fn a_seed_gives_the_numbers_that_were_recorded_with_it() {
        let mut random = generator(7, &[b"recorded"]);
        let drawn: Vec<usize> = (0..5).map(|_| below(1_000_000, &mut random)).collect();
        assert_eq!(
            (drawn, uniform(&mut random)),
            (vec![453_495, 508_463, 7_598, 709_116, 434_941], 0.609_560_631_003_174_3)
        );
    }

    #[test]
    fn parts_that_only_join_alike_give_other_orders() {
        let order = |parts: &[&[u8]]| {
            let mut items: Vec<u32> = (0..40).collect();
            shuffle(&mut items, &mut generator(7, parts));
            items
        };
        assert_ne!(order(&[b"ab", b"c"]), order(&[b"a", b"bc"]));
        assert_eq!(order(&[b"ab", b"c"]), order(&[b"ab", b"c"]));
    }
}
