//! The lines of a batch's files: requests, and the server's answer to each.

use reqwest::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::llm::connection::{CallFailure, HttpRefusal};
use crate::llm::outcome::{CallError, Completion};
use crate::llm::prompt::{Dialect, Sampling};
use crate::llm::wire::batch::{BatchLine, LineKind, parse_custom_id};
use crate::llm::wire::encoded::SentPrompt;
use crate::llm::wire::openai::{refusal, reply};

/// The endpoint of every request of a batch, as OpenAI names it; servers under other addresses use the same name.
const ENDPOINT: &str = "/v1/chat/completions";

/// A request in a batch's file.
#[derive(Serialize)]
struct Line<'a> {
    custom_id: &'a str,
    method: &'static str,
    url: &'static str,
    body: &'a RawValue,
}

/// The server's answer to a request of a batch.
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

/// Appends the request to a batch's file. The body is sent byte for byte.
pub fn write_line(file: &mut Vec<u8>, custom_id: &str, body: String) -> serde_json::Result<()> {
    let body = RawValue::from_string(body)?;
    serde_json::to_writer(&mut *file, &Line { custom_id, method: "POST", url: ENDPOINT, body: &body })?;
    file.push(b'\n');
    Ok(())
}

/// Reads the outcome of a call from a line of the results; `None`: the line is not of this program.
pub fn parse_line(line: &str, dialect: Dialect, sent: &Sampling) -> Option<BatchLine> {
    #[derive(Deserialize)]
    struct Named {
        custom_id: String,
    }
    let Named { custom_id } = serde_json::from_str(line).ok()?;
    let (persona_id, prompt_hash) = parse_custom_id(&custom_id)?;
    let kind = match serde_json::from_str(line) {
        Ok(outcome) => line_kind(outcome, dialect, sent),
        Err(_) => LineKind::Failed,
    };
    Some(BatchLine { persona_id, prompt_hash, kind })
}

fn line_kind(outcome: Outcome, dialect: Dialect, sent: &Sampling) -> LineKind {
    let refused = match outcome {
        Outcome { response: Some(response), .. } => match response.into_body() {
            Ok(_) => return LineKind::Answered,
            Err(refused) => refused,
        },
        Outcome { error: Some(error), .. } => {
            let code = error.get("code").and_then(Value::as_str).unwrap_or_default();
            let said = error.get("message").and_then(Value::as_str).unwrap_or(code);
            let not_asked = ["batch_expired", "batch_cancelled", "batch_canceled"].contains(&code);
            return if not_asked { LineKind::NotAsked(said.to_owned()) } else { LineKind::Failed };
        }
        Outcome { .. } => return LineKind::Failed,
    };
    let part = refusal::refused_part(&refused, dialect);
    LineKind::of_refusal(refusal::call_error(&refused), part, refusal::refused_parameter(&refused, sent), sent)
}

/// Reads the reply to this prompt from a line of the results.
pub fn decode_line(line: &str, sent: &SentPrompt) -> Result<Completion, CallFailure> {
    let failed = |message: &str| CallFailure::Failed(CallError::transient("batch", message));
    let outcome: Outcome =
        serde_json::from_str(line).map_err(|error| CallFailure::Failed(CallError::unreadable(&error, line)))?;
    match outcome {
        // A batch has no latency: its calls are answered when there is room for them.
        Outcome { response: Some(response), .. } => {
            let body = response.into_body().map_err(CallFailure::Refused)?;
            reply::decode(&body.to_string(), sent, None).map_err(CallFailure::Failed)
        }
        Outcome { error: Some(error), .. } => {
            let message = error.get("message").and_then(Value::as_str).map(str::to_owned);
            Err(failed(&message.unwrap_or_else(|| error.to_string())))
        }
        Outcome { .. } => Err(failed("the batch's results have neither a response nor an error for this request")),
    }
}

impl Response {
    /// The body of a success.
    fn into_body(self) -> Result<Value, HttpRefusal> {
        let status = StatusCode::from_u16(self.status_code).unwrap_or(StatusCode::BAD_GATEWAY);
        match status.is_success() {
            true => Ok(self.body),
            false => Err(HttpRefusal::embedded(status, self.body.to_string())),
        }
    }
}
