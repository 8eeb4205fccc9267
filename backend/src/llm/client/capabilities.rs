//! The parts of a request that the server accepts, as far as its refusals have shown.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::llm::prompt::{Dialect, RequestPart};

/// Starts with every part and only ever loses some. Shared by all threads, so that one refusal is enough for all.
#[derive(Debug, Default)]
pub struct ServerCapabilities(Mutex<Dialect>);

impl ServerCapabilities {
    pub fn dialect(&self) -> Dialect {
        *self.lock()
    }

    /// Records that the server refused this part of a request in the dialect `sent`. Returns false if nothing simpler is left
    /// to try. Any number of refusals of requests in the same dialect simplify it once.
    pub fn simplify(&self, sent: Dialect, part: RequestPart) -> bool {
        let Some(simpler) = sent.without(part) else { return false };
        let mut current = self.lock();
        let next = current.common(simpler);
        if next != *current {
            tracing::info!(dialect = ?next, "the model server refused a part of the request; sending requests without it");
            *current = next;
        }
        true
    }

    /// A poisoned lock is no harm: the value is replaced as a whole.
    fn lock(&self) -> MutexGuard<'_, Dialect> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
