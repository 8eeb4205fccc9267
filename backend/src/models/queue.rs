//! The queue of interviews: a message is one persona's part of one simulation, `{"simulation": 17, "persona": 4}`.
//!
//! The queue is pgmq's, used on the caller's own connection, so that messages are sent and removed in the same
//! transaction as the ledger changes. A claimed message is leased: it is invisible until the lease ends, and may be
//! claimed again unless the lease was extended. pgmq counts deliveries (`read_ct`), and that count fences the lease:
//! every statement here that acts on a lease compares it, so a worker with an older delivery changes nothing.
//!
//! A message gets more fields over time. `process` is the process that claimed it last; `returned` is the last delivery
//! that was handed back in good order. An interview that may crash its workers has `broke`, the number of consecutive
//! deliveries that ended during a call, and `open`, its open requests at the last of them. If fewer are open since, the
//! count starts anew.
//!
//! An interview has one message from its start to its end, which is only updated: a statement that removes the messages
//! of a run waits for those that others are updating, and would miss new ones. Statements that take several messages
//! lock them in the order of their ids, to avoid deadlocks.

use std::time::Duration;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Double, Integer, Nullable, Uuid as SqlUuid};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

/// Name of the pgmq queue; it has one message for each interview.
pub const QUEUE: &str = "interviews";

/// Channel that notifies workers of control changes. A notification carries no data: the rows say what to do.
pub const CHANNEL: &str = "twinlab_control";

/// A claimed message with its delivery count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    pub msg_id: i64,
    pub read_ct: i32,
}

/// A claimed interview.
#[derive(Clone, Copy, Debug, QueryableByName)]
pub struct Claim {
    #[diesel(sql_type = BigInt)]
    msg_id: i64,
    #[diesel(sql_type = Integer)]
    read_ct: i32,
    #[diesel(sql_type = Integer)]
    pub persona_id: i32,
    #[diesel(sql_type = Nullable<Integer>)]
    broke: Option<i32>,
    #[diesel(sql_type = Nullable<Integer>)]
    open: Option<i32>,
    #[diesel(sql_type = Integer)]
    returned: i32,
}

impl Claim {
    pub fn lease(&self) -> Lease {
        Lease { msg_id: self.msg_id, read_ct: self.read_ct }
    }

    /// How many consecutive deliveries of this interview ended during a call with nothing stored since, if it now has
    /// `open` open requests. `None`: none since it was last handed back in good order.
    pub fn breaks(&self, open: usize) -> Option<i32> {
        let progress = self.open.is_some_and(|before| (open as i32) < before);
        match self.broke {
            Some(broke) if !progress => Some(broke),
            broke => (broke.is_some() || self.read_ct > self.returned + 1).then_some(0),
        }
    }
}

#[derive(QueryableByName)]
struct MessageId {
    #[diesel(sql_type = BigInt)]
    msg_id: i64,
}

fn columns(leases: &[Lease]) -> (Vec<i64>, Vec<i32>) {
    leases.iter().map(|lease| (lease.msg_id, lease.read_ct)).unzip()
}

/// Queues one interview for each of these personas, in this order.
pub async fn send(conn: &mut AsyncPgConnection, simulation_id: i64, persona_ids: &[i32]) -> QueryResult<()> {
    sql_query(
        "SELECT pgmq.send_batch('interviews', array(
             SELECT jsonb_build_object('simulation', $1, 'persona', persona)
             FROM unnest($2) WITH ORDINALITY AS chosen (persona, place) ORDER BY place))",
    )
    .bind::<BigInt, _>(simulation_id)
    .bind::<Array<Integer>, _>(persona_ids)
    .execute(conn)
    .await?;
    Ok(())
}

