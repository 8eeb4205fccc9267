//! How many answers of two runs are identical, item by item. Both are read twin by twin.

use std::collections::BTreeMap;

use evidence::upload::part_name;
use simulation::answers::RequestOutcome;
use simulation::error::{Error, Result};
use simulation::outcomes::InterviewOutcomes;
use simulation::run::Run;
use survey::answer::Answer;
use survey::question::Question;

/// Pairs of answers to an item, and how many of them are identical.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdenticalAnswers {
    pub pairs: usize,
    pub identical: usize,
}

/// Counts by place of the question, and by place of the row in a matrix.
pub type ByItem = BTreeMap<(usize, usize), IdenticalAnswers>;

/// Returns the name of an item, as comparisons have it.
pub fn item_name(run: &Run, (question, row): (usize, usize)) -> String {
    let name = run.questions[question].name.as_str();
    let is_in_rows = run.questions.get(question).is_some_and(has_rows);
    if is_in_rows { part_name(name, row + 1) } else { name.to_owned() }
}

fn has_rows(question: &Question) -> bool {
    question.question_type.is_matrix() && !question.sub_questions.is_empty()
}

/// Counts what two interviews of one twin have in common.
pub fn count(run: &Run, one: &InterviewOutcomes, other: &InterviewOutcomes, counts: &mut ByItem) -> Result<()> {
    for (place, question) in run.questions.iter().enumerate() {
        let (Some(one), Some(other)) = (decode(one, place, question)?, decode(other, place, question)?) else {
            continue;
        };
        let mut compare = |row: usize, is_same: bool| {
            let counted = counts.entry((place, row)).or_default();
            counted.pairs += 1;
            counted.identical += usize::from(is_same);
        };
        if has_rows(question) {
            for (row, text) in question.sub_questions.iter().enumerate() {
                match (one.part(Some(text)), other.part(Some(text))) {
                    (None, None) => {}
                    (one, other) => compare(row, one == other),
                }
            }
        } else {
            compare(0, one == other);
        }
    }
    Ok(())
}

fn decode(of: &InterviewOutcomes, place: usize, question: &Question) -> Result<Option<Answer>> {
    let Some(RequestOutcome::Answered(stored, _)) = of.outcomes.get(place) else { return Ok(None) };
    let unreadable = |error: serde_json::Error| Error::bad_input(format!("twin {}: {error}", of.persona.id));
    stored.answer_value.decode(question).map(Some).map_err(unreadable)
}
