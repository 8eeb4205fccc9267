//! The system message: who answers, and how.

use super::wording;

/// The persona's text and how to answer: the same in all calls of one interview, so that a provider may cache the requests
/// up to its end.
#[derive(Clone, Debug)]
pub struct SystemMessage(String);

impl SystemMessage {
    pub fn new(persona: &str) -> Self {
        Self(format!("{persona}\n\n{}", wording::HOW_TO_ANSWER))
    }

    /// The system message of a probe, which has no persona.
    pub fn probe() -> Self {
        Self(wording::PROBE_SYSTEM.to_owned())
    }

    /// A system message of this text alone.
    pub fn plain(text: String) -> Self {
        Self(text)
    }

    pub fn text(&self) -> &str {
        &self.0
    }
}
