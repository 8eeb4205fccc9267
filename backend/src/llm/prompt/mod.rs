//! Prompts: which questions go into one call, the order of their options, and the request body, byte for byte.
//!
//! The persona's text comes first and is the same in all calls of an interview, so that providers' prefix caches apply.

mod body;
mod dialect;
mod order;
mod recipe;
mod schema;
mod sheet;
mod wording;

use std::borrow::Cow;
use std::iter;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};
use survey::question::Question;
pub use survey::types::tokens_of;
use survey::types::{Asked, definition};

pub use dialect::{Dialect, ReplyLimit, RequestPart, ResponseFormat};
pub use order::option_order;
pub use recipe::Recipe;
pub use sheet::Sheet;

use crate::models::run::Parameters;

/// The longest reply to a probe.
const PROBE_TOKENS: u32 = 16;

/// The system message of one persona, shared by all calls of its interview. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct SystemMessage {
    /// As a JSON string.
    content: Arc<RawValue>,
    /// Of [`body::OPENING`] and the content, with which all bodies begin: by far the most of their bytes.
    hash: Sha256,
}

impl SystemMessage {
    pub fn new(text: &str) -> Self {
        let content = json(&format!("{text}\n\n{}", wording::HOW_TO_ANSWER));
        Self { hash: Sha256::new().chain_update(body::OPENING).chain_update(content.get()), content: content.into() }
    }

    /// The body that begins with this message and ends so.
    pub fn body_with(&self, rest: &str) -> String {
        [body::OPENING, self.content.get(), rest].concat()
    }

    /// SHA-256 of a body that begins with this message.
    fn hash(&self, body: &str) -> [u8; 32] {
        let hashed = body::OPENING.len() + self.content.get().len();
        self.hash.clone().chain_update(&body[hashed..]).finalize().into()
    }
}

/// The calls that ask the `open` questions, at most `per_call` of them in each.
///
/// The survey as a whole is cut into chunks, so that a question's neighbours do not depend on what is still open: a
/// resumed interview asks as an uninterrupted one would have. Texts without an answer do not count. Each call is cut when
/// it is due, because thousands of interviews at once would each keep a list of all their calls.
pub fn calls<'a>(questions: &'a [Question], open: &'a [i64], per_call: u16) -> impl Iterator<Item = Vec<&'a Question>> {
    let mut requests = questions.iter().filter(|question| question.is_request());
    let mut chunk = move || requests.by_ref().take(usize::from(per_call.max(1))).collect::<Vec<_>>();
    iter::from_fn(move || Some(chunk()).filter(|chunk| !chunk.is_empty()))
        .map(|chunk| chunk.into_iter().filter(|question| open.contains(&question.id)).collect::<Vec<_>>())
        .filter(|call| !call.is_empty())
}

/// A question as one persona is asked it.
#[derive(Clone, Debug)]
pub struct PromptItem<'a> {
    pub question: &'a Question,
    /// The options as 1-based positions in the order shown; `None` where there is nothing to order.
    pub order: Option<Cow<'a, [i16]>>,
    /// The texts without an answer that stand before it in the survey. A person has read them by then, whichever calls
    /// asked the questions between.
    pub texts: Vec<&'a str>,
    /// Why the previous answer was rejected; the model is told.
    pub rejection: Option<String>,
}

impl<'a> PromptItem<'a> {
    /// For the first call. The options are shuffled if the simulation's parameters ask for it.
    pub fn new(question: &'a Question, parameters: &Parameters, persona_id: i32) -> Self {
        let order = question.has_options().then(|| {
            if parameters.shuffle_options {
                option_order(parameters.seed, persona_id, question)
            } else {
                order::as_written(question)
            }
        });
        let order = order.map(Cow::Owned);
        Self { question, order, texts: Vec::new(), rejection: None }
    }

