//! The draw of a twin's answer from its distribution.

use rand_chacha::ChaCha8Rng;
use survey::answer::Answer;
use survey::distribution::Distribution;
use survey::question::Question;

use crate::parameters::Parameters;

/// The run's seed and the twin: with a question they fix the draw of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawKey {
    seed: i64,
    persona_id: i32,
}

impl DrawKey {
    /// Repeats of a run draw other answers.
    pub fn new(parameters: &Parameters, persona_id: i32) -> Self {
        Self { seed: parameters.model_seed(), persona_id }
    }

    /// Draws the answer to a question. `None`: the distribution is not of such answers.
    ///
    /// A question is known by its place and its words, not by its database id: the same survey run again with the same
    /// seed draws by the same numbers.
    pub fn answer(self, question: &Question, distribution: &Distribution) -> Option<Answer> {
        distribution.draw(question, &mut self.random(question))
    }

    /// The 0-based place of the answer that is kept among so many draws.
    pub fn place(self, question: &Question, draws: usize) -> usize {
        random::below(draws, &mut self.random(question))
    }

    fn random(self, question: &Question) -> ChaCha8Rng {
        let persona = self.persona_id.to_be_bytes();
        let place = question.order.to_be_bytes();
        random::generator(self.seed, &[b"answer", &persona, &place, question.text.as_bytes()])
    }
}
