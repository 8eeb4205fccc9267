//! The body of a request for content. Its bytes are recorded.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use simulation::model_options::ServiceTier;

use super::thinking::{ThinkingConfig, efforts};
use crate::llm::prompt::{Dialect, ModelParameter, Prompt, ReplyLimit, ResponseFormat, Sampling, SystemMessage};
use crate::llm::wire::text::json;

/// Comes before the system message in every body.
const OPENING: &str = r#"{"systemInstruction":{"parts":[{"text":"#;
/// Seeds have 32 bits, of which the sign is left out.
const SEED_BITS: i64 = 0x7fff_ffff;

/// The fields after the system message. The path names the model.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Settings<'a> {
    contents: [Content<'a>; 1],
    generation_config: GenerationConfig<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<&'static str>,
}

#[derive(Serialize)]
struct Content<'a> {
    role: &'static str,
    parts: [Part<'a>; 1],
}

#[derive(Serialize)]
struct Part<'a> {
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<ThinkingConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_json_schema: Option<&'a RawValue>,
}

/// The beginning of a body, up to the end of the system message.
pub fn open(system_message: &SystemMessage) -> String {
    [OPENING, &json(system_message.text())].concat()
}

/// The body after the system message.
pub fn encode_rest(prompt: &Prompt) -> String {
    let Prompt { schema, sampling, dialect, .. } = prompt;
    let (questions, mime_type, schema) = match (schema, dialect.format) {
        (None, _) => (prompt.questions().to_owned(), None, None),
        (Some(schema), ResponseFormat::JsonSchema) => (prompt.questions().to_owned(), Some(JSON), Some(&**schema)),
        (Some(_), ResponseFormat::JsonObject) => (prompt.questions_and_schema(), Some(JSON), None),
        (Some(_), ResponseFormat::Plain) => (prompt.questions_and_schema(), None, None),
    };
    let settings = json(&Settings {
        contents: [Content { role: "user", parts: [Part { text: &questions }] }],
        generation_config: GenerationConfig {
            temperature: sampling.temperature,
            seed: dialect.seed.then_some(sampling.seed & SEED_BITS),
            max_output_tokens: (dialect.reply_limit != ReplyLimit::Omitted).then_some(sampling.max_tokens),
            thinking_config: sampling.reasoning_effort.and_then(|effort| ThinkingConfig::new(&sampling.model, effort)),
            response_mime_type: mime_type,
            response_json_schema: schema,
        },
        service_tier: sampling.service_tier.and_then(service_tier),
    });
    // The settings go on in the object that the opening began.
    ["}]},", settings.trim_start_matches('{')].concat()
}

const JSON: &str = "application/json";

/// The texts of the system message and of the questions in a body.
pub fn read_messages(body: &str) -> serde_json::Result<[String; 2]> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Body {
        system_instruction: Read,
        contents: [Read; 1],
    }
    #[derive(Deserialize)]
    struct Read {
        parts: [ReadPart; 1],
    }
    #[derive(Deserialize)]
    struct ReadPart {
        text: String,
    }
    let Body { system_instruction: Read { parts: [system] }, contents: [Read { parts: [questions] }] } =
        serde_json::from_str(body)?;
    Ok([system.text, questions.text])
}

/// The parameters that requests in this dialect do not have. Google's schemas have no length limits of texts.
pub fn omitted_params(dialect: Dialect) -> Vec<&'static str> {
    let format = match dialect.format {
        ResponseFormat::JsonSchema => "maxLength",
        ResponseFormat::JsonObject => "responseJsonSchema",
        ResponseFormat::Plain => "responseMimeType",
    };
    let reply_limit = (dialect.reply_limit == ReplyLimit::Omitted).then_some("maxOutputTokens");
    let seed = (!dialect.seed).then_some("seed");
    let refused = dialect.omitted.names().map(ModelParameter::name);
    [Some(format), reply_limit, seed].into_iter().flatten().chain(refused).collect()
}

/// The parameters of this call that Google does not have, each with the reason.
pub fn unsupported(sampling: &Sampling) -> Vec<(ModelParameter, String)> {
    let Sampling { model, reasoning_effort, verbosity, service_tier: tier, .. } = sampling;
    let effort = reasoning_effort.filter(|effort| ThinkingConfig::new(model, *effort).is_none());
    let effort = effort.map(|_| (ModelParameter::ReasoningEffort, efforts(model)));
    let verbosity = verbosity.map(|_| (ModelParameter::Verbosity, "Gemini has no verbosity"));
    let tier = tier.filter(|tier| service_tier(*tier).is_none());
    let tier = tier.map(|_| (ModelParameter::ServiceTier, "Gemini takes the service tiers default, flex and priority"));
    let logprobs = sampling
        .top_logprobs
        .map(|_| (ModelParameter::Logprobs, "no probabilities of tokens are asked for on Gemini's API"));
    let all = [effort, verbosity, tier, logprobs].into_iter().flatten();
    all.map(|(parameter, why)| (parameter, why.to_owned())).collect()
}

fn service_tier(tier: ServiceTier) -> Option<&'static str> {
    match tier {
        ServiceTier::Auto => None,
        ServiceTier::Default => Some("standard"),
        ServiceTier::Flex => Some("flex"),
        ServiceTier::Priority => Some("priority"),
    }
}
