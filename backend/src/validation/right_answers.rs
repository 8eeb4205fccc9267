//! Held-out questions with generally accepted right answers.
//!
//! Options are in the order of the dataset's own survey (`docs/` of the repository
//! tianyipeng-lab/Digital-Twin-Simulation).

use std::collections::BTreeMap;

use diesel_async::AsyncPgConnection;
use simulation::diagnostics::AnswerKey;
use simulation::run::Run;

use crate::error::Result;
use crate::models::held_out::{self, HeldOutAnswers, HeldOutQuestion};
use crate::models::{simulation_personas, studies, validations};

/// A question whose right answers follow from the norm that its task was made for.
struct RightAnswer {
    qid: &'static str,
    task: &'static str,
    /// Positions of options or columns from 1; for a matrix in every row.
    right: &'static [f64],
}

const fn right(qid: &'static str, task: &'static str, right: &'static [f64]) -> RightAnswer {
    RightAnswer { qid, task, right }
}

/// The questions. `docs/evidence.md` has the reasons and their sources. Tasks about the difference between two wordings
/// have no right answer of one person, and are left out.
const RIGHT_ANSWERS: [RightAnswer; 5] = [
    // 1 of 10 is more than 8 of 100 (Denes-Raj and Epstein 1994).
    right("QID196", "Denominator neglect", &[1.0]),
    // The more frequent colour each time: 7 in 10 cards, and 4 in 6 faces (West and Stanovich 2003).
    right("QID198", "Probability matching", &[1.0]),
    right("QID203", "Probability matching", &[1.0]),
    // Dying of the vaccine (5 %) is less likely than of the flu (10 %): probably or definitely take it (Ritov and Baron 1990).
    right("QID291", "Omission", &[3.0, 4.0]),
    // For invented people: 2 of 10 is more than 16 of 100.
    right("S14", "Chances", &[2.0]),
];

/// Returns the questions that a run of a validation asked, with the people's first answers. Empty for other runs.
pub async fn of_run(conn: &mut AsyncPgConnection, run: &Run) -> Result<Vec<AnswerKey>> {
    let Some(study) = studies::of_run(conn, run.facts.simulation_id).await? else { return Ok(Vec::new()) };
    let Some(study) = validations::find(conn, study).await? else { return Ok(Vec::new()) };
    let questions = held_out::questions(conn, study.set_id).await?;
    let twins = simulation_personas::ids(conn, run.facts.id).await?;
    let answers = held_out::answers(conn, study.set_id, Some(&twins)).await?;
    let known = |of: &RightAnswer| {
        let question = questions.iter().find(|question| question.qid == of.qid)?;
        Some(AnswerKey {
            title: of.task,
            question: run.questions.iter().position(|asked| asked.name == of.qid)?,
            right: of.right,
            people: people(question, of.right, &answers),
        })
    };
    Ok(RIGHT_ANSWERS.iter().filter_map(known).collect())
}

/// The share of a person's first answers that were right.
fn people(question: &HeldOutQuestion, right: &[f64], answers: &BTreeMap<i32, HeldOutAnswers>) -> BTreeMap<i32, f64> {
    let keys: Vec<String> = match question.rows() {
        [] => vec![question.key(None)],
        rows => rows.iter().map(|row| question.key(Some(row))).collect(),
    };
    let share = |answers: &HeldOutAnswers| {
        let first: Vec<f64> = keys.iter().filter_map(|key| answers.get(key)?.0).collect();
        let hits = first.iter().filter(|answer| right.contains(answer)).count();
        (!first.is_empty()).then(|| hits as f64 / first.len() as f64)
    };
    answers.iter().filter_map(|(twin, answers)| Some((*twin, share(answers)?))).collect()
}
