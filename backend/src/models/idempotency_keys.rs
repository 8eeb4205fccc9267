//! Stored responses by user and idempotency key.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::schema::idempotency_keys;

/// The state of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyClaim {
    /// The key was unused. This transaction has taken it, and other requests with the key wait for its end.
    New,
    /// The key was used; this is the stored response.
    Used { request_hash: Vec<u8>, status_code: i16, answer: serde_json::Value },
}

/// Takes the key, or returns the response stored under it. Call it in a transaction.
pub async fn claim(conn: &mut AsyncPgConnection, user_id: i64, key: &str, hash: &[u8]) -> QueryResult<KeyClaim> {
    let taken = diesel::insert_into(idempotency_keys::table)
        .values((
            idempotency_keys::user_id.eq(user_id),
            idempotency_keys::key.eq(key),
            idempotency_keys::request_hash.eq(hash),
        ))
        .on_conflict_do_nothing()
        .execute(conn)
        .await?;
    if taken == 1 {
        return Ok(KeyClaim::New);
    }
    let (request_hash, status_code, answer) = idempotency_keys::table
        .find((user_id, key))
        .select((idempotency_keys::request_hash, idempotency_keys::status_code, idempotency_keys::answer))
        .first::<(Vec<u8>, Option<i16>, Option<serde_json::Value>)>(conn)
        .await?;
    Ok(KeyClaim::Used { request_hash, status_code: status_code.unwrap_or(200), answer: answer.unwrap_or_default() })
}

/// Stores the response under the key that [`claim`] took.
pub async fn store(
    conn: &mut AsyncPgConnection,
    user_id: i64,
    key: &str,
    status_code: u16,
    answer: &serde_json::Value,
) -> QueryResult<()> {
    diesel::update(idempotency_keys::table.find((user_id, key)))
        .set((idempotency_keys::status_code.eq(status_code as i16), idempotency_keys::answer.eq(answer)))
        .execute(conn)
        .await?;
    Ok(())
}
