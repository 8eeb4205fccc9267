//! Files that are read as they arrive: they may be longer than what memory is for.

use super::error::refused_batch;
use crate::llm::connection::{Connection, MAX_REPLY_BYTES, read_refusal};
use crate::llm::outcome::CallError;
use crate::llm::wire::batch::BatchError;

/// Reads a file line by line, as it arrives. A line that is too long is left out. Errors of the reader end it.
pub async fn read_file(
    connection: &Connection,
    id: &str,
    mut each: impl AsyncFnMut(String) -> Result<(), String>,
) -> Result<(), BatchError> {
    let request = connection.get_file(&format!("/files/{id}/content"));
    let broken = |error: reqwest::Error| BatchError::Call(CallError::from_http(&error));
    let mut response = request.send().await.map_err(broken)?;
    if !response.status().is_success() {
        return Err(refused_batch(connection, &read_refusal(response).await));
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
