//! Chat completions in pieces.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::{finish_reason, logprobs, usage_of};
use crate::completion::{Choice, Completion, Stop};
use crate::error::ApiError;
use crate::request::Stream;
use crate::tokens::Token;
use crate::wire::pieces;

/// The data of the events.
pub fn streamed(completion: &Completion<'_>, wish: Stream) -> Vec<String> {
    let chunk = Chunk::of(completion, wish);
    let mut events = Vec::new();
    for (index, choice) in completion.choices.iter().enumerate() {
        chunk.push_choice(&mut events, index, choice, completion.tokens.get(index));
    }
    if wish.usage {
        events.push(chunk.with(&json!([]), &usage_of(&completion.usage, completion.has_cache)));
    }
    events.push("[DONE]".to_owned());
    events
}

/// The data of an event that ends a reply with an error.
pub fn error(error: &ApiError) -> String {
    super::error(error).body
}

/// The fields that all chunks of a reply share.
struct Chunk {
    common: Value,
    has_usage: bool,
}

impl Chunk {
    fn of(completion: &Completion<'_>, wish: Stream) -> Self {
        let created = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let common = json!({
            "id": format!("chatcmpl-{}", completion.number),
            "object": "chat.completion.chunk",
            "created": created,
            "model": completion.model,
            "system_fingerprint": concat!("twinlab-", env!("CARGO_PKG_VERSION")),
        });
        Self { common, has_usage: wish.usage }
    }

    fn with(&self, choices: &Value, usage: &Value) -> String {
        let mut chunk = self.common.clone();
        chunk["choices"] = choices.clone();
        if self.has_usage {
            chunk["usage"] = usage.clone();
        }
        chunk.to_string()
    }

    fn push_choice(
        &self,
        events: &mut Vec<String>,
        index: usize,
        Choice { text, stop }: &Choice,
        tokens: Option<&Vec<Token>>,
    ) {
        let mut push = |delta: Value, logprobs: Value, finish_reason: Option<&str>| {
            let choice = json!({"index": index, "delta": delta, "logprobs": logprobs, "finish_reason": finish_reason});
            events.push(self.with(&json!([choice]), &Value::Null));
        };
        push(json!({"role": "assistant", "content": "", "refusal": null}), Value::Null, None);
        let field = if *stop == Stop::Refused { "refusal" } else { "content" };
        match tokens {
            Some(tokens) => tokens.iter().for_each(|token| {
                push(json!({ field: token.text }), logprobs(std::slice::from_ref(token)), None);
            }),
            None => pieces(text).for_each(|piece| push(json!({ field: piece }), Value::Null, None)),
        }
        push(json!({}), Value::Null, Some(finish_reason(*stop)));
    }
}
