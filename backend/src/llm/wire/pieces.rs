//! Texts that arrive in pieces.

use std::borrow::Cow;

use serde::Deserialize;

use crate::llm::connection::MAX_REPLY_BYTES;
use crate::llm::outcome::CallError;

/// A piece of a text, which is not copied unless it has escapes.
#[derive(Deserialize)]
pub struct Piece<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// Bounds the length of the texts of one reply.
#[derive(Default)]
pub struct LengthBound(usize);

impl LengthBound {
    /// Counts so many bytes more. Fails if the reply is longer than any that is read.
    pub fn add(&mut self, bytes: usize) -> Result<(), CallError> {
        self.0 = self.0.saturating_add(bytes);
        match self.0 > MAX_REPLY_BYTES {
            true => Err(CallError::garbled(&format!("the reply is longer than {MAX_REPLY_BYTES} bytes"))),
            false => Ok(()),
        }
    }
}
