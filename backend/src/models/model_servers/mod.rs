//! The state of each model server, as the workers tell one another.

pub mod activity;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text, Timestamptz};
use diesel::{dsl, sql_query};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::models::queue;
use crate::schema::model_servers;

/// Minutes whose calls are kept.
const KEPT_MINUTES: &str = "3 hours";

/// Lets no worker call the server before `until`, unless that or a later time is already set.
pub async fn block(conn: &mut AsyncPgConnection, server: &str, until: DateTime<Utc>, reason: &str) -> QueryResult<()> {
    let changed = sql_query(
        "INSERT INTO model_servers AS known (name, blocked_until, reason) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET blocked_until = excluded.blocked_until, reason = excluded.reason
         WHERE known.blocked_until IS NULL OR known.blocked_until < excluded.blocked_until",
    )
    .bind::<Text, _>(server)
    .bind::<Timestamptz, _>(until)
    .bind::<Text, _>(reason)
    .execute(conn)
    .await?;
    // A notification wakes its sender too: without this condition it would repeat for as long as the block lasts.
    if changed > 0 { queue::notify_workers(conn).await } else { Ok(()) }
}

/// Ends the block: the server is back.
pub async fn unblock(conn: &mut AsyncPgConnection, server: &str) -> QueryResult<()> {
    diesel::update(model_servers::table.find(server))
        .set((model_servers::blocked_until.eq(None::<DateTime<Utc>>), model_servers::reason.eq(None::<String>)))
        .execute(conn)
        .await?;
    Ok(())
}

/// Requests and tokens per minute; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    pub rpm: Option<u32>,
    pub tpm: Option<u32>,
}

/// Stores the limits that the server's headers report.
pub async fn report_rates(conn: &mut AsyncPgConnection, server: &str, Rates { rpm, tpm }: Rates) -> QueryResult<()> {
    let rates = (
        model_servers::requests_per_minute.eq(rpm.map(i64::from)),
        model_servers::tokens_per_minute.eq(tpm.map(i64::from)),
    );
    diesel::insert_into(model_servers::table)
        .values((model_servers::name.eq(server), rates))
        .on_conflict(model_servers::name)
        .do_update()
        .set(rates)
        .execute(conn)
        .await?;
    Ok(())
}

/// Returns the limits that the server's headers reported last. `None`: none yet.
pub async fn reported_rates(conn: &mut AsyncPgConnection, server: &str) -> QueryResult<Option<Rates>> {
    let found: Option<(Option<i64>, Option<i64>)> = model_servers::table
        .find(server)
        .select((model_servers::requests_per_minute, model_servers::tokens_per_minute))
        .first(conn)
        .await
        .optional()?;
    let (rpm, tpm) = found.unwrap_or_default();
    let rate = |limit: Option<i64>| limit.and_then(|limit| u32::try_from(limit).ok());
    Ok((rpm.is_some() || tpm.is_some()).then(|| Rates { rpm: rate(rpm), tpm: rate(tpm) }))
}

/// Returns until when no worker calls the server, and why. `None`: it may be called.
pub async fn blocked(
    conn: &mut AsyncPgConnection,
    server: &str,
) -> QueryResult<Option<(DateTime<Utc>, Option<String>)>> {
    model_servers::table
        .find(server)
        .filter(model_servers::blocked_until.gt(dsl::now))
        .select((model_servers::blocked_until.assume_not_null(), model_servers::reason))
        .first(conn)
        .await
        .optional()
}

/// Calls that ended and their tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    pub calls: u64,
    pub tokens: u64,
}

impl Traffic {
    /// Returns the difference to an earlier count.
    pub fn since(self, earlier: Self) -> Self {
        Self { calls: self.calls - earlier.calls, tokens: self.tokens - earlier.tokens }
    }
}

/// Adds a worker's calls of the last moment to the present minute, and forgets minutes that are long over.
pub async fn add_traffic(conn: &mut AsyncPgConnection, server: &str, traffic: Traffic) -> QueryResult<()> {
    sql_query(format!(
        "WITH over AS (
             DELETE FROM model_server_minutes WHERE server = $1 AND minute < now() - interval '{KEPT_MINUTES}')
         INSERT INTO model_server_minutes (server, minute, calls, tokens)
         VALUES ($1, date_trunc('minute', now()), $2, $3)
         ON CONFLICT (server, minute) DO UPDATE SET
             calls = model_server_minutes.calls + excluded.calls,
             tokens = model_server_minutes.tokens + excluded.tokens"
    ))
    .bind::<Text, _>(server)
    .bind::<BigInt, _>(traffic.calls as i64)
    .bind::<BigInt, _>(traffic.tokens as i64)
    .execute(conn)
    .await?;
    Ok(())
}
