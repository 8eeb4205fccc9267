//! Draws of invented answers.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use random::shuffle;

use crate::question::Question;

/// The question as a twin was shown it, from which an invented answer is drawn.
#[derive(Clone, Debug)]
pub struct Offer<'a> {
    pub question: &'a Question,
    /// The options or labels that were shown, in this order.
    pub choices: Vec<&'a str>,
    /// The rows that were shown, in this order.
    pub rows: Vec<&'a str>,
}

impl Offer<'_> {
    /// Draws one choice. `None` if there is none.
    pub(super) fn one(&self, random: &mut ChaCha8Rng) -> Option<String> {
        let place = random.next_u64().checked_rem(self.choices.len() as u64)?;
        self.choices.get(usize::try_from(place).ok()?).map(|choice| (*choice).to_owned())
    }

    /// Draws at least one choice, in the order shown. Empty if there is none.
    pub(super) fn some(&self, random: &mut ChaCha8Rng) -> Vec<String> {
        let sure = self.one(random);
        let chosen = self
            .choices
            .iter()
            .filter(|choice| Some(**choice) == sure.as_deref() || random.next_u64().is_multiple_of(2));
        chosen.map(|choice| (*choice).to_owned()).collect()
    }

    /// Draws an order of all choices.
    pub(super) fn shuffled(&self, random: &mut ChaCha8Rng) -> Vec<String> {
        let mut choices: Vec<String> = self.choices.iter().map(|choice| (*choice).to_owned()).collect();
        shuffle(&mut choices, random);
        choices
    }
}
