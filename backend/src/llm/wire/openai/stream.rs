//! A chat completion in pieces.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::llm::event_stream::{Event, StreamedReply};
use crate::llm::outcome::CallError;
use crate::llm::wire::pieces::{LengthBound, Piece};

/// The data of the last event.
const DONE: &str = "[DONE]";
/// More than any request asks for.
const MAX_CHOICES: usize = 128;

/// An event: pieces of some choices, the tokens, or an error.
#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    model: Option<&'a RawValue>,
    #[serde(borrow)]
    system_fingerprint: Option<&'a RawValue>,
    #[serde(borrow)]
    choices: Option<Vec<ChoicePiece<'a>>>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ChoicePiece<'a> {
    #[serde(default)]
    index: usize,
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    #[serde(borrow)]
    logprobs: Option<LogprobsPiece<'a>>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow)]
    content: Option<Piece<'a>>,
    #[serde(borrow)]
    refusal: Option<Piece<'a>>,
}

#[derive(Deserialize)]
struct LogprobsPiece<'a> {
    #[serde(borrow)]
    content: Option<Vec<&'a RawValue>>,
}

/// The reply so far, in the form of one that is not streamed.
#[derive(Default, Serialize)]
pub struct StreamedCompletion {
    model: Option<Box<RawValue>>,
    system_fingerprint: Option<Box<RawValue>>,
    choices: Vec<StreamedChoice>,
    usage: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Box<RawValue>>,
    #[serde(skip)]
    length: LengthBound,
    #[serde(skip)]
    is_done: bool,
}

#[derive(Default, Serialize)]
struct StreamedChoice {
    message: StreamedMessage,
    #[serde(skip_serializing_if = "Option::is_none")]
    logprobs: Option<StreamedLogprobs>,
    finish_reason: Option<String>,
}

#[derive(Default, Serialize)]
struct StreamedMessage {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Default, Serialize)]
struct StreamedLogprobs {
    content: Vec<Box<RawValue>>,
}

impl StreamedReply for StreamedCompletion {
    fn add(&mut self, event: &Event<'_>) -> Result<bool, CallError> {
        if event.data == DONE {
            self.is_done = true;
            return Ok(true);
        }
        let chunk: Chunk<'_> =
            serde_json::from_str(&event.data).map_err(|error| CallError::unreadable(&error, &event.data))?;
        keep(&mut self.model, chunk.model);
        keep(&mut self.system_fingerprint, chunk.system_fingerprint);
        // Some servers count in every event; the last one has the sum.
        if let Some(usage) = chunk.usage.filter(|usage| usage.get() != "null") {
            self.usage = Some(usage.to_owned());
        }
        if let Some(error) = chunk.error.filter(|error| error.get() != "null") {
            self.error = Some(error.to_owned());
            return Ok(true);
        }
        for piece in chunk.choices.into_iter().flatten() {
            self.add_piece(piece)?;
        }
        Ok(false)
    }

    fn finish(self) -> Result<String, CallError> {
        let has_ended = |choice: &StreamedChoice| choice.finish_reason.is_some();
        let is_whole = self.is_done || !self.choices.is_empty() && self.choices.iter().all(has_ended);
        if !is_whole && self.error.is_none() {
            return Err(CallError::cut_off());
        }
        serde_json::to_string(&self).map_err(|error| CallError::garbled(&error.to_string()))
    }
}

impl StreamedCompletion {
    fn add_piece(&mut self, piece: ChoicePiece<'_>) -> Result<(), CallError> {
        let ChoicePiece { index, delta, logprobs, finish_reason } = piece;
        if index >= MAX_CHOICES {
            return Err(CallError::garbled("the stream has too many choices"));
        }
        if self.choices.len() <= index {
            self.choices.resize_with(index + 1, StreamedChoice::default);
        }
        let choice = &mut self.choices[index];
        if let Some(Delta { content, refusal }) = delta {
            self.length.add(append(&mut choice.message.content, content))?;
            self.length.add(append(&mut choice.message.refusal, refusal))?;
        }
        if let Some(tokens) = logprobs.and_then(|logprobs| logprobs.content) {
            let own = &mut choice.logprobs.get_or_insert_default().content;
            self.length.add(tokens.iter().map(|token| token.get().len()).sum())?;
            own.extend(tokens.into_iter().map(ToOwned::to_owned));
        }
        choice.finish_reason = finish_reason.or(choice.finish_reason.take());
        Ok(())
    }
}

