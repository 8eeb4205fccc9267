//! The live workers, their shares of the model server's limits, and the state of that server that they share.

use std::time::Duration;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Bool, Double, Jsonb, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::models::queue;
use crate::schema::{model_server, workers};

/// Shares are stored in parts per million.
const WHOLE: i32 = 1_000_000;

/// A worker's report when it renews its lease.
#[derive(Clone, Debug)]
pub struct Renewal {
    pub id: Uuid,
    pub process: Uuid,
    pub name: String,
    pub busy: bool,
    /// Calls under way by simulation id.
    pub in_flight: serde_json::Value,
    /// Duration of the share without another renewal.
    pub lease: Duration,
}

/// The answer to a renewal.
#[derive(Clone, Copy, Debug)]
pub struct Renewed {
    /// Share of the limits, 0.0 to 1.0.
    pub share: f64,
    /// Whether the fair share is larger, but the others have not made room yet.
    pub wants_more: bool,
    pub blocked_until: Option<DateTime<Utc>>,
    /// Interviews of workers whose death this renewal has found; any worker may claim them now.
    pub freed: usize,
}

/// Opens a worker's session on this connection: an advisory lock that ends with it, and the notifications. The id must
/// be new, because the server may still hold the lock of the session that this one replaces.
pub async fn open_session(conn: &mut AsyncPgConnection, id: Uuid) -> QueryResult<()> {
    sql_query("SELECT pg_try_advisory_lock(hashtextextended($1, 0))")
        .bind::<Text, _>(id.to_string())
        .execute(conn)
        .await?;
    sql_query(format!("LISTEN {}", queue::CHANNEL)).execute(conn).await?;
    Ok(())
}

/// Ends the session of a worker's earlier id, if the server still has it.
pub async fn end_session(conn: &mut AsyncPgConnection, id: Uuid) -> QueryResult<()> {
    sql_query(
        "SELECT pg_terminate_backend(pid) FROM pg_locks
         WHERE locktype = 'advisory' AND objsubid = 1
           AND (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)",
    )
    .bind::<Text, _>(id.to_string())
    .execute(conn)
    .await?;
    Ok(())
}

/// Adds the worker whose session this is; its process gets the same id. Returns whether it is the only one, so that all
/// leases are those of dead workers. Call it in a transaction: no other worker joins until that ends, so of several
/// that start together exactly one is the only one.
pub async fn join(conn: &mut AsyncPgConnection, id: Uuid, name: &str) -> QueryResult<bool> {
    lock(conn).await?;
    let alone = !others_alive(conn, id).await?;
    if alone {
        diesel::delete(workers::table).execute(conn).await?;
    }
    diesel::insert_into(workers::table)
        .values((
            workers::id.eq(id),
            workers::process.eq(id),
            workers::name.eq(name),
            workers::lease_until.eq(diesel::dsl::now),
        ))
        .execute(conn)
        .await?;
    Ok(alone)
}

/// Lets one worker at a time read and change the shares, until its transaction ends.
async fn lock(conn: &mut AsyncPgConnection) -> QueryResult<()> {
    model_server::table.select(model_server::id).for_update().first::<bool>(conn).await?;
    Ok(())
}

/// Whether another worker's session is alive, that is, its advisory lock is held. Renewals remove dead workers.
pub async fn others_alive(conn: &mut AsyncPgConnection, id: Uuid) -> QueryResult<bool> {
    let is_held = diesel::dsl::sql::<Bool>("NOT pg_try_advisory_xact_lock(hashtextextended(id::text, 0))");
    diesel::select(diesel::dsl::exists(workers::table.filter(workers::id.ne(id)).filter(is_held)))
        .get_result(conn)
        .await
}

#[diesel::declare_sql_function]
extern "SQL" {
    fn renew_worker(
        worker: SqlUuid,
        of_process: SqlUuid,
        called: Text,
        holds: Bool,
        calls: Jsonb,
        lease_s: Double,
    ) -> Record<(Integer, Bool, Nullable<Timestamptz>, Integer)>;
}

