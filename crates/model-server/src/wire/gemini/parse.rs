//! Reads Gemini's requests. Fields may be written in camel case or with underscores.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::ApiError;
use crate::request::{Format, Part, Request, Role, Stream, Wire, reasoning_tokens};

const MAX_CANDIDATES: u64 = 8;

/// Fields of `generationConfig`. Any other is an error.
const KNOWN: [&str; 24] = [
    "_responseJsonSchema",
    "audioTimestamp",
    "candidateCount",
    "enableEnhancedCivicAnswers",
    "frequencyPenalty",
    "imageConfig",
    "logprobs",
    "maxOutputTokens",
    "mediaResolution",
    "presencePenalty",
    "responseFormat",
    "responseJsonSchema",
    "responseLogprobs",
    "responseMimeType",
    "responseModalities",
    "responseSchema",
    "seed",
    "speechConfig",
    "stopSequences",
    "temperature",
    "thinkingConfig",
    "topK",
    "topP",
    "audioTranscriptionConfig",
];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(borrow, default)]
    contents: Vec<Content<'a>>,
    #[serde(borrow, alias = "system_instruction")]
    system_instruction: Option<Content<'a>>,
    #[serde(borrow, alias = "generation_config")]
    generation_config: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    role: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    parts: Vec<ContentPart<'a>>,
}

#[derive(Deserialize)]
struct ContentPart<'a> {
    #[serde(borrow)]
    text: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    candidate_count: Option<u64>,
    max_output_tokens: Option<u32>,
    response_mime_type: Option<String>,
    response_schema: Option<Value>,
    #[serde(alias = "_responseJsonSchema")]
    response_json_schema: Option<Value>,
    seed: Option<i64>,
    temperature: Option<f64>,
    thinking_config: Option<ThinkingConfig>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ThinkingConfig {
    #[serde(alias = "thinking_budget")]
    thinking_budget: Option<i64>,
    #[serde(alias = "thinking_level")]
    thinking_level: Option<String>,
}

fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::invalid(message, None)
}

pub fn parse<'a>(body: &'a [u8], model: Option<&str>, streams: bool) -> Result<Request<'a>, ApiError> {
    let unreadable = |error: serde_json::Error| invalid(format!("Invalid JSON payload received. {error}"));
    let body: Body<'a> = serde_json::from_slice(body).map_err(unreadable)?;
    let config: Config = match body.generation_config {
        Some(config) => {
            check_fields(config)?;
            serde_json::from_str(config.get()).map_err(unreadable)?
        }
        None => Config::default(),
    };
    let mut parts = Vec::new();
    if let Some(system) = &body.system_instruction {
        push_parts(&mut parts, Role::System, 0, system);
    }
    for (number, content) in (1..).zip(&body.contents) {
        let role = if content.role.as_deref() == Some("model") { Role::Assistant } else { Role::User };
        push_parts(&mut parts, role, number, content);
    }
    if !parts.iter().any(|part| part.role != Role::System) {
        return Err(invalid("* GenerateContentRequest.contents: contents is not specified"));
    }
    let choices = config.candidate_count.unwrap_or(1);
    if !(1..=MAX_CANDIDATES).contains(&choices) {
        return Err(invalid(format!("candidateCount must be from 1 to {MAX_CANDIDATES}.")));
    }
    if let Some(seed) = config.seed.filter(|seed| i32::try_from(*seed).is_err()) {
        return Err(invalid(format!("Invalid value at 'generation_config.seed' (TYPE_INT32), {seed}")));
    }
    let request = Request {
        max_tokens: config.max_output_tokens,
        choices,
        temperature: config.temperature,
        seed: config.seed.filter(|_| config.temperature != Some(0.0)),
        reasoning: reasoning(config.thinking_config.as_ref(), model)?,
        stream: streams.then_some(Stream { usage: true }),
        ..Request::new(Wire::Gemini, model.map(str::to_owned), parts)
    };
    Ok(request.answer_in(format(config)?))
}