/// Leases up to `quantity` waiting interviews of one simulation to this process, oldest first. Those that were handed
/// back come last, so that an interview whose call was rejected is asked again last. Unlike pgmq's `read`, it notes the
/// process.
pub async fn claim(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    quantity: i32,
    lease: Duration,
    process: Uuid,
    after: Option<i64>,
) -> QueryResult<Vec<Claim>> {
    sql_query(
        "WITH fresh AS (
             SELECT msg_id FROM pgmq.q_interviews
             WHERE vt <= clock_timestamp() AND message @> jsonb_build_object('simulation', $3)
                 AND NOT message ? 'returned'
                 AND ($5 IS NULL OR message -> 'persona' NOT IN (
                     SELECT ahead.message -> 'persona' FROM pgmq.q_interviews AS ahead
                     WHERE ahead.message @> jsonb_build_object('simulation', $5) AND EXISTS (
                         SELECT FROM simulations WHERE id = $5 AND status IN ('QUEUED', 'RUNNING'))))
             ORDER BY msg_id LIMIT $2 FOR UPDATE SKIP LOCKED),
         handed_back AS (
             SELECT msg_id FROM pgmq.q_interviews
             WHERE vt <= clock_timestamp() AND message @> jsonb_build_object('simulation', $3)
                 AND message ? 'returned'
             ORDER BY vt, msg_id LIMIT $2 - (SELECT count(*) FROM fresh) FOR UPDATE SKIP LOCKED),
         waiting AS (SELECT msg_id FROM fresh UNION ALL SELECT msg_id FROM handed_back),
         claimed AS (
             UPDATE pgmq.q_interviews AS message
             SET last_read_at = clock_timestamp(), vt = clock_timestamp() + make_interval(secs => $1),
                 read_ct = read_ct + 1, message = message.message || jsonb_build_object('process', $4)
             FROM waiting WHERE message.msg_id = waiting.msg_id
             RETURNING message.msg_id, message.read_ct, message.message)
         SELECT msg_id, read_ct, (message ->> 'persona')::integer AS persona_id,
                (message ->> 'broke')::integer AS broke, (message ->> 'open')::integer AS open,
                coalesce((message ->> 'returned')::integer, 0) AS returned
         FROM claimed ORDER BY msg_id",
    )
    .bind::<Double, _>(lease.as_secs_f64())
    .bind::<Integer, _>(quantity)
    .bind::<BigInt, _>(simulation_id)
    .bind::<SqlUuid, _>(process)
    .bind::<Nullable<BigInt>, _>(after)
    .load(conn)
    .await
}

/// Extends the leases that are still held to `lease` from now and returns their messages' ids; missing ones are lost.
pub async fn extend(conn: &mut AsyncPgConnection, leases: &[Lease], lease: Duration) -> QueryResult<Vec<i64>> {
    let (ids, counts) = columns(leases);
    let kept: Vec<MessageId> = sql_query(
        "WITH kept AS (
             SELECT msg_id FROM pgmq.q_interviews JOIN unnest($2, $3) AS held (msg_id, read_ct) USING (msg_id, read_ct)
             ORDER BY msg_id FOR UPDATE OF q_interviews)
         UPDATE pgmq.q_interviews AS message SET vt = clock_timestamp() + make_interval(secs => $1)
         FROM kept WHERE message.msg_id = kept.msg_id RETURNING message.msg_id",
    )
    .bind::<Double, _>(lease.as_secs_f64())
    .bind::<Array<BigInt>, _>(ids)
    .bind::<Array<Integer>, _>(counts)
    .load(conn)
    .await?;
    Ok(kept.into_iter().map(|row| row.msg_id).collect())
}

/// Shortens leases that end later than any worker's longest lease can, after the server's clock was set back. A worker
/// that holds such a lease still has it for that long and renews it before. Returns how many.
pub async fn shorten_leases(conn: &mut AsyncPgConnection, lease: Duration) -> QueryResult<usize> {
    sql_query(
        "WITH ahead AS (
             SELECT msg_id FROM pgmq.q_interviews WHERE vt > clock_timestamp() + make_interval(secs => $1)
             ORDER BY msg_id FOR UPDATE SKIP LOCKED)
         UPDATE pgmq.q_interviews AS message SET vt = clock_timestamp() + make_interval(secs => $1)
         FROM ahead WHERE message.msg_id = ahead.msg_id",
    )
    .bind::<Double, _>(lease.as_secs_f64())
    .execute(conn)
    .await
}

/// Notes the number of deliveries that ended during a call, this one included, and the number of open requests. Returns
/// whether the lease is still held.
pub async fn note_breaks(conn: &mut AsyncPgConnection, lease: Lease, breaks: i32, open: usize) -> QueryResult<bool> {
    let noted = sql_query(
        "UPDATE pgmq.q_interviews SET message = message || jsonb_build_object('broke', $3, 'open', $4)
         WHERE msg_id = $1 AND read_ct = $2",
    )
    .bind::<BigInt, _>(lease.msg_id)
    .bind::<Integer, _>(lease.read_ct)
    .bind::<Integer, _>(breaks)
    .bind::<Integer, _>(open as i32)
    .execute(conn)
    .await?;
    Ok(noted > 0)
}

