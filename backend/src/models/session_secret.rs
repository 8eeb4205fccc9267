//! The secret that signs session tokens and sign-in codes. All web processes on a database use the same one.
//!
//! Each web process holds a shared advisory lock while it lives. A process may change the secret only if no other
//! process holds the lock.

use std::time::Duration;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Bool;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::config::Secret;
use crate::schema::session_secret;

/// Attempts to take the lock of processes that have just ended, and the delay between two.
const LOCK_TRIES: u32 = 15;
const LOCK_DELAY: Duration = Duration::from_millis(200);

/// Lets one process at a time decide, until its transaction ends.
const DECIDE: &str = "SELECT pg_advisory_xact_lock(hashtextextended('session_secret: deciding', 0))";
const TRY_ALONE: &str = "SELECT pg_try_advisory_xact_lock(hashtextextended('session_secret: in use', 0)) AS is_alone";
const HOLD: &str = "SELECT pg_advisory_lock_shared(hashtextextended('session_secret: in use', 0))";

/// Error of [`claim`].
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    #[error(
        "JWT_SECRET is not the one of the other web processes on this database: give all of them the same, or stop the \
         others first"
    )]
    OtherGiven,
    #[error(
        "JWT_SECRET is not set, but the other web processes on this database have one: give all of them the same, or stop \
         the others first"
    )]
    NoneGiven,
    #[error("database: {0}")]
    Database(#[from] diesel::result::Error),
}

#[derive(QueryableByName)]
struct Attempt {
    #[diesel(sql_type = Bool)]
    is_alone: bool,
}

/// Returns the secret to use: the given one, else the one that the database stores, which becomes `first` if there is
/// none. The shared lock is held until the connection ends.
pub async fn claim(conn: &mut AsyncPgConnection, given: Option<&Secret>, first: &Secret) -> Result<Secret, ClaimError> {
    conn.transaction(async |conn| {
        conn.batch_execute(DECIDE).await?;
        conn.batch_execute("INSERT INTO session_secret DEFAULT VALUES ON CONFLICT DO NOTHING").await?;
        let secret = match given {
            Some(given) => given.clone(),
            None => keep_generated(conn, first).await?,
        };
        let fingerprint = fingerprint(&secret);
        let used: Option<Vec<u8>> = session_secret::table.select(session_secret::fingerprint).first(conn).await?;
        if used.as_ref() != Some(&fingerprint) {
            if !is_alone(conn).await? {
                return Err(if given.is_some() { ClaimError::OtherGiven } else { ClaimError::NoneGiven });
            }
            diesel::update(session_secret::table)
                .set(session_secret::fingerprint.eq(fingerprint))
                .execute(conn)
                .await?;
        }
        conn.batch_execute(HOLD).await?;
        Ok(secret)
    })
    .await
}

/// The secret in use, for a process that signs nothing: the given one, else the one that the database stores. `None`: no
/// web process has made one.
pub async fn in_use(conn: &mut AsyncPgConnection, given: Option<&Secret>) -> QueryResult<Option<Secret>> {
    if let Some(given) = given {
        return Ok(Some(given.clone()));
    }
    let kept: Option<Option<String>> =
        session_secret::table.select(session_secret::generated).first(conn).await.optional()?;
    Ok(kept.flatten().map(Secret::new))
}

async fn keep_generated(conn: &mut AsyncPgConnection, first: &Secret) -> QueryResult<Secret> {
    diesel::update(session_secret::table.filter(session_secret::generated.is_null()))
        .set(session_secret::generated.eq(first.expose()))
        .execute(conn)
        .await?;
    let kept: String = session_secret::table.select(session_secret::generated.assume_not_null()).first(conn).await?;
    Ok(Secret::new(kept))
}

/// Whether no other process holds the lock. The server needs a moment to notice that a process has ended.
async fn is_alone(conn: &mut AsyncPgConnection) -> QueryResult<bool> {
    for _ in 0..LOCK_TRIES {
        let Attempt { is_alone } = sql_query(TRY_ALONE).get_result(conn).await?;
        if is_alone {
            return Ok(true);
        }
        tokio::time::sleep(LOCK_DELAY).await;
    }
    Ok(false)
}

fn fingerprint(secret: &Secret) -> Vec<u8> {
    Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes())
        .expect("HMAC takes keys of any length")
        .chain_update(b"fingerprint of the session secret")
        .finalize()
        .into_bytes()
        .to_vec()
}
