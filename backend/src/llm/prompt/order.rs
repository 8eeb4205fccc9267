//! The order in which a persona sees the options.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use random::shuffle;
use sha2::{Digest, Sha256};
use survey::question::Question;

/// The options of a question as 1-based positions in the order shown; empty for every other type.
///
/// A question is known by its place and its words, not by its database id: the same survey run again with the same
/// seed shows the same orders.
pub fn option_order(seed: i64, persona_id: i32, question: &Question) -> Vec<i16> {
    let mut positions = as_written(question);
    shuffle(&mut positions, &mut ChaCha8Rng::from_seed(key(seed, persona_id, question)));
    positions
}

/// 1, 2, 3 and so on for questions with options; empty for every other type.
pub(super) fn as_written(question: &Question) -> Vec<i16> {
    let count = if question.has_options() { question.options.len() } else { 0 };
    (1..=i16::try_from(count).unwrap_or(i16::MAX)).collect()
}

fn key(seed: i64, persona_id: i32, question: &Question) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(seed.to_be_bytes());
    hash.update(persona_id.to_be_bytes());
    hash.update(question.order.to_be_bytes());
    for text in std::iter::once(&question.text).chain(&question.options) {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    hash.finalize().into()
}
