//! The rows of a run, read a page of personas at a time: every persona with every question, in survey order.

use std::collections::HashMap;
use std::fmt::{self, Write};

use chrono::{DateTime, Utc};
use diesel::QueryResult;
use diesel_async::AsyncPgConnection;
use futures_util::future::try_join;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::run::Run;
use crate::models::questions::QuestionType;
use crate::models::request_failures::{self, RequestFailure};
use crate::models::responses::{self, Response};
use crate::models::simulation_personas;

/// Rows in a page, about: a page holds whole personas, at least one.
const PAGE: usize = 2_000;

/// What became of one request.
#[derive(Clone, Debug)]
pub enum Outcome {
    Answered(Response),
    Failed(RequestFailure),
    /// Not asked, being asked, or being asked again.
    Open,
}

/// One persona's part of the run: an outcome for each question, in survey order.
#[derive(Clone, Debug)]
pub struct Interview {
    pub persona_id: i32,
    pub persona_name: String,
    pub outcomes: Vec<Outcome>,
}

/// Walks a run by the primary key of its answers, so that each page costs the same.
pub struct Pages {
    simulation: i64,
    /// Place in the survey by question id.
    places: HashMap<i64, usize>,
    personas_a_page: i64,
    /// The last persona read; ids start at 1.
    after: i32,
}

impl Pages {
    pub fn of(run: &Run) -> Self {
        let places: HashMap<i64, usize> =
            run.survey.questions.iter().enumerate().map(|(place, question)| (question.id, place)).collect();
        let personas_a_page = (PAGE / places.len().max(1)).max(1) as i64;
        Self { simulation: run.facts.id, places, personas_a_page, after: 0 }
    }

    /// `None` after the last page.
    pub async fn next(&mut self, conn: &AsyncPgConnection) -> QueryResult<Option<Vec<Interview>>> {
        let names = simulation_personas::names(conn, self.simulation, self.after, self.personas_a_page).await?;
        let Some(&(last, _)) = names.last() else { return Ok(None) };
        let (answers, failures) = try_join(
            responses::of_personas(conn, self.simulation, self.after, last),
            request_failures::of_personas(conn, self.simulation, self.after, last),
        )
        .await?;
        self.after = last;
        Ok(Some(self.assemble(names, answers, failures)))
    }

    fn assemble(
        &self,
        names: Vec<(i32, String)>,
        answers: Vec<Response>,
        failures: Vec<RequestFailure>,
    ) -> Vec<Interview> {
        let mut page: Vec<Interview> = names
            .into_iter()
            .map(|(persona_id, persona_name)| Interview {
                persona_id,
                persona_name,
                outcomes: vec![Outcome::Open; self.places.len()],
            })
            .collect();
        let mut place = |persona_id: i32, question_id: i64, outcome: Outcome| {
            let interview = page.binary_search_by_key(&persona_id, |interview| interview.persona_id);
            if let (Ok(interview), Some(&question)) = (interview, self.places.get(&question_id)) {
                page[interview].outcomes[question] = outcome;
            }
        };
        for failure in failures.into_iter().filter(|failure| !failure.retrying) {
            place(failure.persona_id, failure.question_id, Outcome::Failed(failure));
        }
        // After the failures: in a run under way, an answer read later than a failure replaces it.
        for answer in answers {
            place(answer.persona_id, answer.question_id, Outcome::Answered(answer));
        }
        page
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Answered,
    Failed,
    Open,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Failed => "failed",
            Self::Open => "open",
        }
    }
}

/// One request of the run, under the names that the API gives its fields.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row<'a> {
    pub id: Option<i64>,
    pub simulation_id: &'a str,
    pub persona_id: i32,
    pub persona_name: &'a str,
    pub question_id: i64,
    pub question_number: usize,
    pub question_text: &'a str,
    pub question_type: QuestionType,
    pub available_options: &'a [String],
    pub status: Status,
    pub answer: Option<&'a str>,
    pub answer_value: Option<&'a Value>,
    pub error_code: Option<&'a str>,
    pub error_message: Option<&'a str>,
    pub survey_title: &'a str,
    #[serde(rename = "created_at")]
    pub created_at: Option<DateTime<Utc>>,
    pub model: Option<&'a str>,
    pub fingerprint: Option<&'a str>,
    pub attempt: Option<i16>,
    pub option_order: Option<&'a [i16]>,
    pub prompt_hash: Option<Hex<'a>>,
    pub latency_ms: Option<i32>,
    pub prompt_tokens: Option<i32>,
    pub cached_tokens: Option<i32>,
    pub completion_tokens: Option<i32>,
    pub notice: &'a str,
}

impl Interview {
    /// This persona's requests, in survey order.
    pub fn rows<'a>(&'a self, run: &'a Run) -> impl Iterator<Item = Row<'a>> {
        self.outcomes.iter().enumerate().map(|(place, outcome)| Row::new(run, self, place, outcome))
    }
}

impl<'a> Row<'a> {
    fn new(run: &'a Run, interview: &'a Interview, place: usize, outcome: &'a Outcome) -> Self {
        let question = &run.survey.questions[place];
        let row = Self {
            id: None,
            simulation_id: &run.simulation_id,
            persona_id: interview.persona_id,
            persona_name: &interview.persona_name,
            question_id: question.id,
            question_number: place + 1,
            question_text: &question.text,
            question_type: question.question_type,
            available_options: &run.available[place],
            status: Status::Open,
            answer: None,
            answer_value: None,
            error_code: None,
            error_message: None,
            survey_title: &run.survey.title,
            created_at: None,
            model: None,
            fingerprint: None,
            attempt: None,
            option_order: None,
            prompt_hash: None,
            latency_ms: None,
            prompt_tokens: None,
            cached_tokens: None,
            completion_tokens: None,
            notice: &run.notice,
        };
        match outcome {
            Outcome::Open => row,
            Outcome::Failed(failure) => Self {
                status: Status::Failed,
                error_code: Some(&failure.code),
                error_message: Some(&failure.message),
                created_at: Some(failure.created_at),
                attempt: Some(failure.attempts),
                ..row
            },
            Outcome::Answered(response) => Self {
                status: Status::Answered,
                id: Some(response.id),
                answer: Some(&response.answer),
                answer_value: Some(&response.answer_value),
                created_at: Some(response.created_at),
                model: Some(&response.model),
                fingerprint: response.fingerprint.as_deref(),
                attempt: Some(response.attempt),
                option_order: response.option_order.as_deref(),
                prompt_hash: Some(Hex(&response.prompt_hash)),
                latency_ms: Some(response.latency_ms),
                prompt_tokens: Some(response.prompt_tokens),
                cached_tokens: Some(response.cached_tokens),
                completion_tokens: Some(response.completion_tokens),
                ..row
            },
        }
    }
}

/// Bytes as lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug)]
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `{:02x}` would cost more than all the rest of an answer's row.
        let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or_default();
        self.0.iter().try_for_each(|byte| {
            f.write_char(digit(byte >> 4))?;
            f.write_char(digit(byte & 15))
        })
    }
}

impl Serialize for Hex<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
