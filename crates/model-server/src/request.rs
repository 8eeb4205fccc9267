//! A chat completion request, parsed as far as an answer depends on it.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::Dialect;
use crate::hash::hash;
use crate::reply::ApiError;
use crate::schema::Schema;

/// Maximum number of choices of one reply.
const MAX_CHOICES: u64 = 8;

pub struct Request<'a> {
    pub model: Option<String>,
    pub dialect: Dialect,
    /// Schema of the reply. `None` if any text will do.
    pub schema: Option<Schema>,
    /// Hash of the first message's content as sent.
    pub persona: u64,
    /// Hash of the schema.
    pub questions: u64,
    /// Maximum number of tokens of each choice.
    pub max_tokens: Option<u32>,
    /// Number of choices of the reply.
    pub choices: u64,
    /// Seed by which the answers of calls vary. `None` if they do not.
    pub seed: Option<i64>,
    messages: Vec<Message<'a>>,
}

#[derive(Deserialize)]
struct Body<'a> {
    model: Option<String>,
    #[serde(borrow, default)]
    messages: Vec<Message<'a>>,
    #[serde(default)]
    stream: Option<bool>,
    response_format: Option<Format>,
    max_completion_tokens: Option<u32>,
    max_tokens: Option<u32>,
    n: Option<i64>,
    seed: Option<i64>,
    temperature: Option<f64>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    /// The content as sent. A persona's text is long, and its quick answers depend on the hash alone.
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Format {
    #[serde(rename = "type")]
    kind: String,
    json_schema: Option<Value>,
}

impl<'a> Request<'a> {
    pub fn parse(body: &'a [u8]) -> Result<Self, ApiError> {
        let body: Body<'a> = serde_json::from_slice(body).map_err(|error| {
            ApiError::invalid(format!("We could not parse the JSON body of your request: {error}"), None)
        })?;
        if body.messages.is_empty() {
            return Err(ApiError::invalid("'messages' must hold at least one message.", Some("messages")));
        }
        if body.stream == Some(true) {
            return Err(ApiError::invalid("This server does not stream: leave 'stream' out.", Some("stream")));
        }
        let choices = body.n.map_or(Some(1), |n| u64::try_from(n).ok()).filter(|n| (1..=MAX_CHOICES).contains(n));
        let Some(choices) = choices else {
            return Err(ApiError::invalid(format!("'n' must be from 1 to {MAX_CHOICES}."), Some("n")));
        };
        let mut request = Self {
            model: body.model,
            dialect: Dialect::Plain,
            schema: None,
            persona: hash(body.messages[0].content.map_or("", |content| unquoted(content.get())).as_bytes()),
            questions: 0,
            max_tokens: body.max_completion_tokens.or(body.max_tokens),
            choices,
            // At temperature 0 all calls are answered alike.
            seed: body.seed.filter(|_| body.temperature != Some(0.0)),
            messages: body.messages,
        };
        let schema = match body.response_format {
            Some(Format { kind, json_schema }) => match kind.as_str() {
                "json_schema" => {
                    request.dialect = Dialect::JsonSchema;
                    let schema = json_schema.and_then(|mut format| Some(format.get_mut("schema")?.take()));
                    Some(schema.filter(Value::is_object).ok_or_else(|| {
                        let message = "Missing required parameter: 'response_format.json_schema.schema'.";
                        ApiError::invalid(message, Some("response_format"))
                    })?)
                }
                "json_object" => {
                    request.dialect = Dialect::JsonObject;
                    let any = || json!({ "properties": { "answer": { "type": "string" } } });
                    Some(schema_in(&request.questions()).unwrap_or_else(any))
                }
                "text" => schema_in(&request.questions()),
                other => {
                    let message = format!(
                        "Invalid value: '{other}'. Supported values are: 'text', 'json_object', and 'json_schema'."
                    );
                    return Err(ApiError::invalid(message, Some("response_format")));
                }
            },
            None => schema_in(&request.questions()),
        };
        if let Some(schema) = schema {
            request.questions = hash(schema.to_string().as_bytes());
            request.schema = Some(Schema::parse(&schema));
        }
        Ok(request)
    }

    /// The texts of the system messages.
    pub fn profile(&self) -> String {
        let system = self.messages.iter().filter(|message| matches!(&*message.role, "system" | "developer"));
        system.map(Message::text).collect()
    }

    /// The last user message.
    pub fn questions(&self) -> String {
        self.messages.iter().rfind(|message| message.role == "user").map(Message::text).unwrap_or_default()
    }
}

