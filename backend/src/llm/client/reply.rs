//! The parts of the server's reply that are used.

use std::time::Duration;

use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use super::outcome::{CallError, HttpRefusal};
use crate::llm::prompt;

/// A chat completion, its token counts and its latency.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    pub content: Option<String>,
    /// The model's own refusal, where the server separates it from content.
    pub refusal: Option<String>,
    pub finish_reason: Option<String>,
    /// The model that the server reports; the requested one where it reports none.
    pub model: String,
    pub fingerprint: Option<String>,
    pub usage: TokenUsage,
    pub latency: Option<Duration>,
}

impl Completion {
    /// Cut off by the token limit: what is there may be half an answer.
    pub fn is_truncated(&self) -> bool {
        is_truncated(self.finish_reason.as_deref())
    }

    /// Refused by the model or held back by the server's filter.
    pub fn is_refused(&self) -> bool {
        is_refused(self.refusal.as_deref(), self.finish_reason.as_deref())
    }
}

/// Whether a completion that ended for this reason was cut off by the token limit.
pub fn is_truncated(finish_reason: Option<&str>) -> bool {
    finish_reason == Some("length")
}

/// Whether a completion was refused by the model or held back by the server's filter.
pub fn is_refused(refusal: Option<&str>, finish_reason: Option<&str>) -> bool {
    refusal.is_some_and(|refusal| !refusal.trim().is_empty()) || finish_reason == Some("content_filter")
}

/// Token counts of the server; estimates where it gives none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenUsage {
    pub prompt: u32,
    /// The part of `prompt` that came from the server's cache.
    pub cached: u32,
    pub completion: u32,
}

#[derive(Debug, Deserialize)]
pub(super) struct Reply {
    model: Option<String>,
    system_fingerprint: Option<String>,
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Value,
    /// Some gateways put the error of the server behind them into a success.
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    #[serde(default)]
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
}

impl Reply {
    /// The model and the token counts that the server leaves out are taken from the request.
    pub fn into_completion(
        self,
        requested_model: String,
        prompt_bytes: usize,
        latency: Option<Duration>,
    ) -> Result<Completion, CallError> {
        if let Some(error) = self.error.filter(|error| !error.is_null()) {
            return Err(embedded(error));
        }
        let Some(choice) = self.choices.into_iter().next() else {
            return Err(CallError::garbled("the reply has no choices"));
        };
        let content = choice.message.content.map(storable);
        let usage = read_usage(&self.usage, prompt_bytes, content.as_deref().unwrap_or_default());
        Ok(Completion {
            content,
            refusal: choice.message.refusal.map(storable),
            finish_reason: choice.finish_reason,
            model: self.model.map_or(requested_model, printable),
            fingerprint: self.system_fingerprint.map(printable),
            usage,
            latency,
        })
    }
}

/// PostgreSQL's texts cannot hold NUL.
fn storable(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "") } else { text }
}

/// Names go into the database, which cannot hold every character.
fn printable(name: String) -> String {
    name.chars().filter(|c| !c.is_control()).take(200).collect()
}

/// The error of a reply that is a success by its status.
fn embedded(error: Value) -> CallError {
    let status = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let status = status.and_then(|code| StatusCode::from_u16(code).ok()).filter(|status| !status.is_success());
    match status {
        Some(status) => HttpRefusal { status, retry_after: None, body: error.to_string() }.into_call_error(),
        None => CallError::garbled(&error.to_string()),
    }
}

fn read_usage(usage: &Value, prompt_bytes: usize, content: &str) -> TokenUsage {
    let count = |pointer: &str| {
        let count = usage.pointer(pointer).and_then(Value::as_u64)?;
        Some(u32::try_from(count).unwrap_or(u32::MAX))
    };
    TokenUsage {
        prompt: count("/prompt_tokens").unwrap_or_else(|| prompt::tokens_of(prompt_bytes)),
        cached: count("/prompt_tokens_details/cached_tokens").unwrap_or(0),
        completion: count("/completion_tokens").unwrap_or_else(|| prompt::tokens_of(content.len())),
    }
}
