//! The parts of generated content that are used.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::refusal;
use crate::llm::outcome::{CallError, Completion, StopReason, TokenUsage};
use crate::llm::prompt::tokens_of;
use crate::llm::wire::SentPrompt;
use crate::llm::wire::text::{printable, storable};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reply {
    model_version: Option<String>,
    #[serde(default)]
    candidates: Vec<Candidate>,
    prompt_feedback: Option<PromptFeedback>,
    #[serde(default)]
    usage_metadata: Usage,
    /// Gateways put the error of the server behind them into a success.
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    #[serde(default)]
    content: Content,
    finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Content {
    parts: Vec<Part>,
}

#[derive(Debug, Deserialize)]
struct Part {
    text: Option<String>,
    /// The part is a summary of the model's thoughts.
    #[serde(default)]
    thought: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptFeedback {
    block_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Usage {
    prompt_token_count: Option<u32>,
    cached_content_token_count: Option<u32>,
    candidates_token_count: Option<u32>,
    thoughts_token_count: Option<u32>,
}

/// Reads the body of a success. The model and the token counts that the server leaves out are taken from the prompt.
pub fn decode(body: &str, sent: &SentPrompt, latency: Option<Duration>) -> Result<Completion, CallError> {
    let reply: Reply = serde_json::from_str(body).map_err(|error| CallError::unreadable(&error, body))?;
    if let Some(error) = reply.error.filter(|error| !error.is_null()) {
        return Err(refusal::call_error(&refusal::embedded(&error)));
    }
    let blocked = reply.prompt_feedback.and_then(|feedback| feedback.block_reason);
    let candidate = reply.candidates.into_iter().next();
    let (content, refusal, stop_reason, finish_reason) = match (candidate, blocked) {
        (Some(candidate), _) => {
            let stop_reason = stop_reason(candidate.finish_reason.as_deref());
            let parts = candidate.content.parts.into_iter().filter(|part| !part.thought);
            let texts: Vec<String> = parts.filter_map(|part| part.text).collect();
            if texts.is_empty() && stop_reason == StopReason::Finished {
                let reason = candidate.finish_reason.unwrap_or_default();
                return Err(CallError::garbled(&format!("the reply has no text {reason}")));
            }
            ((!texts.is_empty()).then(|| storable(texts.concat())), None, stop_reason, candidate.finish_reason)
        }
        (None, Some(reason)) => {
            (None, Some(format!("the prompt was blocked: {reason}")), StopReason::Filter, Some(reason))
        }
        (None, None) => return Err(CallError::garbled("the reply has no candidates")),
    };
    Ok(Completion {
        further: Vec::new(),
        tokens: Vec::new(),
        ignored: None,
        refusal: refusal.map(storable),
        stop_reason,
        finish_reason: finish_reason.map(printable),
        model: reply.model_version.map_or_else(|| sent.sampling.model.clone(), printable),
        fingerprint: None,
        usage: reply.usage_metadata.read(sent.bytes, content.as_deref().unwrap_or_default()),
        latency,
        content,
    })
}

/// Decodes a `finishReason`.
pub fn stop_reason(finish_reason: Option<&str>) -> StopReason {
    match finish_reason {
        Some("MAX_TOKENS" | "CONTINUATION") => StopReason::TokenLimit,
        Some(
            "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "IMAGE_SAFETY"
            | "ESCALATION" | "MODEL_ARMOR",
        ) => StopReason::Filter,
        _ => StopReason::Finished,
    }
}

impl Usage {
    /// Thoughts are counted beside the candidates.
    fn read(self, prompt_bytes: usize, content: &str) -> TokenUsage {
        let reasoning = self.thoughts_token_count.unwrap_or(0);
        let answer = self.candidates_token_count.unwrap_or_else(|| tokens_of(content.len()));
        TokenUsage {
            prompt: self.prompt_token_count.unwrap_or_else(|| tokens_of(prompt_bytes)),
            cached: self.cached_content_token_count.unwrap_or(0),
            cache_write: 0,
            completion: answer.saturating_add(reasoning),
            reasoning,
        }
    }
}