fn keep(kept: &mut Option<Box<RawValue>>, given: Option<&RawValue>) {
    if kept.is_none() {
        *kept = given.map(ToOwned::to_owned);
    }
}

/// Appends the piece, and returns its length.
fn append(text: &mut Option<String>, piece: Option<Piece<'_>>) -> usize {
    let Some(Piece(piece)) = piece else { return 0 };
    text.get_or_insert_default().push_str(&piece);
    piece.len()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::llm::connection::MAX_REPLY_BYTES;

    fn assembled(events: &[Value]) -> Result<Value, CallError> {
        let mut reply = StreamedCompletion::default();
        for data in events {
            let data = data.as_str().map_or_else(|| data.to_string(), str::to_owned);
            reply.add(&Event { name: "", data: data.into() })?;
        }
        Ok(serde_json::from_str(&reply.finish()?).expect("JSON"))
    }

    fn piece(index: usize, delta: Value, finish_reason: Value) -> Value {
        json!({"model": "m", "system_fingerprint": "f", "usage": null,
            "choices": [{"index": index, "delta": delta, "finish_reason": finish_reason}]})
    }

    #[test]
    fn the_pieces_of_several_choices_are_put_together() {
        let tokens = json!({"model": "m", "choices": [], "usage": {"prompt_tokens": 7}});
        let mut with_logprobs = piece(1, json!({"content": "b"}), json!("length"));
        with_logprobs["choices"][0]["logprobs"] = json!({"content": [{"token": "b", "logprob": -0.5}]});
        let events = [
            piece(0, json!({"role": "assistant", "content": "", "refusal": null}), Value::Null),
            piece(0, json!({"content": "a \"é\n"}), Value::Null),
            with_logprobs,
            piece(0, json!({"content": "z"}), Value::Null),
            piece(0, json!({}), json!("stop")),
            tokens,
            json!("[DONE]"),
        ];
        let expected = json!({"model": "m", "system_fingerprint": "f", "usage": {"prompt_tokens": 7}, "choices": [
            {"message": {"content": "a \"é\nz", "refusal": null}, "finish_reason": "stop"},
            {"message": {"content": "b", "refusal": null}, "finish_reason": "length",
                "logprobs": {"content": [{"token": "b", "logprob": -0.5}]}}]});
        assert_eq!(assembled(&events).expect("a reply"), expected);
    }

    #[test]
    fn a_stream_that_ends_before_its_reply_is_an_error_and_a_missing_last_event_is_none() {
        let (open, ended) = (piece(0, json!({"content": "a"}), Value::Null), piece(0, json!({}), json!("stop")));
        for events in [&[][..], std::slice::from_ref(&open)] {
            assert_eq!(assembled(events).expect_err("it is cut").code(), "connection");
        }
        assert!(assembled(&[open, ended]).is_ok());
    }

    #[test]
    fn an_error_in_the_middle_is_the_reply() {
        let events =
            [piece(0, json!({"content": "a"}), Value::Null), json!({"error": {"code": 503, "message": "busy"}})];
        assert_eq!(assembled(&events).expect("a reply")["error"]["message"], "busy");
    }

    #[test]
    fn garbage_and_endless_texts_are_errors() {
        assert_eq!(assembled(&[json!("{\"choices\": [")]).expect_err("no JSON").code(), "garbled");
        assert_eq!(assembled(&[piece(9_999, json!({}), Value::Null)]).expect_err("too many").code(), "garbled");
        let long = piece(0, json!({"content": "x".repeat(MAX_REPLY_BYTES / 2 + 1)}), Value::Null);
        assert_eq!(assembled(&[long.clone(), long]).expect_err("too long").code(), "garbled");
    }
}
