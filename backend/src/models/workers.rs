//! The workers alive and their shares of the model server's allowance; what all of them know of that server.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Bool, Double, Integer, Jsonb, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::models::queue;
use crate::schema::{model_server, workers};

/// A share that is not renewed for this long is free again, in seconds.
pub const LEASE_SECONDS: f64 = 6.0;
/// Shares are stored in parts per million.
const WHOLE: i32 = 1_000_000;

/// What a worker reports when it renews its lease.
#[derive(Clone, Debug)]
pub struct Renewal {
    pub id: Uuid,
    pub name: String,
    pub busy: bool,
    /// Calls under way by simulation id.
    pub in_flight: serde_json::Value,
}

/// What it learns.
#[derive(Clone, Copy, Debug)]
pub struct Renewed {
    /// 0.0 to 1.0.
    pub share: f64,
    /// The share would be larger if the others had made room already.
    pub wants_more: bool,
    pub blocked_until: Option<DateTime<Utc>>,
}

/// Opens a worker's session: an advisory lock that ends with this connection, and the doorbell.
pub async fn enlist(conn: &mut AsyncPgConnection, id: Uuid) -> QueryResult<()> {
    sql_query("SELECT pg_advisory_lock(hashtextextended($1, 0))").bind::<Text, _>(id.to_string()).execute(conn).await?;
    sql_query(format!("LISTEN {}", queue::DOORBELL)).execute(conn).await?;
    Ok(())
}

/// The worker whose session this is joins the others. True: there are none, so that whatever is leased was left by the
/// dead. In a transaction: until it ends nobody else joins, so that of several that start together one finds itself
/// alone, and none that comes later takes the leases of the first for left ones.
pub async fn join(conn: &mut AsyncPgConnection, id: Uuid, name: &str) -> QueryResult<bool> {
    lock(conn).await?;
    let alone = !others_alive(conn, id).await?;
    diesel::insert_into(workers::table)
        .values((workers::id.eq(id), workers::name.eq(name), workers::lease_until.eq(diesel::dsl::now)))
        .execute(conn)
        .await?;
    Ok(alone)
}

/// One worker at a time: what it learns of the others holds until its transaction ends. Returns until when nobody may
/// call.
async fn lock(conn: &mut AsyncPgConnection) -> QueryResult<Option<DateTime<Utc>>> {
    model_server::table.select(model_server::blocked_until).for_update().first(conn).await
}

/// Removes the workers whose session has ended, and tells whether any other is left.
pub async fn others_alive(conn: &mut AsyncPgConnection, id: Uuid) -> QueryResult<bool> {
    conn.transaction(async |conn| {
        bury(conn, id).await?;
        diesel::select(diesel::dsl::exists(workers::table.filter(workers::id.ne(id)))).get_result(conn).await
    })
    .await
}

/// A lock that can be had is a session that has ended.
async fn bury(conn: &mut AsyncPgConnection, id: Uuid) -> QueryResult<()> {
    sql_query("DELETE FROM workers WHERE id <> $1 AND pg_try_advisory_xact_lock(hashtextextended(id::text, 0))")
        .bind::<SqlUuid, _>(id)
        .execute(conn)
        .await?;
    Ok(())
}

#[derive(QueryableByName)]
struct Share {
    #[diesel(sql_type = Integer)]
    share: i32,
    #[diesel(sql_type = Bool)]
    wants_more: bool,
}

/// Renews a worker's lease. Its share is the fair one, the busy workers' equal part, but no more than the live leases
/// of the others leave.
pub async fn renew(conn: &mut AsyncPgConnection, renewal: &Renewal) -> QueryResult<Renewed> {
    conn.transaction(async |conn| {
        // No two workers take the same free part.
        let blocked_until = lock(conn).await?;
        bury(conn, renewal.id).await?;
        let Share { share, wants_more } = sql_query(
            "WITH others AS (
                 SELECT count(*) AS workers, count(*) FILTER (WHERE busy) AS busy,
                        coalesce(sum(share) FILTER (WHERE lease_until > clock_timestamp()), 0) AS taken
                 FROM workers WHERE id <> $1),
             fair AS (
                 SELECT CASE WHEN $3 THEN $6 / (busy + 1) WHEN busy > 0 THEN 0 ELSE $6 / (workers + 1) END AS share, taken
                 FROM others)
             INSERT INTO workers (id, name, busy, in_flight, share, lease_until)
             SELECT $1, $2, $3, $4, greatest(0, least(share, $6 - taken))::integer,
                    clock_timestamp() + make_interval(secs => $5) FROM fair
             ON CONFLICT (id) DO UPDATE SET busy = excluded.busy, in_flight = excluded.in_flight,
                 share = excluded.share, lease_until = excluded.lease_until
             RETURNING share, share + 1 < (SELECT fair.share FROM fair) AS wants_more",
        )
        .bind::<SqlUuid, _>(renewal.id)
        .bind::<Text, _>(&renewal.name)
        .bind::<Bool, _>(renewal.busy)
        .bind::<Jsonb, _>(&renewal.in_flight)
        .bind::<Double, _>(LEASE_SECONDS)
        .bind::<Integer, _>(WHOLE)
        .get_result(conn)
        .await?;
        Ok(Renewed { share: f64::from(share) / f64::from(WHOLE), wants_more, blocked_until })
    })
    .await
}

/// Tells all workers that nobody may call before `until`, unless they were told that already, or a later time.
pub async fn block(conn: &mut AsyncPgConnection, until: DateTime<Utc>, reason: &str) -> QueryResult<()> {
    let changed = diesel::update(model_server::table)
        .filter(model_server::blocked_until.is_null().or(model_server::blocked_until.lt(until)))
        .set((model_server::blocked_until.eq(until), model_server::reason.eq(reason)))
        .execute(conn)
        .await?;
    // Who rings wakes itself too: ringing for nothing would go round for as long as the block lasts.
    if changed > 0 { queue::ring(conn).await } else { Ok(()) }
}

/// Gives the share back at once.
pub async fn leave(conn: &mut AsyncPgConnection, id: Uuid) -> QueryResult<()> {
    diesel::delete(workers::table.find(id)).execute(conn).await?;
    queue::ring(conn).await
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
    /// Has interviews in hand.
    #[diesel(sql_type = Bool)]
    pub busy: bool,
    /// Calls to the model under way, as it said within the last seconds.
    #[diesel(sql_type = BigInt)]
    #[schema(example = 64)]
    pub in_flight: i64,
    #[diesel(sql_type = Timestamptz)]
    pub started_at: DateTime<Utc>,
}

/// Those whose lease holds, the longest at work first.
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

/// Until when nobody asks the model server, and why; `None`: it may be asked.
pub async fn blocked(conn: &mut AsyncPgConnection) -> QueryResult<Option<(DateTime<Utc>, Option<String>)>> {
    model_server::table
        .filter(model_server::blocked_until.gt(diesel::dsl::now))
        .select((model_server::blocked_until.assume_not_null(), model_server::reason))
        .first(conn)
        .await
        .optional()
}
