//! The lines of a batch's files: requests, and the server's answer to each.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::llm::connection::CallFailure;
use crate::llm::outcome::{CallError, Completion};
use crate::llm::prompt::{Dialect, Sampling};
use crate::llm::wire::batch::{BatchLine, LineKind, parse_custom_id};
use crate::llm::wire::encoded::SentPrompt;
use crate::llm::wire::gemini::{refusal, reply};

/// A request in a batch's file.
#[derive(Serialize)]
struct Line<'a> {
    key: &'a str,
    request: &'a RawValue,
}

/// The server's answer to a request of a batch.
#[derive(Deserialize)]
struct Outcome {
    #[serde(default)]
    response: Option<Value>,
    #[serde(default)]
    error: Option<Value>,
}

/// Appends the request to a batch's file. The body is sent byte for byte.
pub fn write_line(file: &mut Vec<u8>, custom_id: &str, body: String) -> serde_json::Result<()> {
    let request = RawValue::from_string(body)?;
    serde_json::to_writer(&mut *file, &Line { key: custom_id, request: &request })?;
    file.push(b'\n');
    Ok(())
}

/// Reads the outcome of a call from a line of the results; `None`: the line is not of this program.
pub fn parse_line(line: &str, dialect: Dialect, sent: &Sampling) -> Option<BatchLine> {
    #[derive(Deserialize)]
    struct Named {
        key: String,
    }
    let Named { key } = serde_json::from_str(line).ok()?;
    let (persona_id, prompt_hash) = parse_custom_id(&key)?;
    let kind = match serde_json::from_str(line) {
        Ok(Outcome { response: Some(_), .. }) => LineKind::Answered,
        Ok(Outcome { error: Some(error), .. }) => {
            let refused = refusal::embedded(&error);
            let part = refusal::refused_part(&refused, dialect);
            LineKind::of_refusal(refusal::call_error(&refused), part, refusal::refused_parameter(&refused, sent), sent)
        }
        Ok(Outcome { .. }) | Err(_) => LineKind::Failed,
    };
    Some(BatchLine { persona_id, prompt_hash, kind })
}

/// Reads the reply to this prompt from a line of the results.
pub fn decode_line(line: &str, sent: &SentPrompt) -> Result<Completion, CallFailure> {
    let unreadable = |error| CallFailure::Failed(CallError::unreadable(&error, line));
    match serde_json::from_str(line).map_err(unreadable)? {
        // A batch has no latency: its calls are answered when there is room for them.
        Outcome { response: Some(response), .. } => {
            reply::decode(&response.to_string(), sent, None).map_err(CallFailure::Failed)
        }
        Outcome { error: Some(error), .. } => Err(CallFailure::Refused(refusal::embedded(&error))),
        Outcome { .. } => Err(CallFailure::Failed(CallError::transient(
            "batch",
            "the batch's results have neither a response nor an error for this request",
        ))),
    }
}
