//! The queue of interviews: a message is one persona's part of one simulation, `{"simulation": 17, "persona": 4}`.
//!
//! The queue is pgmq's, used on the caller's own connection, so that messages are sent and removed in the same
//! transaction as the ledger changes. A claimed message is leased: it is invisible until the lease ends, and may be
//! claimed again unless the lease was extended. pgmq counts deliveries (`read_ct`), and that count fences the lease:
//! every statement here that acts on a lease compares it, so a worker with an older delivery changes nothing.
//!
//! An interview that may be what kills its workers has two more fields in its message: `broke`, the deliveries in a row
//! that ended during a call, and `open`, its open requests at the last of them. Fewer open ones since are progress, and
//! the count begins anew.
//!
//! Statements that take several messages lock them in the order of their ids, to avoid deadlocks.

use std::time::Duration;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Double, Integer, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

pub const QUEUE: &str = "interviews";

/// The channel that notifies workers of control changes. Notifications carry nothing: the rows say what is to be done.
pub const CHANNEL: &str = "twinlab_control";

/// A claimed message, and which delivery of it.
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
}

impl Claim {
    pub fn lease(&self) -> Lease {
        Lease { msg_id: self.msg_id, read_ct: self.read_ct }
    }

    /// How many deliveries of this interview, which has so many open requests now, ended during a call with nothing
    /// stored since; `None`: it was not delivered before.
    pub fn breaks(&self, open: usize) -> Option<i32> {
        let progress = self.open.is_some_and(|before| (open as i32) < before);
        match self.broke {
            Some(broke) if !progress => Some(broke),
            broke => (broke.is_some() || self.read_ct > 1).then_some(0),
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

/// Leases up to `quantity` waiting interviews of one simulation, oldest first. `lease`: in whole seconds.
pub async fn claim(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    quantity: i32,
    lease: Duration,
) -> QueryResult<Vec<Claim>> {
    sql_query(
        "SELECT msg_id, read_ct, (message ->> 'persona')::integer AS persona_id,
                (message ->> 'broke')::integer AS broke, (message ->> 'open')::integer AS open
         FROM pgmq.read('interviews', $1, $2, jsonb_build_object('simulation', $3)) ORDER BY msg_id",
    )
    .bind::<Integer, _>(lease.as_secs() as i32)
    .bind::<Integer, _>(quantity)
    .bind::<BigInt, _>(simulation_id)
    .load(conn)
    .await
}

/// Extends the leases that are still held to `lease` from now, and returns their messages' ids; the others are lost.
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

/// Shortens leases that end later than the longest one that any worker takes could: the server's clock was set back.
/// A worker that holds such a lease still has it for that long, and renews it before. Returns how many.
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

/// Notes the deliveries that broke off during a call, this one included from now on, and how many requests are open.
/// Returns whether the lease is still held.
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

/// Returns interviews to the queue in good order (pause, shut-down): sent anew, so that the delivery does not count.
pub async fn release(conn: &mut AsyncPgConnection, leases: &[Lease]) -> QueryResult<()> {
    let (ids, counts) = columns(leases);
    sql_query(
        "WITH kept AS (
             SELECT msg_id FROM pgmq.q_interviews JOIN unnest($1, $2) AS held (msg_id, read_ct) USING (msg_id, read_ct)
             ORDER BY msg_id FOR UPDATE OF q_interviews),
         released AS (
             DELETE FROM pgmq.q_interviews AS message USING kept WHERE message.msg_id = kept.msg_id
             RETURNING message.msg_id, message.message - 'broke' - 'open' AS message)
         SELECT pgmq.send_batch('interviews', array_agg(message ORDER BY msg_id))
         FROM released HAVING count(*) > 0",
    )
    .bind::<Array<BigInt>, _>(ids)
    .bind::<Array<Integer>, _>(counts)
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns an interview to the queue after a failure: visible at once. `breaks`: this delivery included.
pub async fn abandon(conn: &mut AsyncPgConnection, lease: Lease, breaks: i32, open: usize) -> QueryResult<()> {
    note_breaks(conn, lease, breaks, open).await?;
    sql_query("UPDATE pgmq.q_interviews SET vt = clock_timestamp() WHERE msg_id = $1 AND read_ct = $2")
        .bind::<BigInt, _>(lease.msg_id)
        .bind::<Integer, _>(lease.read_ct)
        .execute(conn)
        .await?;
    Ok(())
}

/// Removes every interview of a simulation from the queue.
pub async fn discard(conn: &mut AsyncPgConnection, simulation_id: i64) -> QueryResult<()> {
    sql_query(
        "WITH discarded AS (
             SELECT msg_id FROM pgmq.q_interviews WHERE message @> jsonb_build_object('simulation', $1)
             ORDER BY msg_id FOR UPDATE)
         DELETE FROM pgmq.q_interviews AS message USING discarded WHERE message.msg_id = discarded.msg_id",
    )
    .bind::<BigInt, _>(simulation_id)
    .execute(conn)
    .await?;
    Ok(())
}

/// Frees every lease by sending its message anew, for a worker that starts when no other is alive. Returns how many. The
/// field `broke` tells that these were delivered before.
pub async fn free_all(conn: &mut AsyncPgConnection) -> QueryResult<usize> {
    let freed: Vec<MessageId> = sql_query(
        "WITH leased AS (
             SELECT msg_id FROM pgmq.q_interviews WHERE vt > clock_timestamp() ORDER BY msg_id FOR UPDATE),
         freed AS (
             DELETE FROM pgmq.q_interviews AS message USING leased WHERE message.msg_id = leased.msg_id
             RETURNING message.msg_id,
                 message.message || jsonb_build_object('broke', coalesce(message.message -> 'broke', '0')) AS message),
         sent AS (
             SELECT pgmq.send_batch('interviews', array_agg(message ORDER BY msg_id)) AS msg_id
             FROM freed HAVING count(*) > 0)
         SELECT msg_id FROM sent",
    )
    .load(conn)
    .await?;
    Ok(freed.len())
}

/// How full the queue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, QueryableByName)]
pub struct Depth {
    /// Interviews that anybody may claim.
    #[diesel(sql_type = BigInt)]
    pub waiting: i64,
    /// Interviews that a worker holds.
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
