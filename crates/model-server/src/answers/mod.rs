//! The content of completions. Both kinds give every call the same answer whenever it is made.

mod demo;
mod quick;

use serde_json::Value;

use crate::hash::mix;
use crate::request::{Request, Wire};
use crate::wire::Endpoint;

/// The name of the demo model, whatever model a call asks for.
pub const DEMO_MODEL: &str = "twinlab-demo";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Answers {
    /// Any valid answer, chosen by the persona's hash.
    #[default]
    Quick,
    /// Plausible answers: one persona answers similar questions alike, and personas differ.
    Demo,
}

/// A defect in the content of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Prose where JSON was asked for.
    Prose,
    /// The first answer is missing.
    Missing,
    /// The first answer is not one of those offered.
    OutOfRange,
}

impl Answers {
    /// Returns the content of the reply to a request for a chat completion, which must be valid JSON of one. Another
    /// seed gives other answers.
    pub fn content(self, body: &[u8], seed: u64) -> Result<String, String> {
        let endpoint = Endpoint { wire: Wire::OpenAi, model: None, streams: false };
        let request = endpoint.parse(body).map_err(|error| error.message)?;
        Ok(self.reply(&request, seed, None))
    }

    pub(crate) fn reply(self, request: &Request<'_>, seed: u64, flaw: Option<Flaw>) -> String {
        let Some(schema) = request.schema.as_ref().filter(|_| flaw != Some(Flaw::Prose)) else {
            return match self {
                Self::Quick if request.is_wordy => [quick::PROSE; 3].join(" "),
                Self::Quick => quick::PROSE.to_owned(),
                Self::Demo => demo::sentence(request, seed),
            };
        };
        let answer = match self {
            Self::Quick => quick::answer(schema, mix(&[seed, request.persona])),
            Self::Demo => demo::answer(schema, request, seed),
        };
        match flaw {
            Some(Flaw::Missing) => without_first_field(answer),
            Some(Flaw::OutOfRange) => schema.invalidate(answer),
            _ => answer,
        }
        .to_string()
    }
}

fn without_first_field(mut answer: Value) -> Value {
    if let Some(fields) = answer.as_object_mut()
        && let Some(first) = fields.keys().next().cloned()
    {
        fields.remove(&first);
    }
    answer
}
