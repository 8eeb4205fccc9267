//! The lines of a batch's files: requests, and what the server answers to each.

use reqwest::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::llm::client::outcome::HttpRefusal;
use crate::llm::client::reply::Reply;
use crate::llm::client::{CallError, Completion, Llm};
use crate::llm::prompt::Dialect;

/// What every request of a batch is sent to, in OpenAI's words; servers under other addresses use the same.
const ENDPOINT: &str = "/v1/chat/completions";
/// Of a prompt's hash in the name of its call: enough to tell any two prompts apart.
const HASH_DIGITS: usize = 32;

/// A request in a batch's file.
#[derive(Serialize)]
struct Line<'a> {
    custom_id: &'a str,
    method: &'static str,
    url: &'static str,
    body: &'a RawValue,
}

/// What the server answers to a request of a batch.
#[derive(Deserialize)]
struct Outcome {
    #[serde(default)]
    response: Option<Response>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    status_code: u16,
    #[serde(default)]
    body: Value,
}

/// The calls of a batch are told apart by their twin and prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchLine {
    pub persona_id: i32,
    /// As hex, the first [`HASH_DIGITS`].
    pub prompt_hash: String,
    pub kind: LineKind,
}

/// What a line of a batch's results tells of the batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineKind {
    Answered,
    /// The request was not at fault and was not asked: it costs no attempt.
    NotAsked(String),
    /// The key or the account.
    Denied(String),
    /// The same request would be refused again.
    Refused(String),
    /// Another error of this request.
    Failed,
}

/// Names a call in a batch. Some servers take at most 64 characters.
pub fn custom_id(persona_id: i32, prompt_hash: &str) -> String {
    format!("{persona_id}-{prompt_hash:.HASH_DIGITS$}")
}

/// Appends the request to a batch's file. The body is sent byte for byte.
pub fn write_line(file: &mut Vec<u8>, custom_id: &str, body: String) -> serde_json::Result<()> {
    let body = RawValue::from_string(body)?;
    serde_json::to_writer(&mut *file, &Line { custom_id, method: "POST", url: ENDPOINT, body: &body })?;
    file.push(b'\n');
    Ok(())
}

impl BatchLine {
    /// `None`: it is none of ours.
    pub fn parse(line: &str, dialect: Dialect) -> Option<Self> {
        #[derive(Deserialize)]
        struct Named {
            custom_id: String,
        }
        let Named { custom_id } = serde_json::from_str(line).ok()?;
        let (persona_id, prompt_hash) = custom_id.split_once('-').filter(|(_, hash)| !hash.is_empty())?;
        let kind = match serde_json::from_str(line) {
            Ok(outcome) => LineKind::of(outcome, dialect),
            Err(_) => LineKind::Failed,
        };
        Some(Self { persona_id: persona_id.parse().ok()?, prompt_hash: prompt_hash.to_owned(), kind })
    }
}

impl LineKind {
    fn of(outcome: Outcome, dialect: Dialect) -> Self {
        let refusal = match outcome {
            Outcome { response: Some(response), .. } => match response.into_reply() {
                Ok(_) => return Self::Answered,
                Err(refusal) => refusal,
            },
            Outcome { error: Some(error), .. } => {
                let code = error.get("code").and_then(Value::as_str).unwrap_or_default();
                let said = error.get("message").and_then(Value::as_str).unwrap_or(code);
                let not_asked = ["batch_expired", "batch_cancelled", "batch_canceled"].contains(&code);
                return if not_asked { Self::NotAsked(said.to_owned()) } else { Self::Failed };
            }
            Outcome { .. } => return Self::Failed,
        };
        let is_understood = refusal.refused_part(dialect).is_none();
        match refusal.into_call_error() {
            CallError::RateLimited { message, .. } => Self::NotAsked(message),
            CallError::Denied { message } => Self::Denied(message),
            CallError::Rejected { message, .. } if is_understood => Self::Refused(message),
            error if error.code() == CallError::MODEL_MISSING => Self::Refused(error.to_string()),
            _ => Self::Failed,
        }
    }
}

impl Response {
    /// The body of a success.
    fn into_reply(self) -> Result<Value, HttpRefusal> {
        let status = StatusCode::from_u16(self.status_code).unwrap_or(StatusCode::BAD_GATEWAY);
        match status.is_success() {
            true => Ok(self.body),
            false => Err(HttpRefusal { status, retry_after: None, body: self.body.to_string() }),
        }
    }
}

impl Llm {
    /// What a line of a batch's results says to the request of this prompt.
    pub fn read_line(
        &self,
        line: &str,
        sent: Dialect,
        model: &str,
        prompt_bytes: usize,
    ) -> Result<Completion, CallError> {
        let failed = |message: &str| CallError::transient("batch", message);
        let outcome: Outcome = serde_json::from_str(line).map_err(|error| CallError::unreadable(&error, line))?;
        let read = match outcome {
            Outcome { response: Some(response), .. } => match response.into_reply() {
                // A batch has no latency: its calls are answered when there is room for them.
                Ok(body) => serde_json::from_value::<Reply>(body)
                    .map_err(|error| CallError::unreadable(&error, line))
                    .and_then(|reply| reply.into_completion(model.to_owned(), prompt_bytes, None)),
                Err(refusal) => Err(self.refused(refusal, sent)),
            },
            Outcome { error: Some(error), .. } => {
                let message = error.get("message").and_then(Value::as_str).map(str::to_owned);
                Err(failed(&message.unwrap_or_else(|| error.to_string())))
            }
            Outcome { .. } => Err(failed("the batch's results have neither a response nor an error for this request")),
        };
        read.map_err(|error| error.without_key(self.key.as_deref()))
    }
}
