//! Everything between a twin's question and its checked answer.
//!
//! [`prompt`] writes the request, [`client`] makes exactly one HTTP call of it and names the outcome, [`answer`]
//! reads and checks what came back.

pub mod answer;
pub mod client;
#[cfg(test)]
mod demo_tests;
mod number;
pub mod prompt;
#[cfg(test)]
mod samples;

pub use answer::{Answer, Complaint};
pub use client::{CallError, CallOutcome, Completion, Llm, RateLimitHeaders, Usage};
pub use prompt::{Asked, Dialect, Persona, Prompt, ResponseFormat};
