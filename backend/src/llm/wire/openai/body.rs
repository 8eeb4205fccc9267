//! The body of a chat completions request.
//!
//! Its bytes are recorded: their hash is stored with every answer, and the part after the system message with every call
//! of a batch.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use simulation::model_options::{PromptCache, ReasoningEffort, ServiceTier, Verbosity};

use crate::llm::prompt::{
    Dialect, ModelParameter, Prompt, ReplyLimit, ResponseFormat, Sampling, Streaming, SystemMessage,
};
use crate::llm::wire::text::json;

/// Comes before the system message in every body. The messages are the first field and the system message the first of
/// them, so that providers' prefix caches apply.
const OPENING: &str = r#"{"messages":[{"role":"system","content":"#;
/// Comes before a text that may end with a mark of the cache.
const PART: &str = r#"[{"type":"text","text":"#;
/// Marks the end of what the cache keeps.
const MARK: &str = r#","prompt_cache_breakpoint":{"mode":"explicit"}"#;

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

/// The fields after the messages.
#[derive(Serialize)]
struct Settings<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<ReasoningEffort>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verbosity: Option<Verbosity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<ServiceTier>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    n: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logprobs: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_logprobs: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Format<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_options: Option<CacheOptions>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

/// Tells models from GPT-5.6 on to write to their cache at marks alone.
#[derive(Serialize)]
struct CacheOptions {
    mode: &'static str,
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
    schema: &'a RawValue,
}

/// The beginning of a body, up to the end of the system message.
pub fn open(system_message: &SystemMessage) -> String {
    let part = if system_message.has_mark() { PART } else { "" };
    [OPENING, part, &json(system_message.text())].concat()
}

/// The body after the system message.
pub fn encode_rest(prompt: &Prompt) -> String {
    let Prompt { schema, sampling, dialect, .. } = prompt;
    let (questions, response_format) = match (schema, dialect.format) {
        (None, _) => (prompt.questions().to_owned(), None),
        (Some(schema), ResponseFormat::JsonSchema) => {
            let json_schema = NamedSchema { name: "answers", strict: true, schema };
            (prompt.questions().to_owned(), Some(Format::JsonSchema { json_schema }))
        }
        (Some(_), ResponseFormat::JsonObject) => (prompt.questions_and_schema(), Some(Format::JsonObject)),
        (Some(_), ResponseFormat::Plain) => (prompt.questions_and_schema(), None),
    };
    let limit = |name| (dialect.reply_limit == name).then_some(sampling.max_tokens);
    let settings = json(&Settings {
        model: &sampling.model,
        temperature: sampling.temperature,
        reasoning_effort: sampling.reasoning_effort,
        verbosity: sampling.verbosity,
        service_tier: sampling.service_tier,
        seed: dialect.seed.then_some(sampling.seed),
        n: Some(sampling.draws).filter(|draws| *draws > 1),
        logprobs: sampling.top_logprobs.map(|_| true),
        top_logprobs: sampling.top_logprobs,
        max_completion_tokens: limit(ReplyLimit::MaxCompletionTokens),
        max_tokens: limit(ReplyLimit::MaxTokens),
        response_format,
        stream: sampling.streams().then_some(true),
        stream_options: (sampling.streaming == Streaming::WithUsage).then_some(StreamOptions { include_usage: true }),
        prompt_cache_options: sampling
            .prompt_cache
            .filter(|_| dialect.cache_marks)
            .map(|_| CacheOptions { mode: "explicit" }),
    });
    let end_of_system = match sampling.prompt_cache {
        Some(PromptCache::Twin) if dialect.cache_marks => &[MARK, "}]"].concat(),
        Some(PromptCache::Twin) => "}]",
        Some(PromptCache::Off) | None => "",
    };
    let message = json(&Message { role: "user", content: &questions });
    // The settings go on in the object that the opening began.
    [end_of_system, "},", &message, "],", settings.trim_start_matches('{')].concat()
}

/// The texts of the system message and of the questions in a body.
pub fn read_messages(body: &str) -> serde_json::Result<[String; 2]> {
    #[derive(Deserialize)]
    struct Body {
        messages: [Read; 2],
    }
    #[derive(Deserialize)]
    struct Read {
        content: Content,
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Content {
        Text(String),
        Parts([Part; 1]),
    }
    #[derive(Deserialize)]
    struct Part {
        text: String,
    }
    let Body { messages } = serde_json::from_str(body)?;
    Ok(messages.map(|message| match message.content {
        Content::Text(text) | Content::Parts([Part { text }]) => text,
    }))
}

/// Every parameter is sent: servers differ in what they take.
pub fn unsupported(_: &Sampling) -> Vec<(ModelParameter, String)> {
    Vec::new()
}

/// The parameter that limits the length of a reply.
pub fn limit_parameter(limit: ReplyLimit) -> Option<&'static str> {
    match limit {
        ReplyLimit::MaxCompletionTokens => Some("max_completion_tokens"),
        ReplyLimit::MaxTokens => Some("max_tokens"),
        ReplyLimit::Omitted => None,
    }
}

