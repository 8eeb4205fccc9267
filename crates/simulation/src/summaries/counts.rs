//! Counts answers one by one, for the figures of a summary without a database.

use survey::answer::Answer;
use survey::question::Question;

use crate::summaries::figures::Figures;
use crate::summaries::given::GivenAnswers;
use crate::summaries::numbers::Intervals;

/// Frequency of each answer to one question. Its size depends on the number of different answers, not of personas.
#[derive(Clone, Debug, Default)]
pub struct AnswerCounts(GivenAnswers);

impl AnswerCounts {
    /// Adds the answer of a persona. `None`: the answer cannot be read.
    pub fn add(&mut self, answer: Option<&Answer>) {
        self.0.add(answer, 1);
    }

    /// Computes the figures. Numbers are counted in the intervals of `everyone`, the answers of all personas.
    pub fn figures(&self, question: &Question, everyone: &Self) -> Figures {
        let bins = Intervals::from_question(question, &everyone.0.numbers().extent());
        Figures::compute(question, &self.0, &bins)
    }
}
