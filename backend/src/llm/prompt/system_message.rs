//! The system message: who answers, and how.

use simulation::model_options::PromptCache;
use simulation::parameters::Parameters;

use super::wording;

/// The persona's text and how to answer: the same in all calls of one interview, so that a provider may cache the requests
/// up to its end.
#[derive(Clone, Debug)]
pub struct SystemMessage {
    text: String,
    /// Whether prompts may mark its end as that of what the server's cache keeps.
    has_mark: bool,
}

impl SystemMessage {
    pub fn new(persona: &str) -> Self {
        Self { text: format!("{persona}\n\n{}", wording::HOW_TO_ANSWER), has_mark: false }
    }

    /// The system message of the calls of a run with these parameters.
    pub fn of_run(persona: &str, parameters: &Parameters) -> Self {
        Self { has_mark: parameters.prompt_cache == Some(PromptCache::Twin), ..Self::new(persona) }
    }

    /// The system message of a probe, which has no persona.
    pub fn probe() -> Self {
        Self { text: wording::PROBE_SYSTEM.to_owned(), has_mark: false }
    }

    /// A system message of this text alone, for calls with these parameters.
    pub fn plain(text: String, parameters: &Parameters) -> Self {
        Self { text, has_mark: parameters.prompt_cache == Some(PromptCache::Twin) }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn has_mark(&self) -> bool {
        self.has_mark
    }
}
