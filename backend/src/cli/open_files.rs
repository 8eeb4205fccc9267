//! The limit on open files: every request, call of the model and database connection is one.
//!
//! Half of the files are for callers' connections, a quarter for calls to the model. The rest is left for the database,
//! the private PostgreSQL's watch and the files that requests write, however many callers there are.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::error::{Error, Result};

/// Below this limit, requests and calls have to wait.
const FILES_WANTED: u64 = 1024;
/// Below this limit a server or an engine does not work: it needs some sixty files for itself.
const FILES_NEEDED: u64 = 256;
/// Files of a call to the built-in demo model, whose end of the connection is in this process too.
const FILES_OF_DEMO_CALL: u64 = 2;

/// Raises the limit as far as possible, and warns if it stays too low. Fails if a server or an engine (`serves`) could
/// not work.
pub fn allow_enough(serves: bool) -> Result<()> {
    let limit = getrlimit(Resource::Nofile);
    // An error leaves the limit as it is.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    let reached = limit_in_force();
    if serves && reached < FILES_NEEDED {
        return Err(Error::internal(format!(
            "this process may open only {reached} files, and needs {FILES_NEEDED} or more: raise the hard limit (ulimit -Hn)"
        )));
    }
    if reached < FILES_WANTED {
        tracing::warn!(
            "this process may open only {reached} files, and needs {FILES_WANTED} for many requests and calls at once: raise \
             the hard limit (ulimit -Hn)"
        );
    }
    Ok(())
}

/// Connections that callers may have open at the same time.
pub fn max_connections() -> usize {
    usize::try_from(limit_in_force() / 2).unwrap_or(usize::MAX)
}

/// Calls to the model that may be under way at the same time.
pub fn max_calls(demo_model: bool) -> u32 {
    let files = if demo_model { FILES_OF_DEMO_CALL } else { 1 };
    u32::try_from(limit_in_force() / 4 / files).unwrap_or(u32::MAX)
}

fn limit_in_force() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}
