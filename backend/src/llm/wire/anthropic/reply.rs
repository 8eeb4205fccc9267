//! The parts of a message that are used.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::refusal;
use crate::llm::outcome::{CallError, Completion, StopReason, TokenUsage};
use crate::llm::prompt::tokens_of;
use crate::llm::wire::SentPrompt;
use crate::llm::wire::text::{printable, storable};

#[derive(Debug, Deserialize)]
struct Reply {
    #[serde(rename = "type", default)]
    kind: String,
    model: Option<String>,
    #[serde(default)]
    content: Vec<Block>,
    stop_reason: Option<String>,
    stop_details: Option<StopDetails>,
    #[serde(default)]
    usage: Usage,
}

#[derive(Debug, Deserialize)]
struct Block {
    #[serde(rename = "type", default)]
    kind: String,
    text: Option<String>,
}

#[derive(Debug, Deserialize)]
struct StopDetails {
    explanation: Option<String>,
}

/// Prompt tokens that the cache read or wrote are counted apart from the others.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Usage {
    input_tokens: Option<u32>,
    cache_creation_input_tokens: Option<u32>,
    cache_read_input_tokens: Option<u32>,
    output_tokens: Option<u32>,
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OutputDetails {
    thinking_tokens: Option<u32>,
}

/// Reads the body of a success. The model and the token counts that the server leaves out are taken from the prompt.
pub fn decode(body: &str, sent: &SentPrompt, latency: Option<Duration>) -> Result<Completion, CallError> {
    let unreadable = |error: serde_json::Error| CallError::unreadable(&error, body);
    let reply: Reply = serde_json::from_str(body).map_err(unreadable)?;
    if reply.kind == "error" {
        let error: Value = serde_json::from_str(body).map_err(unreadable)?;
        return Err(refusal::call_error(&refusal::embedded(&error)));
    }
    let stop_reason = stop_reason(reply.stop_reason.as_deref());
    let texts: Vec<String> =
        reply.content.into_iter().filter(|block| block.kind == "text").filter_map(|block| block.text).collect();
    if texts.is_empty() && stop_reason == StopReason::Finished {
        return Err(CallError::garbled("the reply has no text"));
    }
    let content = (!texts.is_empty()).then(|| storable(texts.concat()));
    let refusal = reply.stop_details.and_then(|details| details.explanation);
    Ok(Completion {
        further: Vec::new(),
        tokens: Vec::new(),
        ignored: None,
        refusal: refusal.filter(|_| stop_reason == StopReason::Filter).map(storable),
        stop_reason,
        finish_reason: reply.stop_reason.map(printable),
        model: reply.model.map_or_else(|| sent.sampling.model.clone(), printable),
        fingerprint: None,
        usage: reply.usage.read(sent.bytes, content.as_deref().unwrap_or_default()),
        latency,
        content,
    })
}

/// Decodes a `stop_reason`.
pub fn stop_reason(stop_reason: Option<&str>) -> StopReason {
    match stop_reason {
        Some("max_tokens" | "model_context_window_exceeded") => StopReason::TokenLimit,
        Some("refusal") => StopReason::Filter,
        _ => StopReason::Finished,
    }
}

impl Usage {
    fn read(self, prompt_bytes: usize, content: &str) -> TokenUsage {
        let cached = self.cache_read_input_tokens.unwrap_or(0);
        let cache_write = self.cache_creation_input_tokens.unwrap_or(0);
        let whole = |others: u32| others.saturating_add(cached).saturating_add(cache_write);
        TokenUsage {
            prompt: self.input_tokens.map_or_else(|| tokens_of(prompt_bytes).max(whole(0)), whole),
            cached,
            cache_write,
            completion: self.output_tokens.unwrap_or_else(|| tokens_of(content.len())),
            reasoning: self.output_tokens_details.and_then(|details| details.thinking_tokens).unwrap_or(0),
        }
    }
}
