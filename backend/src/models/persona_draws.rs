//! Draws of personas by a seed.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Returns the first `n` positions of a Fisher-Yates shuffle, ascending. A library's shuffle may change, but the seed
/// of a published run must always give the same personas.
pub(super) fn sample(mut ids: Vec<i32>, n: usize, seed: i64) -> Vec<i32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed as u64);
    let n = n.min(ids.len());
    for place in 0..n {
        let left = (ids.len() - place) as u128;
        // Scales a 64-bit number to the remaining range; the bias is below one in a trillion.
        let step = (u128::from(rng.next_u64()) * left) >> 64;
        ids.swap(place, place + step as usize);
    }
    ids.truncate(n);
    ids.sort_unstable();
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_names_the_same_twins_for_ever() {
        let ids: Vec<i32> = (1..=2058).collect();
        assert_eq!(sample(ids.clone(), 5, 7), sample(ids.clone(), 5, 7));
        assert_ne!(sample(ids.clone(), 5, 7), sample(ids.clone(), 5, 8));
        insta::assert_compact_debug_snapshot!(sample(ids, 5, 7), @"[325, 347, 1239, 1450, 1497]");
    }

    #[test]
    fn a_sample_of_all_is_all() {
        assert_eq!(sample(vec![1, 2, 5], 9, 1), [1, 2, 5]);
        assert!(sample(vec![], 9, 1).is_empty());
    }

    #[test]
    fn every_twin_is_chosen_about_equally_often() {
        let mut chosen = [0; 10];
        for seed in 0..1000 {
            for id in sample((0..10).collect(), 3, seed) {
                chosen[id as usize] += 1;
            }
        }
        // 300 expected, with a standard deviation of 14.
        assert!(chosen.iter().all(|&times| (240..360).contains(&times)), "{chosen:?}");
    }
}
