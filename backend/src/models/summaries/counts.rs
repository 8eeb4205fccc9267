//! Answers that are counted one by one, for the figures of a summary without a database.

use serde_json::Value;
use survey::question::{Question, QuestionType};

use super::figures::Figures;
use super::given::GivenAnswers;
use super::numbers::{Intervals, Numbers};

/// How often each answer to one question was given. It grows with different answers, not with twins.
#[derive(Clone, Debug, Default)]
pub struct AnswerCounts(GivenAnswers);

impl AnswerCounts {
    /// Adds the typed answer of a twin.
    pub fn add(&mut self, question: &Question, value: Value) {
        // Free texts, which nearly all differ, are counted as one.
        let value = (!question.is_text()).then_some(value);
        self.0.add(value, 1, question.question_type == QuestionType::Rank);
    }

    /// Numbers are counted in the intervals of `everyone`, the answers of all twins to the question.
    pub fn figures(&self, question: &Question, everyone: &Self) -> Figures {
        let bins = Intervals::of(question, &Numbers::given(&everyone.0).extent());
        Figures::of(question, &self.0, &bins)
    }
}