    /// With the texts that stand before it among the survey's questions.
    pub fn after_texts_of(self, survey: &'a [Question]) -> Self {
        let before = survey.iter().take_while(|question| question.id != self.question.id);
        let texts = before.filter(|question| !question.is_request()).map(|text| text.text.as_str());
        Self { texts: texts.collect(), ..self }
    }

    /// The question with its options in the order shown.
    pub fn asked(&self) -> Asked<'_> {
        Asked { question: self.question, order: self.order.as_deref() }
    }
}

/// One chat completions request.
#[derive(Clone, Debug)]
pub struct Prompt {
    pub(super) body: Box<RawValue>,
    pub(super) model: String,
    hash: [u8; 32],
    dialect: Dialect,
    estimated_tokens: u32,
}

impl Prompt {
    /// `max_tokens` bounds the reply; [`max_tokens`] estimates what the questions need.
    pub fn build(
        system_message: &SystemMessage,
        parameters: &Parameters,
        items: &[PromptItem<'_>],
        dialect: impl Into<Dialect>,
        max_tokens: u32,
    ) -> Self {
        Self::build_after("", system_message, parameters, items, dialect, max_tokens)
    }

    /// [`build`](Self::build) with what was said earlier before the questions.
    pub fn build_after(
        earlier: &str,
        system_message: &SystemMessage,
        parameters: &Parameters,
        items: &[PromptItem<'_>],
        dialect: impl Into<Dialect>,
        max_tokens: u32,
    ) -> Self {
        let dialect = dialect.into();
        let body = body::write(earlier, system_message, parameters, items, dialect, max_tokens);
        let reply_tokens: u32 = items.iter().map(expected_tokens).sum();
        Self {
            hash: system_message.hash(body.get()),
            estimated_tokens: tokens_of(body.get().len()).saturating_add(reply_tokens),
            model: parameters.model.clone(),
            dialect,
            body,
        }
    }

    /// A tiny prompt without a persona and without questions: whoever answers it answers at all.
    pub fn probe(parameters: &Parameters, dialect: Dialect) -> Self {
        let body = body::write_probe(parameters, dialect, PROBE_TOKENS);
        Self {
            hash: Sha256::digest(body.get()).into(),
            estimated_tokens: tokens_of(body.get().len()).saturating_add(PROBE_TOKENS),
            model: parameters.model.clone(),
            dialect,
            body,
        }
    }

    /// SHA-256 of the exact bytes that are sent.
    pub fn hash(&self) -> [u8; 32] {
        self.hash
    }

    /// Tokens of the question and the expected answer, for the tokens-a-minute limit.
    pub fn estimated_tokens(&self) -> u32 {
        self.estimated_tokens
    }

    /// Of these, the answer's.
    pub fn reply_tokens(&self) -> u32 {
        self.estimated_tokens.saturating_sub(tokens_of(self.body.get().len()))
    }

    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// What follows the persona's message in the body. It must be the one that the prompt was built with.
    pub fn rest(&self, system_message: &SystemMessage) -> &str {
        &self.body.get()[body::OPENING.len() + system_message.content.get().len()..]
    }

    /// The exact bytes that are sent.
    pub fn body(&self) -> &str {
        self.body.get()
    }
}

/// Room for the reply to these questions: several times what they need, and some for the reasoning of models that reason.
pub fn max_tokens(items: &[PromptItem<'_>]) -> u32 {
    items.iter().map(|item| expected_tokens(item) * 4).sum::<u32>().saturating_add(1024)
}

/// Tokens that one answer usually takes.
fn expected_tokens(item: &PromptItem<'_>) -> u32 {
    definition(item.question.question_type).expected_tokens(item.question)
}

/// The value as JSON. Only for values of strings, numbers and maps with string keys, which JSON can always hold.
fn json<T: Serialize + ?Sized>(value: &T) -> Box<RawValue> {
    to_raw_value(value).unwrap_or_else(|error| unreachable!("a prompt is JSON: {error}"))
}

#[cfg(test)]
mod tests;
