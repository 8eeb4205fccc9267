//! Finds in a call's body what the answer depends on, without parsing the messages.
//!
//! Quotes inside JSON strings are escaped, so `"response_format":` with bare quotes can only be the key itself.

use memchr::memmem;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::Dialect;
use super::hash::{hash, mix};
use super::shape::Shape;

/// A call's body, cut where it matters.
pub(super) struct Prompt<'a> {
    /// The first message's content as sent, without its quotes; empty if there is none.
    persona: &'a [u8],
    /// The value of `response_format`.
    pub(super) format: Option<&'a [u8]>,
    pub(super) model: &'a str,
    body: &'a [u8],
}

impl<'a> Prompt<'a> {
    pub(super) fn scan(body: &'a [u8]) -> Self {
        let messages = memmem::find(body, b"\"messages\":").unwrap_or(0);
        Self {
            persona: string_after(&body[messages..], b"\"content\":").unwrap_or_default(),
            format: memmem::find(body, b"\"response_format\":").and_then(|at| value_in(&body[at + 18..])),
            model: string_after(body, b"\"model\":").and_then(|id| str::from_utf8(id).ok()).unwrap_or("stub"),
            body,
        }
    }

    pub(super) fn persona_key(&self) -> u64 {
        hash(self.persona)
    }

    /// The hash of the whole body; the persona's part of it is read once only.
    pub(super) fn body_key(&self, persona_key: u64) -> u64 {
        let start = self.persona.as_ptr().addr().saturating_sub(self.body.as_ptr().addr());
        match self.body.get(start + self.persona.len()..) {
            Some(rest) if !self.persona.is_empty() => mix(&[hash(&self.body[..start]), persona_key, hash(rest)]),
            _ => hash(self.body),
        }
    }
}

/// What a `response_format` wants.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wanted {
    pub(super) dialect: Dialect,
    /// Identifies the questions.
    pub(super) key: u64,
    /// `None`: any text will do.
    pub(super) shape: Option<Shape>,
}

impl Wanted {
    /// Reads `response_format`; when it holds no schema, the last schema written out in the messages.
    pub(super) fn read(format: Option<&[u8]>, body: &[u8]) -> Self {
        let format: Value = format.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default();
        let (dialect, schema) = match format["type"].as_str() {
            Some("json_schema") => (Dialect::JsonSchema, Some(format["json_schema"]["schema"].clone())),
            Some("json_object") => (Dialect::JsonObject, schema_in_messages(body)),
            _ => (Dialect::Plain, schema_in_messages(body)),
        };
        let text = schema.as_ref().map(Value::to_string).unwrap_or_default();
        Self { dialect, key: hash(text.as_bytes()), shape: schema.map(|schema| Shape::read(&schema, &schema)) }
    }
}

fn schema_in_messages(body: &[u8]) -> Option<Value> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let contents = body["messages"].as_array()?.iter().rev().map(|message| &message["content"]);
    contents.filter_map(Value::as_str).find_map(schema_in)
}

fn schema_in(text: &str) -> Option<Value> {
    text.match_indices('{').find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        values.next()?.ok().filter(|value| value["properties"].is_object())
    })
}

/// The JSON string after the first `key` that has one: the value itself, or the `text` of its first part.
fn string_after<'a>(json: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    memmem::find_iter(json, key).find_map(|at| {
        let value = json[at + key.len()..].trim_ascii_start();
        match value.first()? {
            b'"' => string(&value[1..]),
            b'[' => string_after(value, b"\"text\":"),
            _ => None,
        }
    })
}

/// Up to the closing quote: the first that an even number of backslashes precedes.
fn string(json: &[u8]) -> Option<&[u8]> {
    let end = memchr::memchr_iter(b'"', json).find(|&quote| {
        let backslashes = json[..quote].iter().rev().take_while(|&&byte| byte == b'\\').count();
        backslashes % 2 == 0
    })?;
    Some(&json[..end])
}

fn value_in(json: &[u8]) -> Option<&[u8]> {
    let mut values = serde_json::Deserializer::from_slice(json).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some(&json[..values.byte_offset()])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body(persona: &str, user: &str, format: Value) -> Vec<u8> {
        json!({"messages": [{"content": persona, "role": "system"}, {"content": user, "role": "user"}],
            "model": "gpt-x", "response_format": format})
        .to_string()
        .into_bytes()
    }

    #[test]
    fn a_persona_that_quotes_the_protocol_misleads_nobody() {
        let persona = "He said \"response_format\": {\"type\": \"text\"} and \\\"content\\\": \"model\":\"m\" \\";
        let format = json!({"type": "json_schema", "json_schema": {"schema": {"properties": {"q": {"enum": ["x"]}}}}});
        let body = body(persona, "Which?", format.clone());
        let prompt = Prompt::scan(&body);
        assert_eq!(serde_json::from_slice::<Value>(prompt.format.unwrap()).unwrap(), format);
        assert_eq!(prompt.model, "gpt-x");
        assert_eq!(prompt.persona_key(), super::super::persona_key(persona));
    }

    #[test]
    fn bodies_differ_by_persona_and_by_question() {
        let keys = [("a", "x"), ("b", "x"), ("a", "y")].map(|(persona, user)| {
            let body = body(persona, user, Value::Null);
            let prompt = Prompt::scan(&body);
            (prompt.persona_key(), prompt.body_key(prompt.persona_key()))
        });
        assert_eq!(keys[0].0, keys[2].0);
        assert_ne!(keys[0].0, keys[1].0);
        assert!(keys[0].1 != keys[1].1 && keys[0].1 != keys[2].1 && keys[1].1 != keys[2].1);
    }

    #[test]
    fn a_schema_in_the_prompt_is_found_where_the_format_has_none() {
        let user =
            "Say {nothing} but JSON of this schema:\n{\"type\":\"object\",\"properties\":{\"q\":{\"enum\":[1]}}}\n.";
        let body = body("p", user, json!({"type": "json_object"}));
        let wanted = Wanted::read(Prompt::scan(&body).format, &body);
        assert_eq!(wanted.dialect, Dialect::JsonObject);
        let expected = Shape::Object(vec![("\"q\"".into(), Shape::Choice(vec!["1".into()]))]);
        assert_eq!(wanted.shape, Some(expected));
    }

    #[test]
    fn anything_at_all_can_be_scanned() {
        for body in [&b""[..], b"{", b"\"messages\":\"content\":[", b"\"response_format\":", b"\"content\":\"\\"] {
            let prompt = Prompt::scan(body);
            prompt.body_key(prompt.persona_key());
            Wanted::read(prompt.format, body);
        }
    }
}
