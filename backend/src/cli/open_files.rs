//! The limit on open files: every request, call of the model and connection to the database is one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Fewer make requests and calls wait or fail.
const FILES_NEEDED: u64 = 1024;

/// Raises the limit as far as it goes, and names one that stays too low.
pub fn allow_enough() {
    let limit = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    let reached = if raised.is_ok() { limit.maximum } else { limit.current };
    if let Some(reached) = reached.filter(|reached| *reached < FILES_NEEDED) {
        tracing::warn!(
            "this process may open only {reached} files, and needs {FILES_NEEDED} for many requests and calls at once: raise \
             the hard limit (ulimit -Hn)"
        );
    }
}