/// The parameters that requests in this dialect do not have.
pub fn omitted_params(dialect: Dialect) -> Vec<&'static str> {
    let format = match dialect.format {
        ResponseFormat::JsonSchema => None,
        ResponseFormat::JsonObject => Some("json_schema"),
        ResponseFormat::Plain => Some("response_format"),
    };
    let reply_limit = match dialect.reply_limit {
        ReplyLimit::MaxCompletionTokens => None,
        ReplyLimit::MaxTokens => Some("max_completion_tokens"),
        ReplyLimit::Omitted => Some("max_tokens"),
    };
    let seed = (!dialect.seed).then_some("seed");
    let text_length = (!dialect.text_length).then_some("maxLength");
    let stream = match dialect.streaming {
        Streaming::WithUsage => None,
        Streaming::WithoutUsage => Some("stream_options"),
        Streaming::Omitted => Some("stream"),
    };
    let cache_marks = (!dialect.cache_marks).then_some("prompt_cache_options");
    let refused = dialect.omitted.names().map(ModelParameter::name);
    [format, reply_limit, seed, text_length, stream, cache_marks].into_iter().flatten().chain(refused).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use simulation::parameters::Parameters;
    use survey::samples::one_of_each;

    use super::*;
    use crate::llm::prompt::{PromptItem, RequestPart, max_tokens};
    use crate::llm::samples::{encoded, parameters};

    #[test]
    fn the_texts_of_a_body_are_read_as_they_were_written() {
        let (questions, parameters) = (one_of_each(), parameters());
        let items: Vec<_> = questions.iter().map(|question| PromptItem::new(question, &parameters, 1)).collect();
        let declared = Dialect::default();
        let in_words = declared.without(RequestPart::ResponseFormat).expect("a simpler one");
        let persona = "I am \"Ann\" é.\n{\"a\": 1}";
        for dialect in [declared, in_words] {
            let prompt = Prompt::new("", &parameters, &items, dialect, max_tokens(&items));
            let asked = if dialect == declared { prompt.questions().to_owned() } else { prompt.questions_and_schema() };
            let body = encoded(persona, &parameters, &items, dialect, max_tokens(&items));
            let read = read_messages(body.body()).expect("two messages");
            assert_eq!(read, [SystemMessage::new(persona).text().to_owned(), asked]);
        }
    }

    #[test]
    fn the_end_of_a_twins_text_is_marked_if_it_is_to_be_cached_and_the_server_knows_marks() {
        let questions = one_of_each();
        let body = |prompt_cache, dialect| -> Value {
            let parameters = Parameters { prompt_cache, ..parameters() };
            let items = [PromptItem::new(&questions[0], &parameters, 1)];
            let body = encoded("Ann", &parameters, &items, dialect, 9);
            assert_eq!(read_messages(body.body()).expect("two messages")[0], SystemMessage::new("Ann").text());
            serde_json::from_str(body.body()).expect("JSON")
        };
        let part = json!({"type": "text", "text": SystemMessage::new("Ann").text()});
        let explicit = json!({"mode": "explicit"});
        let twin = body(Some(PromptCache::Twin), Dialect::default());
        let mut marked = part.clone();
        marked["prompt_cache_breakpoint"] = explicit.clone();
        assert_eq!(twin["messages"][0]["content"], json!([marked]));
        assert_eq!(
            (&twin["prompt_cache_options"], &twin["response_format"]),
            (&explicit, &json!({"type": "json_object"}))
        );
        assert!(twin["messages"][1]["content"].as_str().expect("a text").contains("JSON schema"), "{twin}");
        let refused = Dialect::default().without(RequestPart::CacheMarks).expect("it has some");
        let unmarked = body(Some(PromptCache::Twin), refused);
        assert_eq!(unmarked["messages"][0]["content"], json!([part]));
        assert_eq!(unmarked["prompt_cache_options"], Value::Null);
        let off = body(Some(PromptCache::Off), Dialect::default());
        assert_eq!((&off["prompt_cache_options"], &off["messages"][0]["content"]), (&explicit, &part["text"]));
        assert_eq!(off["response_format"]["type"], "json_schema");
        assert_eq!(body(None, Dialect::default())["prompt_cache_options"], Value::Null);
    }

    #[test]
    fn the_rest_of_a_body_follows_its_opening() {
        let (questions, parameters) = (one_of_each(), parameters());
        let items = [PromptItem::new(&questions[0], &parameters, 1)];
        let prompt = encoded("x", &parameters, &items, Dialect::default(), 9);
        let opening = open(&SystemMessage::new("x"));
        assert_eq!(prompt.body().strip_prefix(&opening), Some(prompt.rest()));
        assert!(prompt.rest().starts_with("},{\"role\":\"user\""), "{}", prompt.rest());
    }
}
