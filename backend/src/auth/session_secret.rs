//! The secret with which a web process signs session tokens and sign-in codes.

use std::time::Duration;

use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use tokio::task::JoinHandle;

use crate::config::{Config, Secret};
use crate::db;
use crate::error::{Error, Result};
use crate::models::session_secret::{self, ClaimError};

/// Interval at which the connection with the lock is checked.
const CHECK_INTERVAL: Duration = Duration::from_secs(30);

/// The secret with this process's claim on it, which ends when it is dropped.
pub struct SessionSecret {
    secret: Secret,
    holding: Option<JoinHandle<()>>,
}

impl SessionSecret {
    /// Claims the secret. With `DATABASE_URL`, all web processes on the database must have the same secret. A private
    /// PostgreSQL has one web process, whose secret is in its `DATA_DIR`.
    pub async fn claim(config: &Config, database_url: &str) -> Result<Self> {
        if config.database_url.is_none() {
            return Ok(Self { secret: config.session_secret()?, holding: None });
        }
        let first = Secret::generate();
        let claim = Claim { database_url: database_url.to_owned(), given: config.jwt_secret.clone(), first };
        let (conn, secret) = claim.open().await?;
        Ok(Self { secret, holding: Some(tokio::spawn(claim.hold(conn))) })
    }

    /// A random secret, for a process that signs nothing.
    pub fn unused() -> Self {
        Self { secret: Secret::generate(), holding: None }
    }

    pub fn secret(&self) -> &Secret {
        &self.secret
    }
}

impl Drop for SessionSecret {
    fn drop(&mut self) {
        if let Some(holding) = &self.holding {
            holding.abort();
        }
    }
}

struct Claim {
    database_url: String,
    given: Option<Secret>,
    first: Secret,
}

impl Claim {
    /// Opens a connection that holds the lock, and returns it with the secret.
    async fn open(&self) -> Result<(AsyncPgConnection, Secret)> {
        let opened = db::session(&self.database_url).await;
        let mut conn = opened.map_err(|reason| Error::unavailable(format!("cannot reach the database: {reason}")))?;
        let claimed = session_secret::claim(&mut conn, self.given.as_ref(), &self.first).await;
        let secret = claimed.map_err(|error| match error {
            ClaimError::Database(reason) => Error::from(reason),
            differs => Error::bad_input(differs.to_string()),
        })?;
        Ok((conn, secret))
    }

    /// Keeps a connection with the lock open.
    async fn hold(self, mut conn: AsyncPgConnection) {
        loop {
            tokio::time::sleep(CHECK_INTERVAL).await;
            if conn.batch_execute("SELECT 1").await.is_ok() {
                continue;
            }
            match self.open().await {
                Ok((opened, _)) => conn = opened,
                Err(reason) => tracing::warn!(%reason, "could not renew the claim on the session secret yet"),
            }
        }
    }
}
