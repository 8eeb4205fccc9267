//! Batches and their lines, in no provider's words.

use bytes::Bytes;
use uuid::Uuid;

use crate::llm::outcome::CallError;
use crate::llm::prompt::{ModelParameter, RequestPart, Sampling};

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

/// A batch that is submitted.
#[derive(Clone, Debug)]
pub struct NewBatch<'a> {
    /// The model of all its requests.
    pub model: &'a str,
    /// The uploaded file of its requests, or what stands for it where the wire has no files.
    pub file: &'a str,
    /// The requests, where the wire has no files.
    pub lines: Bytes,
    /// The token tells the batch from the account's others.
    pub token: Uuid,
    /// Number within the run, from 1.
    pub number: i32,
}

/// A batch as its server describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoteBatch {
    pub id: String,
    /// The status in the server's word.
    pub status: String,
    /// `None`: it is under way.
    pub end: Option<BatchEnd>,
    /// Number of its calls that are done, well or not.
    pub done: i32,
    /// The file of its requests, if the server names it.
    pub input_file_id: Option<String>,
    /// The files of its results.
    pub result_file_ids: Vec<String>,
    /// The first error that the server names.
    pub complaint: Option<String>,
}

/// How a batch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchEnd {
    /// The server has finished it. Otherwise the server broke it off.
    Completed,
    /// The server had no time for all of it.
    Expired,
    Cancelled,
    /// The server refused the batch because too many tokens wait in batches.
    NoRoom,
    Failed,
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

impl LineKind {
    /// The outcome of a call that the server refused so. `part`, `parameter`: what it does not know or take of the call.
    pub fn of_refusal(
        error: CallError,
        part: Option<RequestPart>,
        parameter: Option<ModelParameter>,
        sent: &Sampling,
    ) -> Self {
        let is_understood = part.is_none() && parameter.is_none();
        match (parameter, error) {
            (Some(parameter), CallError::Rejected { message, .. }) if !sent.lenient => {
                Self::ParameterRefused(parameter, message)
            }
            (_, CallError::RateLimited { message, .. }) => Self::NotAsked(message),
            (_, CallError::Denied { message }) => Self::Denied(message),
            (_, CallError::Rejected { message, .. }) if is_understood => Self::Refused(message),
            (_, error) if error.code() == CallError::MODEL_MISSING => Self::Refused(error.to_string()),
            _ => Self::Failed,
        }
    }
}

/// Digits of a prompt's hash in the name of its call: enough to tell any two prompts apart.
const HASH_DIGITS: usize = 32;
/// Digits of a batch's token in the names of its calls.
const TOKEN_DIGITS: usize = 16;

/// Names a call of the batch with this token. Some servers take at most 64 characters, and no sign but letters, digits, `-`
/// and `_`.
pub fn custom_id(persona_id: i32, prompt_hash: &str, token: Uuid) -> String {
    format!("{persona_id}-{prompt_hash:.HASH_DIGITS$}-{}", digits(token))
}

/// The persona and the beginning of the prompt's hash in the name of a call; `None`: the name is not of this program.
pub fn parse_custom_id(custom_id: &str) -> Option<(i32, String)> {
    let (persona_id, rest) = custom_id.split_once('-')?;
    // The names of earlier releases end here.
    let prompt_hash = rest.split_once('-').map_or(rest, |(prompt_hash, _)| prompt_hash);
    Some((persona_id.parse().ok()?, prompt_hash.to_owned())).filter(|_| !prompt_hash.is_empty())
}

/// Whether a call with this name is one of the batch with this token.
pub fn bears_token(custom_id: &str, token: Uuid) -> bool {
    custom_id.rsplit_once('-').is_some_and(|(_, named)| named == digits(token))
}

fn digits(token: Uuid) -> String {
    let mut digits = token.simple().to_string();
    digits.truncate(TOKEN_DIGITS);
    digits
}
