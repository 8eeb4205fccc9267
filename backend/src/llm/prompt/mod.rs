//! Prompts: which questions go together, in which order their options stand, and the request body, byte for byte.
//!
//! The twin comes first and is the same text in all calls of an interview, so that providers' prefix caches apply.

mod body;
mod chunks;
mod dialect;
mod order;
mod schema;
mod wording;

use bytes::Bytes;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};

use body::OPENING;
pub use body::{Body, with_twin};
pub use chunks::calls;
pub use dialect::{Dialect, Part, ReplyLimit, ResponseFormat};
pub use order::option_order;

use crate::models::questions::{Question, QuestionType};
use crate::models::simulations::Parameters;
use schema::AnswerSchema;

/// The system message of one twin, escaped and hashed once for all calls of its interview. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Persona {
    /// As JSON.
    system: Bytes,
    /// Of [`OPENING`] and the system message: with it, a call's hash costs only what its questions are long.
    hash: Sha256,
}

impl Persona {
    pub fn new(text: &str) -> Self {
        // Copied once more, because what it was written to may be twice as large, and an interview keeps this.
        let system = Bytes::from(raw(&format_args!("{text}\n\n{}", wording::HOW_TO_ANSWER)).get().to_owned());
        let hash = Sha256::new_with_prefix(OPENING).chain_update(&system);
        Self { system, hash }
    }
}

/// One question as one twin gets it.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    pub question: &'a Question,
    /// The options as 1-based positions in the order shown; `None` where there is nothing to order.
    pub order: Option<Vec<i16>>,
    /// Why the last answer was not accepted.
    pub complaint: Option<String>,
}

impl<'a> Asked<'a> {
    /// The first asking: options shuffled if the run's parameters say so, else as the researcher wrote them.
    pub fn new(question: &'a Question, parameters: &Parameters, persona_id: i32) -> Self {
        let order = question.is_choice().then(|| {
            if parameters.shuffle_options {
                option_order(parameters.seed, persona_id, question)
            } else {
                order::as_written(question)
            }
        });
        Self { question, order, complaint: None }
    }

    /// The name of the question's field in the model's reply, e.g. `q3`.
    pub fn label(&self) -> String {
        format!("q{}", self.question.order)
    }

    /// The options in the order shown.
    pub fn options(&self) -> Vec<&'a str> {
        let question = self.question;
        let at = |position: &i16| question.options.get(usize::try_from(*position).ok()?.checked_sub(1)?);
        match &self.order {
            Some(order) => order.iter().filter_map(at).map(String::as_str).collect(),
            None => question.options.iter().map(String::as_str).collect(),
        }
    }
}

/// One chat completions request.
#[derive(Clone, Debug)]
pub struct Prompt {
    body: Body,
    twin: Bytes,
    facts: Facts,
}

/// What is known of a prompt when it has been handed to the connection.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    hash: [u8; 32],
    pub model: String,
    pub dialect: Dialect,
    pub bytes: usize,
    estimated_tokens: u32,
}

impl Prompt {
    /// `max_tokens` bounds the reply; [`max_tokens`] knows what the questions need.
    pub fn build(
        persona: &Persona,
        parameters: &Parameters,
        asked: &[Asked<'_>],
        dialect: impl Into<Dialect>,
        max_tokens: u32,
    ) -> Self {
        let dialect = dialect.into();
        let body = Body::new(parameters, asked, dialect, max_tokens);
        let (hash, bytes) = body.measure(persona);
        let estimated_tokens = tokens_of(bytes).saturating_add(asked.iter().map(expected_tokens).sum());
        let facts = Facts { hash, model: parameters.model.clone(), dialect, bytes, estimated_tokens };
        Self { body, twin: persona.system.clone(), facts }
    }

    /// SHA-256 of the exact bytes that are sent.
    pub fn hash(&self) -> [u8; 32] {
        self.facts.hash
    }

    /// What the call will probably cost, question and answer together, for the tokens-a-minute limit.
    pub fn estimated_tokens(&self) -> u32 {
        self.facts.estimated_tokens
    }

    pub fn dialect(&self) -> Dialect {
        self.facts.dialect
    }

    /// The body, the twin's text that belongs in it, and what is known of both.
    pub(super) fn into_parts(self) -> (Body, Bytes, Facts) {
        (self.body, self.twin, self.facts)
    }

    /// The exact bytes that are sent, written out.
    pub fn body(&self) -> String {
        let sent = with_twin(raw(&self.body).get().as_bytes(), self.twin.clone()).concat();
        String::from_utf8_lossy(&sent).into_owned()
    }
}

/// Room for the reply to these questions: several times what they need, and some for models that think first.
pub fn max_tokens(asked: &[Asked<'_>]) -> u32 {
    asked.iter().map(|asked| expected_tokens(asked) * 4).sum::<u32>().saturating_add(1024)
}

/// Tokens of a text of that many bytes, at the usual four bytes a token.
pub fn tokens_of(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(4)).unwrap_or(u32::MAX)
}

/// Tokens that one answer usually takes.
fn expected_tokens(asked: &Asked<'_>) -> u32 {
    let question = asked.question;
    let longest = |texts: &[String]| tokens_of(texts.iter().map(String::len).max().unwrap_or(0));
    match question.question_type {
        QuestionType::SingleChoice => 8 + longest(&question.options),
        QuestionType::MultipleChoice => {
            8 + question.options.iter().map(|option| 2 + tokens_of(option.len())).sum::<u32>()
        }
        QuestionType::Matrix => {
            let rows = u32::try_from(question.rows().len()).unwrap_or(u32::MAX);
            rows.saturating_mul(8 + longest(&question.scale_labels))
        }
        QuestionType::TextEntry | QuestionType::OpenEnded => 200,
        QuestionType::Slider | QuestionType::Range | QuestionType::Number | QuestionType::Boolean => 8,
    }
}

/// Strings, numbers and maps with string keys: nothing that JSON could not hold.
fn raw<T: Serialize + ?Sized>(value: &T) -> Box<RawValue> {
    to_raw_value(value).unwrap_or_else(|error| unreachable!("a prompt is JSON: {error}"))
}

#[cfg(test)]
mod tests;
