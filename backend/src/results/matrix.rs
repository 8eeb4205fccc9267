//! The matrix of a run: a row for each twin, a cell for each question.

use serde::Serialize;
use simulation::answers::RequestOutcome;
use simulation::json::JsonText;
use simulation::outcomes::InterviewOutcomes;
use simulation::rows::{AnswerValue, RequestStatus};
use simulation::run::Run;
use utoipa::ToSchema;

/// One twin's answers, in survey order.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatrixRow<'a> {
    #[schema(example = 17)]
    pub persona_id: i32,
    /// The dataset's id of the person.
    #[schema(example = "1204")]
    pub persona_pid: &'a str,
    #[schema(example = "Twin 17")]
    pub persona_name: &'a str,
    /// Demographics by label, as they were when the run started.
    #[schema(value_type = std::collections::BTreeMap<String, String>, example = json!({"Gender": "Female", "Age": "30-49"}))]
    pub attributes: &'a JsonText,
    /// A cell for each question of the run.
    pub answers: Vec<MatrixCell<'a>>,
}

/// One twin's answer to one question.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatrixCell<'a> {
    #[schema(example = 3)]
    pub question_id: i64,
    pub status: RequestStatus,
    /// The answer's text; null if there is none.
    #[schema(example = "Tea")]
    pub answer: Option<&'a str>,
    /// The answer as typed JSON.
    #[schema(value_type = Option<AnswerValue>, example = "Tea")]
    pub answer_value: Option<&'a JsonText>,
}

impl<'a> MatrixRow<'a> {
    pub fn new(run: &'a Run, interview: &'a InterviewOutcomes) -> Self {
        let cell = |(question, outcome): (&'a survey::question::Question, &'a RequestOutcome)| {
            let (status, answer) = match outcome {
                RequestOutcome::Answered(answer, _) => (RequestStatus::Answered, Some(answer)),
                RequestOutcome::Failed(_) => (RequestStatus::Failed, None),
                RequestOutcome::Open => (RequestStatus::Open, None),
                RequestOutcome::Skipped(_) => (RequestStatus::Skipped, None),
                RequestOutcome::NotAssigned => (RequestStatus::NotAssigned, None),
            };
            MatrixCell {
                question_id: question.id,
                status,
                answer: answer.map(|given| &*given.answer),
                answer_value: answer.map(|given| &given.answer_value),
            }
        };
        Self {
            persona_id: interview.persona.id,
            persona_pid: &interview.persona.pid,
            persona_name: &interview.persona.name,
            attributes: &interview.persona.attributes,
            answers: run.questions.iter().zip(&interview.outcomes).map(cell).collect(),
        }
    }
}
