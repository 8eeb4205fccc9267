//! The rows of a run: one for each request, with the API's names of its fields.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer};
use survey::hex::hex;
use survey::question::QuestionType;
use survey::walk::{Reason, ShownQuestion};
use utoipa::ToSchema;

use crate::answers::{Provenance, RequestOutcome};
use crate::json::JsonText;
use crate::outcomes::InterviewOutcomes;
use crate::run::{OPTION_SEPARATOR, Run, RunFacts, available};

/// The state of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RequestStatus {
    Answered,
    Failed,
    Open,
    /// The survey's design did not show the question to this twin; `errorCode` gives the reason.
    Skipped,
    /// The question is in another arm than the twin's: there is no request.
    NotAssigned,
}

impl RequestStatus {
    pub fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Failed => "failed",
            Self::Open => "open",
            Self::Skipped => "skipped",
            Self::NotAssigned => "not_assigned",
        }
    }
}

/// A typed answer: the text of an option, or free text; the chosen or ranked options; a number; yes or no; the rating
/// or the labels of each row of a matrix; the number of each option; or the `best` and the `worst` option.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum AnswerValue {
    Text(String),
    Options(Vec<String>),
    Number(f64),
    Truth(bool),
    Ratings(HashMap<String, String>),
    Numbers(HashMap<String, f64>),
    Choices(HashMap<String, Vec<String>>),
}

/// A twin and the question that it was asked.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AskedQuestion<'a> {
    #[schema(example = "7a6b5c4d-0000-4000-8000-000000000007")]
    pub simulation_id: &'a str,
    #[schema(example = 17)]
    pub persona_id: i32,
    /// The dataset's id of the person.
    #[schema(example = "1204")]
    pub persona_pid: &'a str,
    #[schema(example = "Twin 17")]
    pub persona_name: &'a str,
    #[schema(example = 3)]
    pub question_id: i64,
    /// Position in the survey, 1-based.
    #[schema(example = 1, minimum = 1)]
    pub question_number: i32,
    #[schema(example = "What do you drink in the morning?")]
    pub question_text: &'a str,
    pub question_type: QuestionType,
    /// Options, scale labels, or the ends of a scale, in the words that the twin saw; empty for free text.
    #[schema(value_type = Vec<String>, example = json!(["Coffee", "Tea"]))]
    pub available_options: Cow<'a, [String]>,
    #[schema(example = "Coffee")]
    pub survey_title: &'a str,
}

/// One request of the run, under the names that the API gives its fields.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Request)]
pub struct Row<'a> {
    /// Id of the answer; null if there is none.
    #[schema(example = 4711)]
    pub id: Option<i64>,
    #[serde(flatten)]
    pub asked: AskedQuestion<'a>,
    pub status: RequestStatus,
    /// The twin's arms by random node; several in the order shown, joined by `>`. Missing in a run of a plain survey.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<HashMap<String, String>>, example = json!({"fee_arm": "resort"}))]
    pub arm: Option<&'a BTreeMap<String, String>>,
    /// All arms in one cell.
    #[serde(skip)]
    pub arms: Option<&'a str>,
    /// The block of the survey's design; missing if the question was not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "main")]
    pub block: Option<&'a str>,
    /// Position among the requests of the twin's interview in the order shown, 1-based; missing like `block`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 2)]
    pub position: Option<u32>,
    #[schema(example = "Tea")]
    pub answer: Option<&'a str>,
    /// The answer as typed JSON.
    #[schema(value_type = Option<AnswerValue>, example = "Tea")]
    pub answer_value: Option<&'a JsonText>,
    /// The distribution that the answer was drawn from, in a run that asks for one: the probability of each option (`options`),
    /// of each label by row (`rows`), or the quantiles at 5, 25, 50, 75 and 95 % (`quantiles`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, example = json!(null))]
    pub distribution: Option<&'a JsonText>,
    /// Why there is no answer: a stable word, e.g. `refused`; `logic` or `screened_out` if the question was skipped.
    pub error_code: Option<&'a str>,
    pub error_message: Option<&'a str>,
    /// Time of the answer or of the failure.
    #[serde(rename = "created_at")]
    pub created_at: Option<DateTime<Utc>>,
    /// Name of the model, as reported by the model server.
    #[schema(example = "gpt-4.1-mini-2025-04-14")]
    pub model: Option<&'a str>,
    pub fingerprint: Option<&'a str>,
    /// Number of calls that the request took.
    #[schema(example = 1)]
    pub attempt: Option<i16>,
    /// 1-based positions of the options in the order shown.
    pub option_order: Option<&'a [i16]>,
    /// SHA-256 of the call's body.
    #[schema(value_type = Option<String>)]
    pub prompt_hash: Option<Hex<'a>>,
    /// Latency of the call in milliseconds; null for an answer from a batch.
    #[schema(example = 640)]
    pub latency_ms: Option<i32>,
    /// Share of the call's prompt tokens.
    pub prompt_tokens: Option<i32>,
    pub cached_tokens: Option<i32>,
    pub completion_tokens: Option<i32>,
    /// Share of the call's reasoning tokens, which are a part of its completion tokens. Missing in a run without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub reasoning_tokens: Option<i32>,
    /// Share of the call's tokens that the server wrote to its cache. Missing in a run without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub cache_write_tokens: Option<i32>,
    #[serde(flatten)]
    pub facts: RunFacts<'a>,
    /// Notice to be shown with the answer.
    #[schema(example = "demo model: not from a language model")]
    pub notice: &'a str,
}

