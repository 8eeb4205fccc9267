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
        Ok(self.reply(&request, seed, 0, None))
    }

    /// The probabilities of the letters of each answer that is one letter, in the order of the reply.
    pub(crate) fn odds(self, request: &Request<'_>, seed: u64) -> Vec<Vec<(String, f64)>> {
        let Some(schema) = &request.schema else { return Vec::new() };
        let mut odds = Vec::new();
        match self {
            Self::Quick => quick::odds(schema, mix(&[seed, request.persona]), &mut odds),
            Self::Demo => demo::odds(schema, request, seed, &mut odds),
        }
        odds
    }

    /// The reply at this place among several. The first does not depend on their number.
    pub(crate) fn reply(self, request: &Request<'_>, seed: u64, place: u64, flaw: Option<Flaw>) -> String {
        let Some(schema) = request.schema.as_ref().filter(|_| flaw != Some(Flaw::Prose)) else {
            return match self {
                Self::Quick if request.is_wordy => [quick::PROSE; 3].join(" "),
                Self::Quick => quick::PROSE.to_owned(),
                Self::Demo => demo::sentence(request, seed, place),
            };
        };
        let answer = match self {
            Self::Quick => {
                quick::answer(schema, mix(&[if place == 0 { seed } else { mix(&[seed, place]) }, request.persona]))
            }
            Self::Demo => demo::answer(schema, request, seed, place),
        };
        match flaw {
            Some(Flaw::Missing) => without_first_field(answer),
            Some(Flaw::OutOfRange) => schema.invalidate(answer),
            _ => answer,
        }
        .to_string()
    }
}

/// The letters with their probabilities, by any weights.
fn of_weights(choices: &[Value], weights: &[f64]) -> Vec<(String, f64)> {
    let sum: f64 = weights.iter().sum();
    let letters = choices.iter().filter_map(Value::as_str).map(str::to_owned);
    letters.zip(weights.iter().map(|weight| weight / sum)).collect()
}

fn is_letter(choice: &Value) -> bool {
    choice.as_str().is_some_and(|text| text.len() == 1 && text.chars().all(|c| c.is_ascii_uppercase()))
}

fn without_first_field(mut answer: Value) -> Value {
    if let Some(fields) = answer.as_object_mut()
        && let Some(first) = fields.keys().next().cloned()
    {
        fields.remove(&first);
    }
    answer
}
