//! Answers that are counted one by one, for the figures of a summary without a database.

use survey::answer::Answer;
use survey::question::Question;

use super::figures::Figures;
use super::given::GivenAnswers;
use super::numbers::{Intervals, Numbers};

/// How often each answer to one question was given. It grows with different answers, not with twins.
#[derive(Clone, Debug, Default)]
pub struct AnswerCounts(GivenAnswers);

impl AnswerCounts {
    /// Adds the answer of a twin. `None`: nothing that is read.
    pub fn add(&mut self, answer: Option<&Answer>) {
        self.0.add(answer, 1);
    }

    /// Numbers are counted in the intervals of `everyone`, the answers of all twins to the question.
    pub fn figures(&self, question: &Question, everyone: &Self) -> Figures {
        let bins = Intervals::of(question, &Numbers::given(&everyone.0).extent());
        Figures::of(question, &self.0, &bins)
    }
}
