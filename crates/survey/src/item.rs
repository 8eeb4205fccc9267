//! A question with its logic: the unit that a design places, deals and asks.

use super::logic::QuestionLogic;
use crate::question::{Question, QuestionType};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    pub question: Question,
    /// The question's logic. `question.logic` is empty, except that a question as a twin sees it names its exclusive
    /// options.
    pub logic: QuestionLogic,
}

impl From<Question> for Item {
    fn from(mut question: Question) -> Self {
        let logic = std::mem::take(&mut question.logic);
        Self { question, logic }
    }
}

impl From<Item> for Question {
    fn from(item: Item) -> Self {
        Self { logic: item.logic, ..item.question }
    }
}

impl Item {
    pub fn name(&self) -> &str {
        &self.question.name
    }

    /// Whether the question takes an answer, and so is a request and costs a credit.
    pub fn is_request(&self) -> bool {
        self.question.is_request()
    }

    pub fn kind(&self) -> QuestionType {
        self.question.question_type
    }

    /// The options of a choice, or the labels of a matrix.
    pub fn choices(&self) -> &[String] {
        self.question.choices()
    }

    /// Returns the exclusive options, as they are shown. `shown` has the texts of the options in the order written.
    pub fn exclusive(&self, shown: &[String]) -> Option<Vec<String>> {
        let written = self.logic.exclusive.as_ref()?;
        let texts = self.question.options.iter().zip(shown).filter(|(option, _)| written.contains(option));
        Some(texts.map(|(_, shown)| shown.clone()).collect())
    }

    /// The code of a choice at a 0-based position.
    pub fn code(&self, choice: usize) -> i64 {
        self.logic.code(choice)
    }

    /// Number of parts of the answer that a condition or a pipe can name by number; 0 if the answer has no parts.
    pub fn rows(&self) -> usize {
        self.question.part_names().len()
    }
}
