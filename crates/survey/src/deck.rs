//! Deals the children of a node from decks of cards, so that they are balanced after any number of twins.

use std::collections::VecDeque;

use random::{generator, shuffle};

/// The deck of one node in one stratum. It holds each child as often as its weight says. When it is used up, the next
/// deck follows; cards that were left over are dealt first.
#[derive(Debug)]
pub struct Deck {
    seed: i64,
    /// The kind of thing that is dealt and the node: part of the random key of each deck.
    node: String,
    stratum: String,
    /// Weights divided by their greatest common divisor.
    weights: Vec<u32>,
    number: u64,
    left: VecDeque<usize>,
}

impl Deck {
    pub fn new(seed: i64, node: impl Into<String>, stratum: String, weights: &[u32]) -> Self {
        let divisor = weights.iter().copied().fold(0, greatest_common_divisor).max(1);
        let weights = weights.iter().map(|weight| weight / divisor).collect();
        Self { seed, node: node.into(), stratum, weights, number: 0, left: VecDeque::new() }
    }

    /// Draws `take` different children, in the order dealt, or all of them if there are fewer. Leaves a child that was
    /// drawn already for the next twin.
    pub fn draw(&mut self, take: usize) -> Vec<usize> {
        let take = take.min(self.weights.iter().filter(|weight| **weight > 0).count());
        let mut hand: Vec<usize> = Vec::with_capacity(take);
        let mut next = 0;
        while hand.len() < take {
            if next == self.left.len() {
                self.add_deck();
            }
            match self.left.get(next) {
                Some(card) if !hand.contains(card) => hand.extend(self.left.remove(next)),
                _ => next += 1,
            }
        }
        hand
    }

    fn add_deck(&mut self) {
        let count = |weight: &u32| usize::try_from(*weight).unwrap_or(usize::MAX);
        let mut cards: Vec<usize> = (self.weights.iter().enumerate())
            .flat_map(|(child, weight)| std::iter::repeat_n(child, count(weight)))
            .collect();
        let number = self.number.to_be_bytes();
        let parts = [b"deck".as_slice(), self.node.as_bytes(), self.stratum.as_bytes(), &number];
        shuffle(&mut cards, &mut generator(self.seed, &parts));
        self.number += 1;
        self.left.extend(cards);
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_child_without_weight_is_never_dealt_and_nothing_is_dealt_forever() {
        let mut deck = Deck::new(1, "arm", String::new(), &[0, 2]);
        assert_eq!(deck.draw(2), [1]);
        assert_eq!(Deck::new(1, "arm", String::new(), &[]).draw(3), [0; 0]);
    }

    proptest! {
        #[test]
        fn every_child_is_within_one_deck_of_its_weight_at_every_prefix(
            seed: i64, weights in prop::collection::vec(1_u32..20, 1..6), twins in 1_usize..120,
        ) {
            let mut deck = Deck::new(seed, "arm", "Female".into(), &weights);
            let total: u32 = deck.weights.iter().sum();
            let weights = deck.weights.clone();
            let mut dealt = vec![0_u32; weights.len()];
            for twin in 1..=twins {
                dealt[deck.draw(1)[0]] += 1;
                let full = u32::try_from(twin).unwrap() / total;
                for (dealt, weight) in dealt.iter().zip(&weights) {
                    prop_assert!((full * weight..=(full + 1) * weight).contains(dealt));
                }
            }
        }

        #[test]
        fn hands_of_several_are_of_different_children_and_stay_balanced(
            seed: i64, children in 2_usize..7, take in 1_usize..7, twins in 1_usize..80,
        ) {
            let take = take.min(children);
            let mut deck = Deck::new(seed, "arm", String::new(), &vec![1; children]);
            let mut dealt = vec![0_usize; children];
            for twin in 1..=twins {
                let hand = deck.draw(take);
                let mut different = hand.clone();
                different.sort_unstable();
                different.dedup();
                prop_assert_eq!(different.len(), take);
                for child in hand {
                    dealt[child] += 1;
                }
                // Duplicates are left over, so one more deck may have been opened.
                let (least, most) = (twin * take / children, (twin * take).div_ceil(children));
                prop_assert!(dealt.iter().all(|dealt| dealt + 1 >= least && *dealt <= most + 1), "{:?}", dealt);
            }
        }
    }
}