/// Hands interviews back in good order (pause, shut-down): they are visible at once, and the delivery does not count.
pub async fn release(conn: &mut AsyncPgConnection, leases: &[Lease]) -> QueryResult<()> {
    let (ids, counts) = columns(leases);
    sql_query(
        "WITH kept AS (
             SELECT msg_id FROM pgmq.q_interviews JOIN unnest($1, $2) AS held (msg_id, read_ct) USING (msg_id, read_ct)
             ORDER BY msg_id FOR UPDATE OF q_interviews)
         UPDATE pgmq.q_interviews AS message SET vt = clock_timestamp(),
             message = message.message - 'broke' - 'open' || jsonb_build_object('returned', message.read_ct)
         FROM kept WHERE message.msg_id = kept.msg_id",
    )
    .bind::<Array<BigInt>, _>(ids)
    .bind::<Array<Integer>, _>(counts)
    .execute(conn)
    .await?;
    Ok(())
}

/// Hands an interview back after a failure; it is visible at once. `breaks` includes this delivery.
pub async fn abandon(conn: &mut AsyncPgConnection, lease: Lease, breaks: i32, open: usize) -> QueryResult<()> {
    note_breaks(conn, lease, breaks, open).await?;
    sql_query("UPDATE pgmq.q_interviews SET vt = clock_timestamp() WHERE msg_id = $1 AND read_ct = $2")
        .bind::<BigInt, _>(lease.msg_id)
        .bind::<Integer, _>(lease.read_ct)
        .execute(conn)
        .await?;
    Ok(())
}

/// Removes every interview of a simulation from the queue and returns how many there were.
pub async fn discard(conn: &mut AsyncPgConnection, simulation_id: i64) -> QueryResult<usize> {
    sql_query(
        "WITH discarded AS (
             SELECT msg_id FROM pgmq.q_interviews WHERE message @> jsonb_build_object('simulation', $1)
             ORDER BY msg_id FOR UPDATE)
         DELETE FROM pgmq.q_interviews AS message USING discarded WHERE message.msg_id = discarded.msg_id",
    )
    .bind::<BigInt, _>(simulation_id)
    .execute(conn)
    .await
}

#[derive(QueryableByName)]
struct RunId {
    #[diesel(sql_type = BigInt)]
    id: i64,
}

/// Removes interviews that ended runs have left, and returns how many there were. Locks these runs first, because
/// another pass of a run relies on its messages.
pub async fn sweep(conn: &mut AsyncPgConnection) -> QueryResult<usize> {
    conn.transaction(async |conn| {
        let runs: Vec<RunId> = sql_query(
            "SELECT id FROM simulations WHERE status IN ('STOPPED', 'COMPLETED', 'FAILED')
                 AND id IN (SELECT (message ->> 'simulation')::bigint FROM pgmq.q_interviews)
             ORDER BY id FOR NO KEY UPDATE SKIP LOCKED",
        )
        .load(conn)
        .await?;
        let mut removed = 0;
        for run in runs {
            removed += discard(conn, run.id).await?;
        }
        Ok(removed)
    })
    .await
}

/// Ends every lease, for a worker that starts when no other is alive. The interviews are visible at once and count as
/// delivered. Returns how many.
pub async fn free_all(conn: &mut AsyncPgConnection) -> QueryResult<usize> {
    sql_query(
        "WITH leased AS (
             SELECT msg_id FROM pgmq.q_interviews WHERE vt > clock_timestamp() ORDER BY msg_id FOR UPDATE)
         UPDATE pgmq.q_interviews AS message SET vt = clock_timestamp()
         FROM leased WHERE message.msg_id = leased.msg_id",
    )
    .execute(conn)
    .await
}

/// Number and age of the messages in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, QueryableByName)]
pub struct Depth {
    /// Interviews that any worker may claim.
    #[diesel(sql_type = BigInt)]
    pub waiting: i64,
    /// Interviews that a worker has leased.
    #[diesel(sql_type = BigInt)]
    pub leased: i64,
    /// Age of the oldest message; `None`: the queue is empty.
    #[diesel(sql_type = Nullable<BigInt>)]
    pub oldest_seconds: Option<i64>,
}

pub async fn depth(conn: &mut AsyncPgConnection) -> QueryResult<Depth> {
    sql_query(
        "SELECT count(*) FILTER (WHERE vt <= clock_timestamp()) AS waiting,
                count(*) FILTER (WHERE vt > clock_timestamp()) AS leased,
                CASE WHEN count(*) > 0 THEN greatest(0, extract(epoch FROM now() - min(enqueued_at))) END::bigint
                    AS oldest_seconds
         FROM pgmq.q_interviews",
    )
    .get_result(conn)
    .await
}

/// Notifies all workers when the surrounding transaction commits.
pub const NOTIFY_WORKERS: &str = "SELECT pg_notify('twinlab_control', '')";

/// Runs [`NOTIFY_WORKERS`].
pub async fn notify_workers(conn: &mut AsyncPgConnection) -> QueryResult<()> {
    sql_query(NOTIFY_WORKERS).execute(conn).await?;
    Ok(())
}
