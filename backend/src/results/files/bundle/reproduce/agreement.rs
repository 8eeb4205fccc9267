//! How many answers of two runs are identical, item by item. Both are read twin by twin.

use std::collections::BTreeMap;

use evidence::upload::part_name;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::results::pages::{InterviewOutcomes, RequestOutcome};
use crate::results::run::Run;

/// Answers of an item that are there twice, and how many of these pairs are identical.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdenticalAnswers {
    pub pairs: usize,
    pub identical: usize,
}

/// By place of the question, and by place of the row in a matrix.
pub type ByItem = BTreeMap<(usize, usize), IdenticalAnswers>;

/// The item's name, as comparisons have it.
pub fn item_name(run: &Run, (question, row): (usize, usize)) -> String {
    let name = run.questions[question].name.as_str();
    let is_in_rows = run.questions.get(question).is_some_and(has_rows);
    if is_in_rows { part_name(name, row + 1) } else { name.to_owned() }
}

fn has_rows(question: &survey::question::Question) -> bool {
    question.question_type.is_matrix() && !question.sub_questions.is_empty()
}

/// Counts what two interviews of one twin have in common.
pub fn count(run: &Run, one: &InterviewOutcomes, other: &InterviewOutcomes, counts: &mut ByItem) -> Result<()> {
    for (place, question) in run.questions.iter().enumerate() {
        let (Some(one), Some(other)) = (value(one, place)?, value(other, place)?) else { continue };
        let mut compared = |row: usize, one: Option<&Value>, other: Option<&Value>| {
            if one.is_none() && other.is_none() {
                return;
            }
            let counted = counts.entry((place, row)).or_default();
            counted.pairs += 1;
            counted.identical += usize::from(one == other);
        };
        if has_rows(question) {
            for (row, text) in question.sub_questions.iter().enumerate() {
                compared(row, one.get(text), other.get(text));
            }
        } else {
            compared(0, Some(&one), Some(&other));
        }
    }
    Ok(())
}

fn value(of: &InterviewOutcomes, place: usize) -> Result<Option<Value>> {
    let Some(RequestOutcome::Answered(answer, _)) = of.outcomes.get(place) else { return Ok(None) };
    let unreadable = |error: serde_json::Error| Error::bad_input(format!("twin {}: {error}", of.persona.id));
    answer.answer_value.parse().map(Some).map_err(unreadable)
}