/// Renews a worker's lease in one round trip: unlike `sql_query`, the statement is prepared once.
pub async fn renew(conn: &mut AsyncPgConnection, renewal: &Renewal) -> QueryResult<Renewed> {
    let Renewal { id, process, name, busy, in_flight, lease } = renewal;
    let renewed = renew_worker(*id, *process, name, *busy, in_flight, lease.as_secs_f64());
    let (granted, wants_more, blocked_until, freed): (i32, bool, _, i32) =
        diesel::select(renewed).get_result(conn).await?;
    let (share, freed) = (f64::from(granted) / f64::from(WHOLE), freed.unsigned_abs() as usize);
    Ok(Renewed { share, wants_more, blocked_until, freed })
}

/// Lets no worker call before `until`, unless that or a later time is already set.
pub async fn block(conn: &mut AsyncPgConnection, until: DateTime<Utc>, reason: &str) -> QueryResult<()> {
    let changed = diesel::update(model_server::table)
        .filter(model_server::blocked_until.is_null().or(model_server::blocked_until.lt(until)))
        .set((model_server::blocked_until.eq(until), model_server::reason.eq(reason)))
        .execute(conn)
        .await?;
    // A notification wakes its sender too: without this condition it would repeat for as long as the block lasts.
    if changed > 0 { queue::notify_workers(conn).await } else { Ok(()) }
}

/// Ends the block: the model server is back.
pub async fn unblock(conn: &mut AsyncPgConnection) -> QueryResult<()> {
    diesel::update(model_server::table)
        .set((model_server::blocked_until.eq(None::<DateTime<Utc>>), model_server::reason.eq(None::<String>)))
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

/// Stores the limits that the model server's headers report.
pub async fn report_rates(conn: &mut AsyncPgConnection, Rates { rpm, tpm }: Rates) -> QueryResult<()> {
    diesel::update(model_server::table)
        .set((
            model_server::requests_per_minute.eq(rpm.map(i64::from)),
            model_server::tokens_per_minute.eq(tpm.map(i64::from)),
        ))
        .execute(conn)
        .await?;
    Ok(())
}

/// Returns the limits that the model server's headers reported last. `None`: none yet.
pub async fn reported_rates(conn: &mut AsyncPgConnection) -> QueryResult<Option<Rates>> {
    let (rpm, tpm): (Option<i64>, Option<i64>) = model_server::table
        .select((model_server::requests_per_minute, model_server::tokens_per_minute))
        .first(conn)
        .await?;
    let rate = |limit: Option<i64>| limit.and_then(|limit| u32::try_from(limit).ok());
    Ok((rpm.is_some() || tpm.is_some()).then(|| Rates { rpm: rate(rpm), tpm: rate(tpm) }))
}

/// Removes the worker, whose share is free at once.
pub async fn leave(conn: &mut AsyncPgConnection, id: Uuid) -> QueryResult<()> {
    diesel::delete(workers::table.find(id)).execute(conn).await?;
    queue::notify_workers(conn).await
}

/// A worker as the queue's page shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema, QueryableByName)]
#[serde(rename_all = "camelCase")]
pub struct Worker {
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    #[diesel(sql_type = Text)]
    #[schema(example = "lab-1 (4711)")]
    pub name: String,
    /// Whether it holds interviews.
    #[diesel(sql_type = Bool)]
    pub busy: bool,
    /// Calls to the model that were under way at its last renewal.
    #[diesel(sql_type = BigInt)]
    #[schema(example = 64)]
    pub in_flight: i64,
    #[diesel(sql_type = Timestamptz)]
    pub started_at: DateTime<Utc>,
}

/// Returns the workers whose lease holds, oldest first.
pub async fn alive(conn: &mut AsyncPgConnection) -> QueryResult<Vec<Worker>> {
    sql_query(
        "SELECT id, name, busy, started_at,
             coalesce((SELECT sum(calls::bigint) FROM jsonb_each_text(in_flight) AS run (id, calls)), 0)::bigint
                 AS in_flight
         FROM workers WHERE lease_until > now() ORDER BY started_at, id",
    )
    .load(conn)
    .await
}

/// Returns until when no worker calls the model server, and why. `None`: it may be called.
pub async fn blocked(conn: &mut AsyncPgConnection) -> QueryResult<Option<(DateTime<Utc>, Option<String>)>> {
    model_server::table
        .filter(model_server::blocked_until.gt(diesel::dsl::now))
        .select((model_server::blocked_until.assume_not_null(), model_server::reason))
        .first(conn)
        .await
        .optional()
}
