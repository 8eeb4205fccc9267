//! What the server's refusals have taught about the requests that it understands.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::llm::prompt::{Dialect, Part};

/// Starts with everything and only ever loses. Shared by all threads: one refusal teaches them all.
#[derive(Debug, Default)]
pub struct KnownDialect(Mutex<Dialect>);

impl KnownDialect {
    pub fn get(&self) -> Dialect {
        *self.lock()
    }

    /// The server refused this part of a request in the dialect `spoken`. False where nothing plainer is left to try.
    /// Calls that were under way in the same dialect when it was refused step down once together, not once each.
    pub fn step_down(&self, spoken: Dialect, part: Part) -> bool {
        let Some(plainer) = spoken.without(part) else { return false };
        let mut known = self.lock();
        let next = known.common(plainer);
        if next != *known {
            let left_out = next.left_out();
            tracing::info!(?left_out, "the model server does not understand a part of the request, asking without it");
            *known = next;
        }
        true
    }

    /// A plain value: whoever panicked while holding the lock left a whole one.
    fn lock(&self) -> MutexGuard<'_, Dialect> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
