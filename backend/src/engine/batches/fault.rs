//! Why a batch does not go on, and the steps in the database that may fail.

use crate::db;
use crate::error::{Error, Result};
use crate::llm::BatchError;

/// Why a batch does not go on.
pub enum Fault {
    Server(BatchError),
    /// The server does not know a batch or file that it knew before. The text is the server's.
    Missing(String),
    Database(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

/// Runs a step in the database, with a time limit: a connection may fall silent for ever.
pub async fn in_time<T, E>(step: impl Future<Output = std::result::Result<T, E>>) -> Result<T>
where
    Error: From<E>,
{
    db::in_time(async { Ok(step.await?) }).await
}
