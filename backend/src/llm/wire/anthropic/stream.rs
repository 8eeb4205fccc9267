//! A message in pieces.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::llm::event_stream::{Event, StreamedReply};
use crate::llm::outcome::CallError;
use crate::llm::wire::pieces::{LengthBound, Piece};

/// The fields of all kinds of events that are used.
#[derive(Deserialize)]
struct Data<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    message: Option<Map<String, Value>>,
    #[serde(default)]
    index: usize,
    #[serde(borrow)]
    content_block: Option<ContentBlock<'a>>,
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ContentBlock<'a> {
    #[serde(borrow)]
    text: Option<Piece<'a>>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow)]
    text: Option<Piece<'a>>,
    stop_reason: Option<Value>,
    stop_details: Option<Value>,
}

/// The message so far.
#[derive(Default)]
pub struct StreamedMessage {
    message: Map<String, Value>,
    /// The texts of the content by the place of their block.
    texts: BTreeMap<usize, String>,
    length: LengthBound,
    error: Option<String>,
    is_whole: bool,
}

impl StreamedReply for StreamedMessage {
    fn add(&mut self, event: &Event<'_>) -> Result<bool, CallError> {
        let data: Data<'_> =
            serde_json::from_str(&event.data).map_err(|error| CallError::unreadable(&error, &event.data))?;
        let Data { kind, message, index, content_block, delta, usage } = data;
        match &*kind {
            "message_start" => self.message = message.unwrap_or_default(),
            "content_block_start" => self.add_text(index, content_block.and_then(|block| block.text))?,
            "content_block_delta" => self.add_text(index, delta.and_then(|delta| delta.text))?,
            "message_delta" => self.end(delta, usage),
            "message_stop" => self.is_whole = true,
            "error" => self.error = Some(event.data.clone().into_owned()),
            _ => {}
        }
        Ok(self.is_whole || self.error.is_some())
    }

    fn finish(mut self) -> Result<String, CallError> {
        if let Some(error) = self.error {
            return Ok(error);
        }
        let has_ended = self.message.get("stop_reason").is_some_and(|reason| !reason.is_null());
        if !self.is_whole && !has_ended {
            return Err(CallError::cut_off());
        }
        let content = self.texts.into_values().map(|text| json!({"type": "text", "text": text})).collect();
        self.message.insert("content".to_owned(), content);
        Ok(Value::from(self.message).to_string())
    }
}

impl StreamedMessage {
    /// Blocks of other kinds have no text.
    fn add_text(&mut self, index: usize, piece: Option<Piece<'_>>) -> Result<(), CallError> {
        let Some(Piece(piece)) = piece else { return Ok(()) };
        self.texts.entry(index).or_default().push_str(&piece);
        self.length.add(piece.len().max(1))
    }

    /// The counts at the end are those of the whole message.
    fn end(&mut self, delta: Option<Delta<'_>>, usage: Option<&RawValue>) {
        let Some(Delta { stop_reason, stop_details, .. }) = delta else { return };
        for (name, value) in [("stop_reason", stop_reason), ("stop_details", stop_details)] {
            if let Some(value) = value {
                self.message.insert(name.to_owned(), value);
            }
        }
        let counts: Map<String, Value> =
            usage.and_then(|usage| serde_json::from_str(usage.get()).ok()).unwrap_or_default();
        let known = self.message.entry("usage").or_insert_with(|| json!({}));
        for (name, count) in counts.into_iter().filter(|(_, count)| !count.is_null()) {
            if let Some(known) = known.as_object_mut() {
                known.insert(name, count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assembled(events: &[Value]) -> Result<Value, CallError> {
        let mut reply = StreamedMessage::default();
        for data in events {
            reply.add(&Event { name: "", data: data.to_string().into() })?;
        }
        Ok(serde_json::from_str(&reply.finish()?).expect("JSON"))
    }

    fn events() -> Vec<Value> {
        vec![
            json!({"type": "message_start", "message": {"id": "m", "model": "c", "content": [], "stop_reason": null,
                "usage": {"input_tokens": 9, "cache_read_input_tokens": 4, "output_tokens": 1}}}),
            json!({"type": "ping"}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "{\"a\""}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": ":1}"}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null},
                "usage": {"output_tokens": 33, "output_tokens_details": {"thinking_tokens": 20}, "input_tokens": null}}),
            json!({"type": "message_stop"}),
        ]
    }

    #[test]
    fn the_pieces_of_a_message_are_put_together_with_the_counts_of_its_end() {
        let expected = json!({"id": "m", "model": "c", "content": [{"type": "text", "text": "{\"a\":1}"}],
            "stop_reason": "end_turn", "usage": {"input_tokens": 9, "cache_read_input_tokens": 4, "output_tokens": 33,
                "output_tokens_details": {"thinking_tokens": 20}}});
        assert_eq!(assembled(&events()).expect("a reply"), expected);
    }

    #[test]
    fn a_message_without_its_end_is_cut_off_and_an_error_is_the_reply() {
        assert_eq!(assembled(&events()[..7]).expect_err("it is cut").code(), "connection");
        let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
        assert_eq!(assembled(&[events()[0].clone(), error.clone()]).expect("a reply"), error);
    }
}
