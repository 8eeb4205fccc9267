//! Converts the questions of a survey to those of the statistics.

use evidence::compare;
use evidence::metrics::Scale;
use evidence::upload::{self, Choice, Question, QuestionKind};
use survey::answer::AnswerShape;
use survey::item::Item;
use survey::logic;

/// Returns the questions of a survey whose answers are compared.
pub fn asked(of_survey: &[survey::question::Question]) -> Vec<Question> {
    let is_asked = |question: &&survey::question::Question| question.is_request();
    let items: Vec<Item> = of_survey.iter().filter(is_asked).cloned().map(Item::from).collect();
    questions(&items)
}

/// Returns the items by which samples of a survey with these questions are counted.
pub fn items(of_survey: &[survey::question::Question]) -> Vec<compare::Item> {
    upload::items(&asked(of_survey))
}

/// Returns the questions whose answers are compared: choices and numbers, but not texts, ranks and sums.
pub fn questions(items: &[Item]) -> Vec<Question> {
    items.iter().filter_map(|item| Some((item, kind(item)?))).map(|(item, kind)| question(item, kind)).collect()
}

fn question(item: &Item, kind: QuestionKind) -> Question {
    // Surveys do not store Qualtrics' ids.
    Question { name: item.name().to_owned(), import_id: None, text: item.question.text.clone(), kind }
}

fn kind(item: &Item) -> Option<QuestionKind> {
    let labels = item.choices().iter().enumerate();
    let choices: Vec<Choice> =
        labels.map(|(place, label)| Choice { label: label.clone(), code: item.code(place) }).collect();
    let is_ordered = |by_default: bool| item.logic.scale.map_or(by_default, |scale| scale != logic::Scale::Nominal);
    match item.question.shape() {
        Some(AnswerShape::Choice) => Some(QuestionKind::Single { choices, is_ordered: is_ordered(false) }),
        Some(AnswerShape::YesNo) => {
            let choice = |label: &str, code| Choice { label: label.to_owned(), code };
            Some(QuestionKind::Single { choices: vec![choice("Yes", 1), choice("No", 0)], is_ordered: false })
        }
        Some(AnswerShape::Choices) => Some(QuestionKind::Multiple { choices }),
        Some(AnswerShape::Labels) => Some(QuestionKind::Matrix {
            rows: item.question.sub_questions.clone(),
            choices,
            is_ordered: is_ordered(true),
        }),
        Some(AnswerShape::Number) => {
            let bounds = item.question.min_value.zip(item.question.max_value);
            let scale = bounds.map_or(Scale::Unbounded, |(min, max)| Scale::Interval { min, max });
            Some(QuestionKind::Number { scale })
        }
        _ => None,
    }
}