/// A request of the run with all that is known of it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DebuggedRequest)]
pub struct Debugged<'a> {
    #[serde(flatten)]
    pub row: Row<'a>,
    /// The reply of the model, if the request failed; it is never an answer.
    pub error_detail: Option<&'a str>,
}

/// A stored answer.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SimulationResponse)]
pub struct Answered<'a> {
    #[schema(example = 4711)]
    pub id: i64,
    #[serde(flatten)]
    pub asked: AskedQuestion<'a>,
    /// The answer's text. Several options, and the ratings of a matrix, are joined by ` | `.
    #[schema(example = "Tea")]
    pub answer: &'a str,
    /// The answer as typed JSON.
    #[schema(value_type = AnswerValue, example = "Tea")]
    pub answer_value: &'a JsonText,
    #[serde(rename = "created_at")]
    pub created_at: DateTime<Utc>,
}

impl InterviewOutcomes {
    /// Returns this persona's requests, in survey order.
    pub fn rows<'a>(&'a self, run: &'a Run) -> impl Iterator<Item = Row<'a>> {
        self.outcomes.iter().enumerate().map(|(place, outcome)| Row::new(run, self, place, outcome))
    }

    /// Like [`rows`](Self::rows), with the model's replies to failed requests.
    pub fn debugged<'a>(&'a self, run: &'a Run) -> impl Iterator<Item = Debugged<'a>> {
        self.rows(run).zip(&self.outcomes).map(|(row, outcome)| Debugged {
            row,
            error_detail: match outcome {
                RequestOutcome::Failed(failure) => failure.detail.as_deref(),
                _ => None,
            },
        })
    }

    /// Returns this persona's answers, in survey order.
    pub fn answered<'a>(&'a self, run: &'a Run) -> impl Iterator<Item = Answered<'a>> {
        self.rows(run).zip(&self.outcomes).filter_map(|(row, outcome)| match outcome {
            RequestOutcome::Answered(given, _) => Some(Answered {
                id: given.id,
                asked: row.asked,
                answer: &given.answer,
                answer_value: &given.answer_value,
                created_at: given.created_at,
            }),
            _ => None,
        })
    }
}

