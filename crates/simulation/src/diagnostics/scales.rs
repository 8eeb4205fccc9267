//! Finds the questions and rows that are answered on one scale of agreement.

use std::collections::BTreeMap;

use evidence::compare::{KeyedItem, KeyedScale};
use evidence::upload::part_name;
use survey::answer::AnswerShape;
use survey::logic::Scale;
use survey::question::Question;

/// Returns each matrix with an order, and each group of single choices with an order and the same options. The last
/// label is full agreement.
pub fn scales(questions: &[Question]) -> Vec<KeyedScale> {
    let matrices = questions.iter().filter(|question| is_scale(question, AnswerShape::Labels)).map(|question| {
        let row = |(place, text): (usize, &String)| KeyedItem {
            name: part_name(&question.name, place + 1),
            categories: question.scale_labels.len(),
            is_reversed: is_reversed(question) != question.logic.reverse_rows.iter().flatten().any(|row| row == text),
        };
        let items = question.sub_questions.iter().enumerate().map(row).collect();
        KeyedScale { name: question.name.clone(), is_matrix: true, items }
    });
    let mut choices: BTreeMap<&[String], Vec<&Question>> = BTreeMap::new();
    for question in questions.iter().filter(|question| is_scale(question, AnswerShape::Choice)) {
        choices.entry(&question.options).or_default().push(question);
    }
    let of_choices = choices.into_values().filter(|asked| asked.len() > 1).map(|asked| {
        let item = |question: &&Question| KeyedItem {
            name: question.name.clone(),
            categories: question.options.len(),
            is_reversed: is_reversed(question),
        };
        let names: Vec<&str> = asked.iter().map(|question| question.name.as_str()).collect();
        KeyedScale { name: names.join(", "), is_matrix: false, items: asked.iter().map(item).collect() }
    });
    matrices.chain(of_choices).collect()
}

fn is_reversed(question: &Question) -> bool {
    question.logic.reverse.unwrap_or_default()
}

/// Whether the options have an order: a matrix has one unless it is marked as nominal; a choice has none unless it is
/// marked as ordinal or interval.
fn is_scale(question: &Question, shape: AnswerShape) -> bool {
    let scale = question.logic.scale.or((shape == AnswerShape::Labels).then_some(Scale::Ordinal));
    question.shape() == Some(shape) && scale.is_some_and(|scale| scale != Scale::Nominal)
}
