//! The questions of a survey as the statistics know them.

use evidence::metrics::Scale;
use evidence::upload::{Choice, Question, QuestionKind};
use survey::item::Item;
use survey::logic;
use survey::question::QuestionType;

/// Those whose answers are compared: choices and numbers, not texts, ranks and sums.
pub fn questions(items: &[Item]) -> Vec<Question> {
    items.iter().filter_map(|item| Some((item, kind(item)?))).map(|(item, kind)| question(item, kind)).collect()
}

fn question(item: &Item, kind: QuestionKind) -> Question {
    // Surveys do not keep Qualtrics' ids.
    Question { name: item.name().to_owned(), import_id: None, text: item.question.text.clone(), kind }
}

fn kind(item: &Item) -> Option<QuestionKind> {
    let labels = item.choices().iter().enumerate();
    let choices: Vec<Choice> =
        labels.map(|(place, label)| Choice { label: label.clone(), code: item.code(place) }).collect();
    let is_ordered = |by_default: bool| item.logic.scale.map_or(by_default, |scale| scale != logic::Scale::Nominal);
    match item.kind() {
        QuestionType::SingleChoice => Some(QuestionKind::Single { choices, is_ordered: is_ordered(false) }),
        QuestionType::Boolean => {
            let choice = |label: &str, code| Choice { label: label.to_owned(), code };
            Some(QuestionKind::Single { choices: vec![choice("Yes", 1), choice("No", 0)], is_ordered: false })
        }
        QuestionType::MultipleChoice => Some(QuestionKind::Multiple { choices }),
        QuestionType::Matrix => Some(QuestionKind::Matrix {
            rows: item.question.sub_questions.clone(),
            choices,
            is_ordered: is_ordered(true),
        }),
        QuestionType::Slider | QuestionType::Range | QuestionType::Number => {
            let bounds = item.question.min_value.zip(item.question.max_value);
            let scale = bounds.map_or(Scale::Unbounded, |(min, max)| Scale::Interval { min, max });
            Some(QuestionKind::Number { scale })
        }
        QuestionType::TextEntry
        | QuestionType::OpenEnded
        | QuestionType::Info
        | QuestionType::ConstantSum
        | QuestionType::Rank
        | QuestionType::BestWorst
        | QuestionType::MatrixMulti => None,
    }
}
