//! Generated content in pieces: each event is a reply with a part of the text.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::llm::event_stream::{Event, StreamedReply};
use crate::llm::outcome::CallError;
use crate::llm::wire::pieces::{LengthBound, Piece};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(borrow)]
    model_version: Option<&'a RawValue>,
    #[serde(borrow, default)]
    candidates: Vec<CandidatePart<'a>>,
    #[serde(borrow)]
    prompt_feedback: Option<&'a RawValue>,
    #[serde(borrow)]
    usage_metadata: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CandidatePart<'a> {
    #[serde(default)]
    index: usize,
    #[serde(borrow)]
    content: Option<Content<'a>>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow, default)]
    parts: Vec<TextPart<'a>>,
}

#[derive(Deserialize)]
struct TextPart<'a> {
    #[serde(borrow)]
    text: Option<Piece<'a>>,
    /// A summary of the model's thoughts.
    #[serde(default)]
    thought: bool,
}

/// The content so far.
#[derive(Default)]
pub struct StreamedContent {
    candidates: BTreeMap<usize, StreamedCandidate>,
    /// Other fields of the reply: the last value of each.
    others: BTreeMap<&'static str, Value>,
    length: LengthBound,
    has_begun: bool,
}

#[derive(Default)]
struct StreamedCandidate {
    text: Option<String>,
    finish_reason: Option<String>,
}

impl StreamedReply for StreamedContent {
    fn add(&mut self, event: &Event<'_>) -> Result<bool, CallError> {
        let unreadable = |error| CallError::unreadable(&error, &event.data);
        let part: Part<'_> = serde_json::from_str(&event.data).map_err(unreadable)?;
        self.has_begun = true;
        let fields = [
            ("modelVersion", part.model_version),
            ("promptFeedback", part.prompt_feedback),
            ("usageMetadata", part.usage_metadata),
            ("error", part.error),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                self.others.insert(name, serde_json::from_str(value.get()).map_err(unreadable)?);
            }
        }
        for candidate in part.candidates {
            self.add_part(candidate)?;
        }
        Ok(self.others.contains_key("error"))
    }

    fn finish(self) -> Result<String, CallError> {
        let has_ended = self.candidates.values().all(|candidate| candidate.finish_reason.is_some());
        let is_error = self.others.contains_key("error");
        let is_whole = self.has_begun && has_ended;
        if !is_error && !is_whole {
            return Err(CallError::cut_off());
        }
        let candidate = |(index, StreamedCandidate { text, finish_reason }): (usize, StreamedCandidate)| {
            let parts: Vec<Value> = text.into_iter().map(|text| json!({ "text": text })).collect();
            json!({"index": index, "content": {"parts": parts}, "finishReason": finish_reason})
        };
        let mut reply = json!(self.others);
        reply["candidates"] = self.candidates.into_iter().map(candidate).collect();
        Ok(reply.to_string())
    }
}

impl StreamedContent {
    fn add_part(&mut self, part: CandidatePart<'_>) -> Result<(), CallError> {
        let CandidatePart { index, content, finish_reason } = part;
        self.length.add(1)?;
        let candidate = self.candidates.entry(index).or_default();
        let parts = content.into_iter().flat_map(|content| content.parts).filter(|part| !part.thought);
        for Piece(piece) in parts.filter_map(|part| part.text) {
            candidate.text.get_or_insert_default().push_str(&piece);
            self.length.add(piece.len())?;
        }
        candidate.finish_reason = finish_reason.or(candidate.finish_reason.take());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assembled(events: &[Value]) -> Result<Value, CallError> {
        let mut reply = StreamedContent::default();
        for data in events {
            reply.add(&Event { name: "", data: data.to_string().into() })?;
        }
        Ok(serde_json::from_str(&reply.finish()?).expect("JSON"))
    }

    fn part(text: &str, finish_reason: Value, tokens: u32) -> Value {
        let parts = json!([{"text": "hm", "thought": true}, { "text": text }]);
        json!({"modelVersion": "g", "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": tokens},
            "candidates": [{"content": {"parts": parts}, "finishReason": finish_reason}]})
    }

    #[test]
    fn the_pieces_of_a_candidate_are_put_together_with_the_last_counts() {
        let events = [part("{\"a\"", Value::Null, 1), part(":1}", json!("STOP"), 4)];
        let expected = json!({"modelVersion": "g", "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 4},
            "candidates": [{"index": 0, "content": {"parts": [{"text": "{\"a\":1}"}]}, "finishReason": "STOP"}]});
        assert_eq!(assembled(&events).expect("a reply"), expected);
    }

    #[test]
    fn content_without_its_end_is_cut_off_and_an_error_and_a_blocked_prompt_are_replies() {
        assert_eq!(assembled(&[part("a", Value::Null, 1)]).expect_err("it is cut").code(), "connection");
        assert_eq!(assembled(&[]).expect_err("there is nothing").code(), "connection");
        let error = json!({"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}});
        assert_eq!(assembled(&[part("a", Value::Null, 1), error]).expect("a reply")["error"]["code"], 503);
        let blocked = json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}});
        assert_eq!(assembled(&[blocked]).expect("a reply")["promptFeedback"]["blockReason"], "PROHIBITED_CONTENT");
    }
}
