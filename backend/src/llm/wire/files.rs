//! Files of batches, which are read as they arrive: they may be longer than what memory is for. And why a call about a batch
//! failed.

use reqwest::RequestBuilder;
use serde_json::Value;

use super::batch::BatchError;
use crate::llm::connection::{CallFailure, Connection, HttpRefusal, MAX_REPLY_BYTES, read_refusal};
use crate::llm::outcome::CallError;

/// Reads the lines of a reply, as they arrive. A line that is too long is left out. Errors of the reader end it.
pub async fn read_lines(
    request: RequestBuilder,
    mut each: impl AsyncFnMut(String) -> Result<(), String>,
    refused: impl FnOnce(HttpRefusal) -> BatchError,
) -> Result<(), BatchError> {
    let broken = |error: reqwest::Error| BatchError::Call(CallError::from_http(&error));
    let mut response = request.send().await.map_err(broken)?;
    if !response.status().is_success() {
        return Err(refused(read_refusal(response).await));
    }
    let mut lines = Lines::default();
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        for line in lines.add(&chunk) {
            each(line).await.map_err(BatchError::Reader)?;
        }
    }
    match lines.rest() {
        Some(line) => each(line).await.map_err(BatchError::Reader),
        None => Ok(()),
    }
}

/// `call_error`: the wire's own.
pub fn batch_error(
    connection: &Connection,
    failure: CallFailure,
    call_error: impl FnOnce(&HttpRefusal) -> CallError,
) -> BatchError {
    match failure {
        CallFailure::Refused(refused) => refused_batch(connection, &refused, call_error),
        CallFailure::Failed(error) => BatchError::Call(error.without_key(connection.key())),
    }
}

pub fn refused_batch(
    connection: &Connection,
    refused: &HttpRefusal,
    call_error: impl FnOnce(&HttpRefusal) -> CallError,
) -> BatchError {
    let is_missing = matches!(refused.status.as_u16(), 404 | 405 | 501);
    let body: Value = serde_json::from_str(&refused.body).unwrap_or_default();
    let has_no_room = body.get("error").is_some_and(is_about_room);
    let error = call_error(refused).without_key(connection.key());
    match error {
        error if is_missing => BatchError::NotThere(error.to_string()),
        error if has_no_room => BatchError::NoRoom(error.to_string()),
        error => BatchError::Call(error),
    }
}

/// Whether an error is about the tokens, or requests, that wait in batches at once. Servers share the code, not the words.
pub fn is_about_room(error: &Value) -> bool {
    let has = |name: &str, wanted: &[&str]| {
        let text = error.get(name).and_then(Value::as_str).unwrap_or_default().to_lowercase();
        wanted.iter().any(|word| text.contains(word))
    };
    has("code", &["token_limit_exceeded"]) || has("message", &["enqueued token", "enqueued request"])
}

/// The lines of a text that arrives in pieces.
#[derive(Default)]
pub struct Lines {
    begun: Vec<u8>,
    /// The line that has begun is too long: it is left out.
    too_long: bool,
}

impl Lines {
    pub fn add(&mut self, piece: &[u8]) -> Vec<String> {
        let mut whole = Vec::new();
        let mut parts = piece.split(|byte| *byte == b'\n').peekable();
        while let Some(part) = parts.next() {
            self.too_long |= self.begun.len() + part.len() > MAX_REPLY_BYTES;
            if self.too_long {
                self.begun.clear();
            } else {
                self.begun.extend_from_slice(part);
            }
            if parts.peek().is_some() {
                whole.extend(self.rest());
            }
        }
        whole
    }

    /// The line that has begun, if there is something in it.
    pub fn rest(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.begun);
        let too_long = std::mem::take(&mut self.too_long);
        let line = String::from_utf8_lossy(&line).trim().replace('\0', "");
        (!too_long && !line.is_empty()).then_some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole_however_they_arrive() {
        let text = "{\"a\": \"é\"}\r\n\n{\"b\": 1}\n{\"c\": 2}";
        for size in 1..text.len() {
            let mut lines = Lines::default();
            let mut read: Vec<String> = text.as_bytes().chunks(size).flat_map(|piece| lines.add(piece)).collect();
            read.extend(lines.rest());
            assert_eq!(read, ["{\"a\": \"é\"}", "{\"b\": 1}", "{\"c\": 2}"], "{size}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_left_out() {
        let mut lines = Lines::default();
        let long = vec![b'x'; MAX_REPLY_BYTES / 2 + 1];
        assert!(lines.add(&long).is_empty() && lines.add(&long).is_empty());
        assert_eq!(lines.add(b"x\nnext\n"), ["next"]);
    }
}
