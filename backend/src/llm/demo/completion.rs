//! One chat completion: the request as clients send it, and the model's reply to it.

use serde::Deserialize;
use serde_json::{Value, json};

use super::faults::Defect;
use super::schema::Answering;
use super::server_error::ServerError;
use super::twin::Twin;
use super::{MODEL, sentences};
use crate::llm::prompt::tokens_of;

#[derive(Deserialize)]
pub struct Request {
    #[serde(default)]
    messages: Vec<Message>,
    #[serde(default)]
    stream: Option<bool>,
    response_format: Option<Format>,
    max_completion_tokens: Option<u32>,
    max_tokens: Option<u32>,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    #[serde(default)]
    content: Value,
}

#[derive(Deserialize)]
struct Format {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    json_schema: Value,
}

/// What the model says, and how many tokens it read and wrote.
pub struct Reply {
    content: String,
    finish_reason: &'static str,
    prompt_tokens: u32,
    completion_tokens: u32,
}

impl Request {
    pub fn parse(body: &[u8]) -> Result<Self, ServerError> {
        let invalid =
            |error| ServerError::invalid(format!("We could not parse the JSON body of your request: {error}"), None);
        let request: Self = serde_json::from_slice(body).map_err(invalid)?;
        if request.messages.is_empty() {
            return Err(ServerError::invalid("'messages' must hold at least one message.", Some("messages")));
        }
        if request.stream == Some(true) {
            return Err(ServerError::invalid("The demo model does not stream: leave 'stream' out.", Some("stream")));
        }
        match request.response_format.as_ref().map(|format| (format.kind.as_str(), &format.json_schema)) {
            None | Some(("text" | "json_object", _)) => {}
            Some(("json_schema", schema)) if schema.get("schema").is_some_and(Value::is_object) => {}
            Some(("json_schema", _)) => {
                let message = "Missing required parameter: 'response_format.json_schema.schema'.";
                return Err(ServerError::invalid(message, Some("response_format")));
            }
            Some((kind, _)) => {
                let message =
                    format!("Invalid value: '{kind}'. Supported values are: 'text', 'json_object', and 'json_schema'.");
                return Err(ServerError::invalid(message, Some("response_format")));
            }
        }
        Ok(request)
    }

    /// The twin is whoever the system messages describe; the questions are the last user message.
    pub fn reply(&self, seed: u64, defect: Option<Defect>) -> Reply {
        let profile: String = self
            .messages
            .iter()
            .filter(|m| matches!(m.role.as_str(), "system" | "developer"))
            .map(Message::text)
            .collect();
        let questions = self.messages.iter().rfind(|m| m.role == "user").map(Message::text).unwrap_or_default();
        let twin = Twin::read(&profile, seed);
        let content = match self.schema(&questions) {
            Some(schema) => {
                let answering = Answering { twin: &twin, root: &schema, questions: &questions };
                broken(answering.reply(), defect).to_string()
            }
            None => sentences::answer(&twin, &questions),
        };
        let content = if defect == Some(Defect::Prose) { sentences::answer(&twin, &questions) } else { content };
        self.cut(content, tokens_of(profile.len() + questions.len()), defect)
    }

    /// The schema of the response format, else the one that the prompt shows, else any object where one is asked for.
    fn schema(&self, questions: &str) -> Option<Value> {
        let format = self.response_format.as_ref();
        if let Some(schema) = format.and_then(|format| format.json_schema.get("schema")) {
            return Some(schema.clone());
        }
        let shown = || {
            let (_, after) = questions.rsplit_once("JSON schema:")?;
            serde_json::Deserializer::from_str(after).into_iter::<Value>().next()?.ok().filter(Value::is_object)
        };
        let any = || json!({ "type": "object", "properties": { "answer": { "type": "string" } } });
        shown().or_else(|| format.filter(|format| format.kind == "json_object").map(|_| any()))
    }

    /// Within the tokens that the request allows.
    fn cut(&self, mut content: String, prompt_tokens: u32, defect: Option<Defect>) -> Reply {
        let allowed = self.max_completion_tokens.or(self.max_tokens).unwrap_or(u32::MAX);
        let allowed = if defect == Some(Defect::Truncated) { tokens_of(content.len()) / 2 } else { allowed };
        let mut finish_reason = "stop";
        if tokens_of(content.len()) > allowed {
            finish_reason = "length";
            content.truncate(content.floor_char_boundary(4 * allowed as usize));
        }
        let completion_tokens = tokens_of(content.len());
        Reply { content, finish_reason, prompt_tokens, completion_tokens }
    }
}

impl Message {
    /// The content, or the text parts of it.
    fn text(&self) -> String {
        match &self.content {
            Value::String(text) => text.clone(),
            Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
            _ => String::new(),
        }
    }
}

impl Reply {
    /// As OpenAI's API answers.
    pub fn to_json(&self, id: &str, created: i64) -> Value {
        json!({
            "id": id,
            "object": "chat.completion",
            "created": created,
            "model": MODEL,
            "system_fingerprint": concat!("twinlab-", env!("CARGO_PKG_VERSION")),
            "choices": [{
                "index": 0,
                "message": { "role": "assistant", "content": self.content, "refusal": null },
                "logprobs": null,
                "finish_reason": self.finish_reason,
            }],
            "usage": {
                "prompt_tokens": self.prompt_tokens,
                "completion_tokens": self.completion_tokens,
                "total_tokens": self.prompt_tokens.saturating_add(self.completion_tokens),
                "prompt_tokens_details": { "cached_tokens": 0 },
            },
        })
    }
}

fn broken(mut reply: Value, defect: Option<Defect>) -> Value {
    let Some(fields) = reply.as_object_mut() else { return reply };
    let first = fields.keys().next().cloned();
    match (defect, first) {
        (Some(Defect::MissingField), Some(name)) => drop(fields.remove(&name)),
        (Some(Defect::WrongValue), Some(name)) => drop(fields.insert(name, json!({ "wrong": [null] }))),
        _ => {}
    }
    reply
}
