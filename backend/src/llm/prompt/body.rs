//! The body of a chat completions request.

use serde::Serialize;
use serde_json::value::RawValue;
use survey::schema::Schema;

use super::dialect::{Dialect, ReplyLimit, ResponseFormat};
use super::{PromptItem, SystemMessage, schema, wording};
use crate::models::run::Parameters;

/// What stands before the system message in every body.
pub const OPENING: &str = r#"{"messages":[{"role":"system","content":"#;

#[derive(Serialize)]
struct Body<'a> {
    // First, and the persona first in it, so that providers' prefix caches apply.
    messages: (Message<&'a RawValue>, Message<&'a str>),
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Format<'a>>,
}

#[derive(Serialize)]
struct Message<Content> {
    role: &'static str,
    content: Content,
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
    schema: Schema<'a>,
}

/// The body as JSON. `max_tokens` bounds the reply where the server accepts a bound.
pub fn write(
    earlier: &str,
    system_message: &SystemMessage,
    parameters: &Parameters,
    items: &[PromptItem<'_>],
    dialect: Dialect,
    max_tokens: u32,
) -> Box<RawValue> {
    let questions = wording::user_message(earlier, items, dialect.format);
    let mut body = Body::new((&system_message.content, &questions), parameters, dialect, max_tokens);
    body.response_format = match dialect.format {
        ResponseFormat::JsonSchema => Some(Format::JsonSchema {
            json_schema: NamedSchema { name: "answers", strict: true, schema: schema::of_reply(items) },
        }),
        ResponseFormat::JsonObject => Some(Format::JsonObject),
        ResponseFormat::Plain => None,
    };
    super::json(&body)
}

/// The body of a probe.
pub fn write_probe(parameters: &Parameters, dialect: Dialect, max_tokens: u32) -> Box<RawValue> {
    let system = super::json(wording::PROBE_SYSTEM);
    super::json(&Body::new((&system, wording::PROBE), parameters, dialect, max_tokens))
}

impl<'a> Body<'a> {
    /// For a reply of no particular format.
    fn new(
        (system, user): (&'a RawValue, &'a str),
        parameters: &'a Parameters,
        dialect: Dialect,
        max_tokens: u32,
    ) -> Self {
        let limit = |name| (dialect.reply_limit == name).then_some(max_tokens);
        Self {
            messages: (Message { role: "system", content: system }, Message { role: "user", content: user }),
            model: &parameters.model,
            temperature: parameters.temperature,
            seed: dialect.seed.then_some(parameters.model_seed()),
            max_completion_tokens: limit(ReplyLimit::MaxCompletionTokens),
            max_tokens: limit(ReplyLimit::MaxTokens),
            response_format: None,
        }
    }
}
