//! What the server's refusals have taught about the formats that it understands.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::llm::prompt::ResponseFormat;

/// Starts at the strictest and only ever steps down. Shared by all threads: one refusal teaches them all.
#[derive(Debug)]
pub struct KnownFormat(AtomicU8);

impl Default for KnownFormat {
    fn default() -> Self {
        Self(AtomicU8::new(ResponseFormat::JsonSchema as u8))
    }
}

impl KnownFormat {
    pub fn get(&self) -> ResponseFormat {
        const JSON_SCHEMA: u8 = ResponseFormat::JsonSchema as u8;
        const JSON_OBJECT: u8 = ResponseFormat::JsonObject as u8;
        match self.0.load(Ordering::Relaxed) {
            JSON_SCHEMA => ResponseFormat::JsonSchema,
            JSON_OBJECT => ResponseFormat::JsonObject,
            _ => ResponseFormat::Plain,
        }
    }

    /// The server refused `refused`. False where nothing plainer is left to try. Calls that were under way in the
    /// same format when it was refused step down once together, not once each.
    pub fn step_down(&self, refused: ResponseFormat) -> bool {
        let next = match refused {
            ResponseFormat::JsonSchema => ResponseFormat::JsonObject,
            ResponseFormat::JsonObject => ResponseFormat::Plain,
            ResponseFormat::Plain => return false,
        };
        if self.0.fetch_max(next as u8, Ordering::Relaxed) < next as u8 {
            tracing::info!("the model server does not understand {refused:?}, asking in {next:?} from now on");
        }
        true
    }
}
