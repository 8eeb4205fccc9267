//! A prompt as a wire has encoded it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::llm::connection::CallFailure;
use crate::llm::outcome::RateLimitHeaders;
use crate::llm::prompt::{Dialect, Prompt, Sampling};

/// The beginning of all request bodies of one interview: up to the end of the system message. It is by far the most of
/// their bytes, so it is encoded and hashed once. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Opening {
    text: Arc<str>,
    hash: Sha256,
}

impl Opening {
    pub fn new(text: String) -> Self {
        Self { hash: Sha256::new().chain_update(&text), text: text.into() }
    }

    /// The body that begins with this opening and ends so.
    pub fn body_with(&self, rest: &str) -> String {
        [&self.text, rest].concat()
    }
}

/// One request body, and what it takes to read its reply.
#[derive(Clone, Debug)]
pub struct EncodedPrompt {
    body: Box<RawValue>,
    /// Bytes of the opening in the body.
    opening: usize,
    reply_tokens: u32,
    estimated_tokens: u32,
    sent: SentPrompt,
}

/// Facts about a prompt that was sent, to read its reply by.
#[derive(Clone, Debug)]
pub struct SentPrompt {
    /// SHA-256 of the exact bytes that are sent.
    pub hash: [u8; 32],
    pub dialect: Dialect,
    pub sampling: Sampling,
    /// Length of the body.
    pub bytes: usize,
}

impl EncodedPrompt {
    /// The body of this prompt is the opening and the rest.
    pub fn new(opening: &Opening, rest: &str, prompt: &Prompt) -> Self {
        let body = opening.body_with(rest);
        let bytes = body.len();
        let sent = SentPrompt {
            hash: opening.hash.clone().chain_update(rest).finalize().into(),
            dialect: prompt.dialect,
            sampling: prompt.sampling.clone(),
            bytes,
        };
        Self {
            body: RawValue::from_string(body).unwrap_or_else(|error| unreachable!("a body is JSON: {error}")),
            opening: opening.text.len(),
            reply_tokens: prompt.reply_tokens,
            estimated_tokens: prompt.estimate_tokens(bytes),
            sent,
        }
    }

    /// The exact bytes that are sent.
    pub fn body(&self) -> &str {
        self.body.get()
    }

    /// The part of the body after the opening.
    pub fn rest(&self) -> &str {
        &self.body.get()[self.opening..]
    }

    /// SHA-256 of the exact bytes that are sent.
    pub fn hash(&self) -> [u8; 32] {
        self.sent.hash
    }

    pub fn sent(&self) -> &SentPrompt {
        &self.sent
    }

    /// Tokens of the prompt and the expected answers, for the tokens-a-minute limit.
    pub fn estimated_tokens(&self) -> u32 {
        self.estimated_tokens
    }

    /// Tokens that the answers usually take.
    pub fn reply_tokens(&self) -> u32 {
        self.reply_tokens
    }

    pub fn into_parts(self) -> (Box<RawValue>, SentPrompt) {
        (self.body, self.sent)
    }
}

/// A server's answer to a request: the body of a success and how long it took, or a failure.
#[derive(Debug)]
pub struct SentReply {
    pub reply: Result<(Box<RawValue>, Duration), CallFailure>,
    /// Limits in the headers of the reply, whatever its status.
    pub rate_limits: RateLimitHeaders,
}
