//! The live workers and their shares of the model servers' limits.

use std::time::Duration;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Bool, Double, Jsonb, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};
use simulation::parameters::DEFAULT_SERVER;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::models::json::unreadable;
use crate::models::queue;
use crate::schema::{model_servers, workers};

/// The whole of a server, in the unit of shares.
const WHOLE: i32 = 1_000_000;

/// A worker's report when it renews its lease.
#[derive(Clone, Debug)]
pub struct Renewal {
    pub id: Uuid,
    pub process: Uuid,
    pub name: String,
    /// The model servers that it may ask.
    pub servers: Vec<ServerUse>,
    /// Calls under way by simulation id.
    pub in_flight: serde_json::Value,
    /// Duration of the shares without another renewal.
    pub lease: Duration,
}

/// A worker's use of a model server.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerUse {
    pub name: String,
    /// Whether the worker holds interviews of its runs.
    pub busy: bool,
    /// Calls that wait for the limits.
    pub waiting: u32,
    /// Calls under way.
    pub in_flight: u32,
}

/// A worker's part of a model server.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerShare {
    pub name: String,
    /// Parts per million of the limits.
    share: i32,
    /// Whether the fair share is larger, but the others have not made room yet.
    pub wants_more: bool,
    /// No worker calls the server before this.
    pub blocked_until: Option<DateTime<Utc>>,
}

impl ServerShare {
    /// Share of the limits, 0.0 to 1.0.
    pub fn share(&self) -> f64 {
        f64::from(self.share) / f64::from(WHOLE)
    }
}

/// The answer to a renewal.
#[derive(Clone, Debug)]
pub struct Renewed {
    pub servers: Vec<ServerShare>,
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
    model_servers::table.find(DEFAULT_SERVER).select(model_servers::name).for_update().first::<String>(conn).await?;
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
        calls: Jsonb,
        servers: Jsonb,
        lease_s: Double,
    ) -> Record<(Jsonb, Integer)>;
}

/// Renews a worker's lease in one round trip: unlike `sql_query`, the statement is prepared once.
pub async fn renew(conn: &mut AsyncPgConnection, renewal: &Renewal) -> QueryResult<Renewed> {
    let Renewal { id, process, name, servers, in_flight, lease } = renewal;
    let servers = serde_json::to_value(servers).map_err(unreadable)?;
    let renewed = renew_worker(*id, *process, name, in_flight, servers, lease.as_secs_f64());
    let (granted, freed): (serde_json::Value, i32) = diesel::select(renewed).get_result(conn).await?;
    Ok(Renewed { servers: Vec::deserialize(granted).map_err(unreadable)?, freed: freed.unsigned_abs() as usize })
}

/// Removes the worker, whose shares are free at once.
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
