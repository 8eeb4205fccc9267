//! Converts the questions of a survey to those of the statistics.

use std::collections::BTreeMap;

use evidence::compare;
use evidence::metrics::Scale;
use evidence::upload::{self, Choice, Question, QuestionKind};
use survey::answer::AnswerShape;
use survey::flow::{Design, Node, Order};
use survey::item::Item;
use survey::logic;

use crate::drawn_rows::DrawnLoop;
use crate::run::Run;

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

/// Returns the questions of a run whose answers are compared.
pub fn of_run(run: &Run) -> Vec<Question> {
    let items: Vec<Item> = run.questions.iter().cloned().map(Item::from).collect();
    in_turns(run.survey.design.as_ref(), &items)
}

/// Returns the questions of a design whose answers are compared. A question in a turn of a loop that has all rows in their
/// order has the id of its row. A question of a loop whose rows are drawn is one for each row, not for each turn.
pub fn in_turns(design: Option<&Design>, items: &[Item]) -> Vec<Question> {
    let mut questions = questions(items);
    let Some(design) = design else { return questions };
    DrawnLoop::find(design).iter().for_each(|drawn| drawn.by_row(&mut questions));
    let rows = rows_of_turns(design);
    for question in &mut questions {
        let Some((name, turn)) = question.name.split_once('#') else { continue };
        let Ok(turn) = turn.parse::<usize>() else { continue };
        let row = turn.checked_sub(1).and_then(|turn| rows.get(name)?.get(turn));
        // Without the id of its row, the id is that of the question in all rows.
        question.import_id = question.import_id.take().zip(row).map(|(id, row)| format!("{row}_{id}"));
    }
    questions
}

/// Returns the ids of the rows of each question's turns, for loops that have all rows in their order and no loop within.
fn rows_of_turns(design: &Design) -> BTreeMap<&str, &[String]> {
    fn collect<'d>(
        nodes: &'d [Node],
        design: &'d Design,
        ids: &[&'d [String]],
        rows: &mut BTreeMap<&'d str, &'d [String]>,
    ) {
        for node in nodes {
            match node {
                Node::Block(block) => {
                    if let [ids] = ids {
                        rows.extend(block.questions.iter().map(|name| (name.as_str(), *ids)));
                    }
                }
                Node::Loop(turns) => {
                    let table = design.tables.get(&turns.table);
                    let own =
                        table.and_then(|table| table.row_ids.as_deref().filter(|ids| ids.len() == table.rows.len()));
                    let is_in_order = turns.take.is_none() && turns.order.unwrap_or_default() == Order::Fixed;
                    let ids: Vec<&[String]> =
                        ids.iter().copied().chain([own.filter(|_| is_in_order).unwrap_or_default()]).collect();
                    collect(&turns.flow, design, &ids, rows);
                }
                node => node.inside().for_each(|flow| collect(flow, design, ids, rows)),
            }
        }
    }
    let mut rows = BTreeMap::new();
    collect(&design.flow, design, &[], &mut rows);
    rows
}

fn question(item: &Item, kind: QuestionKind) -> Question {
    let parts = match &kind {
        QuestionKind::Matrix { rows, .. } => rows.as_slice(),
        QuestionKind::Multiple { .. } => item.choices(),
        QuestionKind::Single { .. } | QuestionKind::Number { .. } => &[],
    };
    // An edited row or option has lost its id, and none is guessed for it.
    let ids = item.logic.part_ids.as_ref();
    let part_ids = ids.map(|ids| parts.iter().map(|part| ids.get(part).cloned().unwrap_or_default()).collect());
    Question {
        name: item.name().to_owned(),
        import_id: item.logic.import_id.clone(),
        part_ids: part_ids.unwrap_or_default(),
        text: item.question.text.clone(),
        kind,
    }
}

pub(crate) fn kind(item: &Item) -> Option<QuestionKind> {
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
