//! The body of a chat completions request. The twin's text, most of it, is never copied: thousands of calls wait at
//! once, and all calls of an interview send the same bytes.

use std::io::{self, Write};

use bytes::Bytes;
use serde::Serialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::dialect::{Dialect, ReplyLimit, ResponseFormat};
use super::schema::AnswerSchema;
use super::{Asked, Persona, raw, wording};
use crate::models::simulations::Parameters;

/// What stands before the system message's text in every body.
pub const OPENING: &str = r#"{"messages":[{"role":"system","content":"#;
/// What [`Body`] writes in the place of the system message's text.
const BLANK: &str = r#""""#;

/// Everything but the twin's text: [`with_twin`] puts it in.
#[derive(Clone, Debug, Serialize)]
pub struct Body {
    // First, and the twin first in it: `OPENING` and every prefix cache count on that.
    messages: (Message<&'static str>, Message<Box<RawValue>>),
    model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Box<RawValue>>,
}

#[derive(Clone, Debug, Serialize)]
struct Message<Content> {
    role: &'static str,
    content: Content,
}

impl Body {
    /// `max_tokens` bounds the reply, where the server can be told a bound.
    pub fn new(parameters: &Parameters, asked: &[Asked<'_>], dialect: Dialect, max_tokens: u32) -> Self {
        let questions = wording::user_message(asked, dialect.format);
        let limit = |name| (dialect.reply_limit == name).then_some(max_tokens);
        Self {
            messages: (
                Message { role: "system", content: "" },
                Message { role: "user", content: raw(questions.as_str()) },
            ),
            model: parameters.model.clone(),
            temperature: parameters.temperature,
            seed: dialect.seed.then_some(parameters.seed),
            max_completion_tokens: limit(ReplyLimit::MaxCompletionTokens),
            max_tokens: limit(ReplyLimit::MaxTokens),
            response_format: Format::of(dialect.format, asked).map(|format| raw(&format)),
        }
    }

    /// SHA-256 of the bytes that are sent, and how many they are. The twin's part was hashed with the twin.
    pub fn measure(&self, persona: &Persona) -> ([u8; 32], usize) {
        let mut hashed = Hashed { hash: persona.hash.clone(), known: OPENING.len() + BLANK.len(), bytes: 0 };
        // Neither the numbers and texts nor this writer can fail.
        serde_json::to_writer(&mut hashed, self).unwrap_or_else(|error| unreachable!("a prompt is JSON: {error}"));
        (hashed.hash.finalize().into(), hashed.bytes - BLANK.len() + persona.system.len())
    }
}

/// A written [`Body`] with the twin's text in its place: what is sent, one after the other.
pub fn with_twin(written: &[u8], twin: Bytes) -> [Bytes; 3] {
    let rest = written.get(OPENING.len() + BLANK.len()..).unwrap_or_default();
    [Bytes::from_static(OPENING.as_bytes()), twin, Bytes::copy_from_slice(rest)]
}

/// Hashes what is written to it, from the first byte on that is not hashed already.
struct Hashed {
    hash: Sha256,
    known: usize,
    bytes: usize,
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let known = self.known.saturating_sub(self.bytes).min(bytes.len());
        self.hash.update(&bytes[known..]);
        self.bytes += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Format<'a> {
    JsonSchema { json_schema: NamedSchema<'a> },
    JsonObject,
}

#[derive(Serialize)]
struct NamedSchema<'a> {
    name: &'static str,
    strict: bool,
    schema: AnswerSchema<'a>,
}

impl<'a> Format<'a> {
    fn of(format: ResponseFormat, asked: &'a [Asked<'a>]) -> Option<Self> {
        match format {
            ResponseFormat::JsonSchema => Some(Self::JsonSchema {
                json_schema: NamedSchema { name: "answers", strict: true, schema: AnswerSchema(asked) },
            }),
            ResponseFormat::JsonObject => Some(Self::JsonObject),
            ResponseFormat::Plain => None,
        }
    }
}
