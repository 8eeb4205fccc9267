//! A question with its logic: what a design places, deals and asks.

use super::answer::AnswerShape;
use super::logic::QuestionLogic;
use crate::question::{Question, QuestionType};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    pub question: Question,
    /// Of the question, whose own is empty: but a question as a twin sees it says which options are exclusive.
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

    /// Whether it takes an answer, and so is a request and costs a credit.
    pub fn is_request(&self) -> bool {
        self.question.is_request()
    }

    pub fn kind(&self) -> QuestionType {
        self.question.question_type
    }

    /// What is chosen from: the options, or a matrix's labels.
    pub fn choices(&self) -> &[String] {
        self.question.choices()
    }

    /// The options that exclude the others, of a question whose options are shown with these texts, as written.
    pub fn exclusive(&self, shown: &[String]) -> Option<Vec<String>> {
        let written = self.logic.exclusive.as_ref()?;
        let texts = self.question.options.iter().zip(shown).filter(|(option, _)| written.contains(option));
        Some(texts.map(|(_, shown)| shown.clone()).collect())
    }

    /// The code of the choice at this position from 0.
    pub fn code(&self, choice: usize) -> i64 {
        self.logic.code(choice)
    }

    /// How many parts of its answer a condition or a pipe can name by number; 0: the answer is one whole.
    pub fn rows(&self) -> usize {
        match self.question.shape() {
            Some(AnswerShape::Labels | AnswerShape::LabelSets) => self.question.rows().len(),
            Some(AnswerShape::Parts | AnswerShape::Ranking) => self.question.options.len(),
            Some(AnswerShape::BestWorst) => 2,
            _ => 0,
        }
    }
}