impl Message<'_> {
    /// The content, or its text parts.
    fn text(&self) -> String {
        let content = self.content.and_then(|content| serde_json::from_str(content.get()).ok());
        match content {
            Some(Value::String(text)) => text,
            Some(Value::Array(parts)) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
            _ => String::new(),
        }
    }
}

/// Returns the [`Request::persona`] of a first message with this content.
pub fn persona_key(text: &str) -> u64 {
    hash(unquoted(&Value::from(text).to_string()).as_bytes())
}

/// Returns the first of these parameters that the body has.
pub fn first_present(names: &[&'static str], body: &[u8]) -> Option<&'static str> {
    if names.is_empty() {
        return None;
    }
    let body: Value = serde_json::from_slice(body).ok()?;
    names.iter().copied().find(|name| body.get(name).is_some())
}

/// Finds the schema in a prompt, if the response format has none.
fn schema_in(text: &str) -> Option<Value> {
    text.match_indices('{').find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        values.next()?.ok().filter(|value| value["properties"].is_object())
    })
}

fn unquoted(json: &str) -> &str {
    json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(persona: &str, user: &str, format: Value) -> Vec<u8> {
        json!({"messages": [{"content": persona, "role": "system"}, {"content": user, "role": "user"}],
            "model": "gpt-x", "response_format": format})
        .to_string()
        .into_bytes()
    }

    #[test]
    fn a_persona_is_known_by_the_text_of_the_first_message() {
        let persona = "He said \"response_format\": {\"type\": \"text\"} and \\\"content\\\" \\";
        let body = body(persona, "Which?", Value::Null);
        let request = Request::parse(&body).ok().unwrap();
        assert_eq!((request.persona, request.profile().as_str()), (persona_key(persona), persona));
        assert_ne!(request.persona, persona_key("somebody else"));
    }

    #[test]
    fn a_schema_in_the_prompt_is_found_where_the_format_has_none() {
        let schema = json!({"type": "object", "properties": {"q": {"enum": [1]}}});
        let user = format!("Say {{nothing}} but JSON of this schema:\n{schema}\n.");
        let shown = body("p", &user, json!({"type": "json_object"}));
        let shown = Request::parse(&shown).ok().unwrap();
        let given = json!({"type": "json_schema", "json_schema": {"name": "a", "schema": schema}});
        let given = body("p", "Which?", given);
        let given = Request::parse(&given).ok().unwrap();
        assert_eq!((shown.dialect, given.dialect), (Dialect::JsonObject, Dialect::JsonSchema));
        assert!(shown.schema.is_some());
        assert_eq!((shown.schema, shown.questions), (given.schema, given.questions));
    }

    #[test]
    fn requests_that_cannot_be_answered_are_refused() {
        let refusal = |body: Value| Request::parse(body.to_string().as_bytes()).err().unwrap().message;
        let hello = json!([{ "role": "user", "content": "hello" }]);
        assert!(refusal(json!({ "messages": [] })).contains("at least one message"));
        assert!(refusal(json!({ "messages": hello, "stream": true })).contains("does not stream"));
        let format = |format: Value| json!({ "messages": hello, "response_format": format });
        assert!(refusal(format(json!({ "type": "xml" }))).contains("Invalid value: 'xml'"));
        assert!(refusal(format(json!({ "type": "json_schema" }))).contains("schema"));
        assert!(refusal(json!([])).contains("could not parse"));
        for n in [0, -1, 9] {
            assert_eq!(refusal(json!({ "messages": hello, "n": n })), "'n' must be from 1 to 8.");
        }
    }
}
