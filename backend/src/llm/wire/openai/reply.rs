//! The parts of a chat completion that are used.

use std::time::Duration;

use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use super::refusal;
use crate::llm::connection::HttpRefusal;
use crate::llm::outcome::{CallError, Completion, ReplyToken, StopReason, TokenUsage};
use crate::llm::prompt::tokens_of;
use crate::llm::wire::SentPrompt;
use crate::llm::wire::text::{printable, storable};

#[derive(Debug, Deserialize)]
struct Reply {
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
    #[serde(default)]
    logprobs: Option<Logprobs>,
}

#[derive(Debug, Default, Deserialize)]
struct Logprobs {
    #[serde(default)]
    content: Option<Vec<Token>>,
}

#[derive(Debug, Deserialize)]
struct Token {
    token: String,
    logprob: f64,
    #[serde(default)]
    top_logprobs: Vec<Alternative>,
}

#[derive(Debug, Deserialize)]
struct Alternative {
    token: String,
    logprob: f64,
}

impl From<Token> for ReplyToken {
    fn from(given: Token) -> Self {
        let mut alternatives: Vec<_> =
            given.top_logprobs.into_iter().map(|other| (other.token, other.logprob.exp())).collect();
        if !alternatives.iter().any(|(token, _)| *token == given.token) {
            alternatives.push((given.token.clone(), given.logprob.exp()));
        }
        Self { text: given.token, alternatives }
    }
}

impl Choice {
    /// The content of a choice that is neither refused nor cut off.
    fn whole_content(self) -> Option<String> {
        let is_whole = stop_reason(self.finish_reason.as_deref()) == StopReason::Finished;
        self.message.content.filter(|_| is_whole && self.message.refusal.is_none()).map(storable)
    }
}

#[derive(Debug, Default, Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
}

/// Reads the body of a success. The model and the token counts that the server leaves out are taken from the prompt.
pub fn decode(body: &str, sent: &SentPrompt, latency: Option<Duration>) -> Result<Completion, CallError> {
    let reply: Reply = serde_json::from_str(body).map_err(|error| CallError::unreadable(&error, body))?;
    if let Some(error) = reply.error.filter(|error| !error.is_null()) {
        return Err(embedded_error(&error));
    }
    let mut choices = reply.choices.into_iter();
    let Some(choice) = choices.next() else {
        return Err(CallError::garbled("the reply has no choices"));
    };
    let further = choices.filter_map(Choice::whole_content).collect();
    let tokens = choice.logprobs.and_then(|given| given.content).unwrap_or_default();
    // The probability of the token that was written says nothing of the others.
    let has_alternatives = tokens.iter().any(|token| token.top_logprobs.len() > 1);
    let tokens = if has_alternatives { tokens } else { Vec::new() };
    let content = choice.message.content.map(storable);
    let usage = read_usage(&reply.usage, sent.bytes, content.as_deref().unwrap_or_default());
    Ok(Completion {
        content,
        refusal: choice.message.refusal.map(storable),
        stop_reason: stop_reason(choice.finish_reason.as_deref()),
        finish_reason: choice.finish_reason,
        model: reply.model.map_or_else(|| sent.sampling.model.clone(), printable),
        fingerprint: reply.system_fingerprint.map(printable),
        usage,
        further,
        ignored: None,
        tokens: tokens.into_iter().map(ReplyToken::from).collect(),
        latency,
    })
}

/// Decodes a `finish_reason`.
pub fn stop_reason(finish_reason: Option<&str>) -> StopReason {
    match finish_reason {
        Some("length") => StopReason::TokenLimit,
        Some("content_filter") => StopReason::Filter,
        _ => StopReason::Finished,
    }
}

/// The error of a reply that is a success by its status.
fn embedded_error(error: &Value) -> CallError {
    let status = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let status = status.and_then(|code| StatusCode::from_u16(code).ok()).filter(|status| !status.is_success());
    // A stream that began well has no other status for it.
    let is_of_server = error.get("type").and_then(Value::as_str) == Some("server_error");
    match status.or(is_of_server.then_some(StatusCode::INTERNAL_SERVER_ERROR)) {
        Some(status) => refusal::call_error(&HttpRefusal::embedded(status, error.to_string())),
        None => CallError::garbled(&error.to_string()),
    }
}

fn read_usage(usage: &Value, prompt_bytes: usize, content: &str) -> TokenUsage {
    let count = |pointer: &str| {
        let count = usage.pointer(pointer).and_then(Value::as_u64)?;
        Some(u32::try_from(count).unwrap_or(u32::MAX))
    };
    TokenUsage {
        prompt: count("/prompt_tokens").unwrap_or_else(|| tokens_of(prompt_bytes)),
        cached: count("/prompt_tokens_details/cached_tokens").unwrap_or(0),
        cache_write: count("/prompt_tokens_details/cache_write_tokens").unwrap_or(0),
        completion: count("/completion_tokens").unwrap_or_else(|| tokens_of(content.len())),
        reasoning: count("/completion_tokens_details/reasoning_tokens").unwrap_or(0),
    }
}