fn check_fields(config: &RawValue) -> Result<(), ApiError> {
    let fields: BTreeMap<Cow<'_, str>, &RawValue> =
        serde_json::from_str(config.get()).map_err(|error| invalid(error.to_string()))?;
    match fields.keys().find(|name| !KNOWN.contains(&name.as_ref())) {
        Some(name) => Err(invalid(format!(
            "Invalid JSON payload received. Unknown name \"{name}\" at 'generation_config': Cannot find field."
        ))),
        None => Ok(()),
    }
}

fn push_parts<'a>(parts: &mut Vec<Part<'a>>, role: Role, message: usize, content: &Content<'a>) {
    let texts = content.parts.iter().filter_map(|part| part.text);
    parts.extend(texts.map(|text| Part { role, message, json: text.get(), mark: None }));
}

/// Tokens of thoughts. Google's own models think a little unless they must not.
fn reasoning(config: Option<&ThinkingConfig>, model: Option<&str>) -> Result<u32, ApiError> {
    let own = model.is_some_and(|model| model.starts_with("gemini-"));
    let standard = if own { reasoning_tokens("low") } else { None }.unwrap_or_default();
    let Some(config) = config else { return Ok(standard) };
    match (config.thinking_budget, &config.thinking_level) {
        (Some(_), Some(_)) => Err(invalid("You can only set one of thinking budget and thinking level.")),
        (Some(budget), None) => Ok(u32::try_from(budget).unwrap_or(standard)),
        (None, Some(level)) => {
            let known = |level: &&String| !["none", "max"].contains(&level.to_ascii_lowercase().as_str());
            let tokens = Some(level).filter(known).and_then(|level| reasoning_tokens(level));
            tokens.ok_or_else(|| invalid(format!("Invalid value at 'thinking_config.thinking_level', \"{level}\"")))
        }
        (None, None) => Ok(standard),
    }
}

fn format(config: Config) -> Result<Format, ApiError> {
    let is_json = config.response_mime_type.as_deref() == Some("application/json");
    match (config.response_json_schema, config.response_schema) {
        (Some(_), Some(_)) => Err(invalid("Only one of response_schema and response_json_schema can be set.")),
        (None, None) if is_json => Ok(Format::Json),
        (None, None) => Ok(Format::Text),
        _ if !is_json => Err(invalid("response_schema is only supported with response_mime_type application/json")),
        (Some(schema), None) => Ok(Format::Schema(schema)),
        (None, Some(schema)) => Ok(Format::Schema(json_schema(schema))),
    }
}

/// Writes a schema in the form of OpenAPI as JSON Schema: types in lower case, `nullable` as a type, limits as numbers.
fn json_schema(schema: Value) -> Value {
    let Value::Object(mut keywords) = schema else { return schema };
    for key in ["minItems", "maxItems"] {
        let number = keywords.get(key).and_then(|limit| limit.as_str()?.parse::<u64>().ok());
        if let Some(number) = number {
            keywords.insert(key.to_owned(), number.into());
        }
    }
    if let Some(kind) = keywords.get("type").and_then(Value::as_str).map(str::to_ascii_lowercase) {
        let kind = if keywords.get("nullable") == Some(&Value::Bool(true)) {
            Value::from(vec![kind, "null".to_owned()])
        } else {
            kind.into()
        };
        keywords.insert("type".to_owned(), kind);
    }
    for key in ["items", "anyOf", "properties"] {
        let Some(nested) = keywords.get_mut(key) else { continue };
        *nested = match nested.take() {
            Value::Array(schemas) => schemas.into_iter().map(json_schema).collect(),
            Value::Object(fields) if key == "properties" => {
                fields.into_iter().map(|(name, schema)| (name, json_schema(schema))).collect()
            }
            other => json_schema(other),
        };
    }
    keywords.into()
}