impl<'a> Row<'a> {
    fn new(run: &'a Run, interview: &'a InterviewOutcomes, place: usize, outcome: &'a RequestOutcome) -> Self {
        let question = &run.questions[place];
        let shown = interview.dealt.as_ref().and_then(|dealt| dealt.shown(question.id));
        let row = Self {
            id: None,
            asked: AskedQuestion {
                simulation_id: &run.simulation_id,
                persona_id: interview.persona.id,
                persona_pid: &interview.persona.pid,
                persona_name: &interview.persona.name,
                question_id: question.id,
                question_number: question.order,
                question_text: shown.map_or(&run.labels[place], |shown| &shown.question.text),
                question_type: question.question_type,
                available_options: offered(run, place, shown),
                survey_title: &run.survey.title,
            },
            status: RequestStatus::Open,
            arm: interview.dealt.as_ref().map(|dealt| &dealt.arms),
            arms: interview.dealt.as_ref().map(|dealt| dealt.arms_text.as_str()),
            block: shown.map(|shown| &*shown.block),
            position: shown.map(|shown| shown.position),
            answer: None,
            answer_value: None,
            distribution: None,
            error_code: None,
            error_message: None,
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
            reasoning_tokens: None,
            cache_write_tokens: None,
            facts: run.row_facts(),
            notice: run.notice_of(None),
        };
        match outcome {
            RequestOutcome::Open => row,
            RequestOutcome::NotAssigned => Self { status: RequestStatus::NotAssigned, ..row },
            RequestOutcome::Skipped(reason) => Self {
                status: RequestStatus::Skipped,
                error_code: Some(reason.name()),
                error_message: Some(match reason {
                    Reason::Logic => "not shown: a condition of the survey hid it",
                    Reason::ScreenedOut => "not shown: the interview had ended, because the twin was screened out",
                }),
                ..row
            },
            RequestOutcome::Failed(failure) => Self {
                status: RequestStatus::Failed,
                error_code: Some(&failure.code),
                error_message: Some(&failure.message),
                created_at: Some(failure.created_at),
                attempt: Some(failure.attempts),
                ..row
            },
            RequestOutcome::Answered(given, provenance) => {
                let row = Self {
                    status: RequestStatus::Answered,
                    id: Some(given.id),
                    answer: Some(&given.answer),
                    answer_value: Some(&given.answer_value),
                    distribution: given.distribution.as_ref(),
                    created_at: Some(given.created_at),
                    ..row
                };
                match provenance {
                    Some(provenance) => row.made_by(run, provenance),
                    None => row,
                }
            }
        }
    }

    /// The options in one cell. `of_run` are those of the survey.
    pub fn offered<'b>(&self, of_run: &'b str) -> Cow<'b, str> {
        match &self.asked.available_options {
            Cow::Borrowed(_) => Cow::Borrowed(of_run),
            Cow::Owned(own) => Cow::Owned(own.join(OPTION_SEPARATOR)),
        }
    }

    fn made_by(self, run: &'a Run, provenance: &'a Provenance) -> Self {
        let counted = run.facts.counts_parts_of_tokens();
        Self {
            notice: run.notice_of(Some(&provenance.model)),
            model: Some(&provenance.model),
            fingerprint: provenance.fingerprint.as_deref(),
            attempt: Some(provenance.attempt),
            option_order: provenance.option_order.as_deref(),
            prompt_hash: Some(Hex(&provenance.prompt_hash)),
            latency_ms: provenance.latency_ms,
            prompt_tokens: Some(provenance.prompt_tokens),
            cached_tokens: Some(provenance.cached_tokens),
            completion_tokens: Some(provenance.completion_tokens),
            reasoning_tokens: counted.then_some(provenance.reasoning_tokens),
            cache_write_tokens: counted.then_some(provenance.cache_write_tokens),
            ..self
        }
    }
}

/// The options that a twin could choose from. Borrowed if they are in the survey's own words.
fn offered<'a>(run: &'a Run, place: usize, shown: Option<&ShownQuestion>) -> Cow<'a, [String]> {
    let written = &run.questions[place];
    match shown.map(|shown| &shown.question) {
        Some(seen)
            if (&seen.options, &seen.scale_labels, &seen.min_description, &seen.max_description)
                != (&written.options, &written.scale_labels, &written.min_description, &written.max_description) =>
        {
            Cow::Owned(available(seen))
        }
        _ => Cow::Borrowed(&run.available[place]),
    }
}

/// Displays bytes as lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug)]
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(self.0))
    }
}

impl Serialize for Hex<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
