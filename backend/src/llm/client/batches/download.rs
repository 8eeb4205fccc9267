//! Files that are read as they arrive: they may be longer than what memory is for.

use super::BatchError;
use crate::llm::client::{CallError, Llm, transport};

impl Llm {
    /// Reads a file line by line, as it arrives. A line that is too long is left out. Errors of the reader end it.
    pub async fn read_file(
        &self,
        id: &str,
        mut each: impl AsyncFnMut(String) -> Result<(), String>,
    ) -> Result<(), BatchError> {
        let address = format!("{}/files/{id}/content", self.address.as_str().trim_end_matches('/'));
        let mut request = self.files_http.get(address);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        let broken = |error: reqwest::Error| BatchError::Call(CallError::from_http(&error));
        let mut response = request.send().await.map_err(broken)?;
        if !response.status().is_success() {
            return Err(self.refused_batch(transport::read_refusal(response).await));
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
}

/// The lines of a text that arrives in pieces.
#[derive(Default)]
pub(super) struct Lines {
    begun: Vec<u8>,
    /// The line that has begun is too long: it is left out.
    too_long: bool,
}

impl Lines {
    pub(super) fn add(&mut self, piece: &[u8]) -> Vec<String> {
        let mut whole = Vec::new();
        let mut parts = piece.split(|byte| *byte == b'\n').peekable();
        while let Some(part) = parts.next() {
            self.too_long |= self.begun.len() + part.len() > transport::MAX_REPLY;
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
    pub(super) fn rest(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.begun);
        let too_long = std::mem::take(&mut self.too_long);
        let line = String::from_utf8_lossy(&line).trim().replace('\0', "");
        (!too_long && !line.is_empty()).then_some(line)
    }
}
