//! The matrix of a run: a row for each twin, a cell for each question.

use serde::Serialize;
use utoipa::ToSchema;

use super::pages::{Interview, Outcome};
use super::rows::{AnswerValue, RequestStatus};
use super::run::Run;
use crate::models::json::Json;

/// One twin's answers, in survey order.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatrixRow<'a> {
    #[schema(example = 17)]
    pub persona_id: i32,
    #[schema(example = "Twin 17")]
    pub persona_name: &'a str,
    /// One for each question of the run.
    pub answers: Vec<MatrixCell<'a>>,
}

/// One twin's answer to one question.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatrixCell<'a> {
    #[schema(example = 3)]
    pub question_id: i64,
    pub status: RequestStatus,
    /// Null where there is none.
    #[schema(example = "Tea")]
    pub answer: Option<&'a str>,
    /// The answer typed.
    #[schema(value_type = Option<AnswerValue>, example = "Tea")]
    pub answer_value: Option<&'a Json>,
}

impl<'a> MatrixRow<'a> {
    pub fn of(run: &'a Run, interview: &'a Interview) -> Self {
        let cell = |(question, outcome): (&'a crate::models::questions::Question, &'a Outcome)| {
            let (status, answer) = match outcome {
                Outcome::Answered(answer, _) => (RequestStatus::Answered, Some(answer)),
                Outcome::Failed(_) => (RequestStatus::Failed, None),
                Outcome::Open => (RequestStatus::Open, None),
            };
            MatrixCell {
                question_id: question.id,
                status,
                answer: answer.map(|given| &*given.answer),
                answer_value: answer.map(|given| &given.answer_value),
            }
        };
        Self {
            persona_id: interview.persona_id,
            persona_name: &interview.persona_name,
            answers: run.survey.questions.iter().zip(&interview.outcomes).map(cell).collect(),
        }
    }
}
