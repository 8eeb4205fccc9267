//! Batches and their lines, in no provider's words.

use crate::llm::outcome::CallError;
use crate::llm::prompt::ModelParameter;

/// Why a call of the Batch API failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// 404, 405 or 501: what was asked for is not there, or no such API.
    #[error("{0}")]
    NotThere(String),
    /// More tokens would wait in batches than the account may have there. The text is the server's.
    #[error("{0}")]
    NoRoom(String),
    #[error(transparent)]
    Call(CallError),
    /// The reader did not take the lines.
    #[error("{0}")]
    Reader(String),
}

/// A line of a batch's results. Its call is known by its persona and prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchLine {
    pub persona_id: i32,
    /// The first [`HASH_DIGITS`] of the hash in hex.
    pub prompt_hash: String,
    pub kind: LineKind,
}

/// Outcome of a call in a line of a batch's results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineKind {
    Answered,
    /// The request was not at fault and was not asked: it costs no attempt.
    NotAsked(String),
    /// The key or the account was refused.
    Denied(String),
    /// The model does not take a parameter of the run, which does not leave it out: every call would be refused.
    ParameterRefused(ModelParameter, String),
    /// The request was refused, and would be refused again.
    Refused(String),
    /// Another error of this request.
    Failed,
}

/// Digits of a prompt's hash in the name of its call: enough to tell any two prompts apart.
const HASH_DIGITS: usize = 32;

/// Names a call in a batch. Some servers take at most 64 characters.
pub fn custom_id(persona_id: i32, prompt_hash: &str) -> String {
    format!("{persona_id}-{prompt_hash:.HASH_DIGITS$}")
}

/// The persona and the beginning of the prompt's hash in the name of a call; `None`: the name is not of this program.
pub fn parse_custom_id(custom_id: &str) -> Option<(i32, String)> {
    let (persona_id, prompt_hash) = custom_id.split_once('-').filter(|(_, hash)| !hash.is_empty())?;
    Some((persona_id.parse().ok()?, prompt_hash.to_owned()))
}
