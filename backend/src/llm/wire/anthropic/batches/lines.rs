//! The requests of a batch, and the server's answer to each.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::llm::connection::CallFailure;
use crate::llm::outcome::{CallError, Completion};
use crate::llm::prompt::{Dialect, Sampling};
use crate::llm::wire::anthropic::{refusal, reply};
use crate::llm::wire::batch::{BatchLine, LineKind, parse_custom_id};
use crate::llm::wire::encoded::SentPrompt;

/// A request of a batch.
#[derive(Serialize)]
struct Line<'a> {
    custom_id: &'a str,
    params: &'a RawValue,
}

/// The server's answer to a request of a batch.
#[derive(Deserialize)]
struct Outcome {
    result: Option<RequestResult>,
}

#[derive(Deserialize)]
struct RequestResult {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    message: Value,
    #[serde(default)]
    error: Value,
}

/// Appends the request to those of a batch. The body is sent byte for byte.
pub fn write_line(file: &mut Vec<u8>, custom_id: &str, body: String) -> serde_json::Result<()> {
    let params = RawValue::from_string(body)?;
    serde_json::to_writer(&mut *file, &Line { custom_id, params: &params })?;
    file.push(b'\n');
    Ok(())
}

/// The body of the submission of these lines. No line has a line break in its JSON.
pub fn submission(lines: &[u8]) -> Vec<u8> {
    let mut body = br#"{"requests":["#.to_vec();
    body.extend(
        lines.strip_suffix(b"\n").unwrap_or(lines).iter().map(|byte| if *byte == b'\n' { b',' } else { *byte }),
    );
    body.extend(b"]}");
    body
}

pub fn custom_id_of(line: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        custom_id: String,
    }
    serde_json::from_str::<Named>(line).ok().map(|named| named.custom_id)
}

/// Reads the outcome of a call from a line of the results; `None`: the line is not of this program.
pub fn parse_line(line: &str, dialect: Dialect, sent: &Sampling) -> Option<BatchLine> {
    let (persona_id, prompt_hash) = parse_custom_id(&custom_id_of(line)?)?;
    let kind = match serde_json::from_str(line) {
        Ok(Outcome { result: Some(result) }) => line_kind(&result, dialect, sent),
        Ok(Outcome { result: None }) | Err(_) => LineKind::Failed,
    };
    Some(BatchLine { persona_id, prompt_hash, kind })
}

fn line_kind(result: &RequestResult, dialect: Dialect, sent: &Sampling) -> LineKind {
    match result.kind.as_str() {
        "succeeded" => LineKind::Answered,
        "canceled" | "expired" => LineKind::NotAsked(result.kind.clone()),
        "errored" => {
            let refused = refusal::embedded(&result.error);
            let part = refusal::refused_part(&refused, dialect);
            LineKind::of_refusal(refusal::call_error(&refused), part, refusal::refused_parameter(&refused, sent), sent)
        }
        _ => LineKind::Failed,
    }
}

/// Reads the reply to this prompt from a line of the results.
pub fn decode_line(line: &str, sent: &SentPrompt) -> Result<Completion, CallFailure> {
    let unreadable = |error| CallFailure::Failed(CallError::unreadable(&error, line));
    let Outcome { result } = serde_json::from_str(line).map_err(unreadable)?;
    match result {
        // A batch has no latency: its calls are answered when there is room for them.
        Some(RequestResult { kind, message, .. }) if kind == "succeeded" => {
            reply::decode(&message.to_string(), sent, None).map_err(CallFailure::Failed)
        }
        Some(RequestResult { kind, error, .. }) if kind == "errored" => {
            Err(CallFailure::Refused(refusal::embedded(&error)))
        }
        _ => Err(CallFailure::Failed(CallError::transient(
            "batch",
            "the batch's results have no message for this request",
        ))),
    }
}
