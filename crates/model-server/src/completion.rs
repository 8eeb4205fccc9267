//! A finished completion, in no provider's form.

use crate::request::Request;
use crate::tokens::Token;

/// Why a choice ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Finished,
    /// The maximum number of tokens is reached.
    Length,
    /// A filter of the provider holds the text back.
    Filtered,
    /// The model declines to answer.
    Refused,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub text: String,
    pub stop: Stop,
}

/// Tokens of a prompt by their price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheUse {
    pub read: u32,
    /// Tokens written to a cache of a short life: 5 or 30 minutes.
    pub written_short: u32,
    /// Tokens written to a cache of a long life: an hour or more.
    pub written_long: u32,
}

impl CacheUse {
    pub fn written(self) -> u32 {
        self.written_short.saturating_add(self.written_long)
    }
}

/// Tokens of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// All tokens of the prompt, cached or not.
    pub prompt: u32,
    pub cache: CacheUse,
    /// Tokens of the texts of all choices.
    pub answer: u32,
    pub reasoning: u32,
}

impl Usage {
    /// Tokens that the model has written.
    pub fn completion(self) -> u32 {
        self.answer.saturating_add(self.reasoning)
    }
}

pub struct Completion<'a> {
    pub request: &'a Request<'a>,
    pub model: &'a str,
    /// Number of the call, for the reply's id.
    pub number: usize,
    pub choices: Vec<Choice>,
    /// The tokens of each choice, if their probabilities are wanted.
    pub tokens: Vec<Vec<Token>>,
    pub usage: Usage,
    /// Whether the server has a cache, whose writes it then reports.
    pub has_cache: bool,
    /// Whether the request came in a batch.
    pub in_batch: bool,
}

/// Estimates the tokens of a text of this size, at four bytes a token.
pub fn tokens(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(4)).unwrap_or(u32::MAX)
}
