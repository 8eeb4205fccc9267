//! From a persona's question to its checked answer.
//!
//! [`prompt`] writes the request, [`client`] makes exactly one HTTP call with it and classifies the outcome, [`answer`]
//! reads and checks what came back.

pub mod answer;
pub mod client;
#[cfg(test)]
mod demo_tests;
pub mod prompt;
#[cfg(test)]
pub(crate) mod samples;

pub use answer::{AnswerError, CheckedAnswer};
pub use client::{
    BatchError, BatchLine, CallError, CallOutcome, Completion, LineKind, Llm, RateLimitHeaders, RemoteBatch, TokenUsage,
};
pub use prompt::{Dialect, Prompt, PromptItem, ResponseFormat, SystemMessage};
