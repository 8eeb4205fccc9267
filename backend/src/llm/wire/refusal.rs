//! Refusals of calls in the terms of the retry policy. Providers share most statuses, and differ in the words.

use std::time::Duration;

use reqwest::StatusCode;

use super::text::names;
use crate::llm::outcome::{CallError, one_line};
use crate::llm::prompt::{ModelParameter, Sampling};

/// A parameter, and the words by which a provider names it in its complaints.
pub type ParameterWords = (ModelParameter, &'static [&'static str]);

/// The content of a provider's error.
#[derive(Debug, Default)]
pub struct Complaint {
    pub message: String,
    /// The server does not have the model.
    pub is_about_the_model: bool,
    /// The credit or the quota is used up: waiting does not help.
    pub is_about_money: bool,
    /// The key is wrong, whatever the status says.
    pub is_about_the_key: bool,
    /// The wait that the server asks for.
    pub retry_after: Option<Duration>,
}

pub fn classify(status: StatusCode, complaint: Complaint) -> CallError {
    let Complaint { message, is_about_the_model, is_about_money, is_about_the_key, retry_after } = complaint;
    let message = match message.is_empty() {
        true => status.to_string(),
        false => one_line(&message),
    };
    match status.as_u16() {
        401..=403 => CallError::Denied { message },
        400 | 429 if is_about_money || is_about_the_key => CallError::Denied { message },
        429 => CallError::RateLimited { message, retry_after },
        404 if is_about_the_model => CallError::Transient { code: CallError::MODEL_MISSING, message, retry_after },
        408 => CallError::Transient { code: "timeout", message, retry_after },
        409 => CallError::Transient { code: "conflict", message, retry_after },
        425 => CallError::Transient { code: "too_early", message, retry_after },
        500.. => CallError::Transient { code: "server_error", message, retry_after },
        status => CallError::Rejected { status, message },
    }
}

/// The first parameter of this call that the complaint, in small letters, names.
pub fn parameter_named(said: &str, words: &[ParameterWords], sent: &Sampling) -> Option<ModelParameter> {
    let is_named = |words: &[&str]| words.iter().any(|word| names(said, word));
    let mut sent = words.iter().filter(|(parameter, _)| sent.value(*parameter).is_some());
    sent.find(|(_, words)| is_named(words)).map(|(parameter, _)| *parameter)
}
