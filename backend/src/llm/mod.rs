//! Asks a persona's questions of a model, and checks the answers.
//!
//! [`prompt`] says what is asked, [`wire`] encodes it for a provider, [`client`] makes exactly one HTTP call with it and
//! classifies the outcome, and [`answer`] reads and checks the reply.

pub mod answer;
mod check;
mod client;
mod connection;
#[cfg(test)]
mod demo_tests;
mod event_stream;
mod outcome;
pub mod prompt;
#[cfg(test)]
pub(crate) mod samples;
mod servers;
mod start_check;
pub mod wire;
#[cfg(test)]
mod wire_tests;
mod without_key;

pub use answer::{AnswerError, CheckedAnswer};
pub use check::{CheckedModel, check};
pub use client::{Llm, ModelRefusal};
pub use outcome::{
    CallError, CallOutcome, Completion, RateLimitHeaders, ReplyToken, StopReason, TokenUsage, is_refused,
};
pub use prompt::{Dialect, Prompt, PromptItem, ResponseFormat, SystemMessage};
pub use servers::LlmServers;
pub use start_check::fit_runs;
pub use wire::{BatchEnd, BatchError, BatchLine, EncodedPrompt, LineKind, ProviderApi, RemoteBatch, SentPrompt};
