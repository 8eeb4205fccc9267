//! Recounts a run from its answers; the counters are a cache of the stored rows.

use diesel::sql_query;
use diesel::sql_types::{BigInt, Bool, Integer, Nullable};
use diesel::{QueryResult, QueryableByName};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use simulation::row::Simulation;
use simulation::status::Status;

use super::{SimulationRefusal, lock};
use crate::models::{assignments, batches, queue};
use crate::models::{mail_triggers, settlement};

#[derive(QueryableByName)]
struct Recount {
    #[diesel(sql_type = Integer)]
    successful: i32,
    #[diesel(sql_type = Integer)]
    failed: i32,
    #[diesel(sql_type = Integer)]
    retrying: i32,
    /// Requests that the assignments can reach; `None`: a plain survey.
    #[diesel(sql_type = Nullable<Integer>)]
    assigned: Option<i32>,
    #[diesel(sql_type = Integer)]
    not_shown: i32,
}

#[derive(QueryableByName)]
struct Orphan {
    #[diesel(sql_type = Integer)]
    persona_id: i32,
}

/// Recounts every counter from the answers. Fails with `WrongState` for a running run, whose counters move with the
/// answers.
pub async fn reset_counters(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, SimulationRefusal> {
    conn.transaction(async |conn| {
        let run = lock(conn, id).await?;
        if run.status == Status::Running {
            return Err(SimulationRefusal::WrongState { status: run.status, action: "recounted" });
        }
        recount(conn, &run).await?;
        lock(conn, id).await
    })
    .await
}

/// Makes status and counters agree with the answers, in any state of the run: recounts, queues interviews that have
/// open requests but no message, and ends the run if nothing is open. Idempotent.
pub async fn refresh(conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, SimulationRefusal> {
    conn.transaction(async |conn| {
        let run = lock(conn, id).await?;
        recount(conn, &run).await?;
        if !run.status.is_over() {
            let orphans = orphans(conn, &run, Parked::Wait).await?;
            if !orphans.is_empty() {
                tracing::warn!(simulation = id, interviews = orphans.len(), "queueing interviews that had no message");
                queue::send(conn, id, &orphans).await?;
                queue::notify_workers(conn).await?;
            }
        }
        lock(conn, id).await
    })
    .await
}

async fn recount(conn: &mut AsyncPgConnection, run: &Simulation) -> Result<(), SimulationRefusal> {
    let counted: Recount = sql_query(
        "SELECT (SELECT count(*) FROM responses WHERE simulation_id = $1)::integer AS successful,
                count(*) FILTER (WHERE NOT retrying)::integer AS failed,
                count(*) FILTER (WHERE retrying)::integer AS retrying,
                (SELECT sum(requests) FROM assignments WHERE simulation_id = $1)::integer AS assigned,
                (SELECT count(*) FROM not_shown WHERE simulation_id = $1)::integer AS not_shown
         FROM request_failures WHERE simulation_id = $1",
    )
    .bind::<BigInt, _>(run.id)
    .get_result(conn)
    .await?;
    let total = counted.assigned.map_or(run.total_requests, |assigned| assigned - counted.not_shown);
    let open = match run.retries_failed {
        _ if run.status.is_over() => 0,
        false => total - counted.successful - counted.failed,
        true => counted.retrying,
    };
    // Failed requests keep their held credits until the pass ends.
    let held = if open == 0 { 0 } else { i64::from(open + counted.failed) };
    let skipped = assignments::skipped(conn, run.id).await?;
    if (counted.successful, counted.failed, open, held, total, counted.not_shown)
        == (run.successful_requests, run.failed_requests, run.open_requests, run.held, run.total_requests, skipped)
    {
        return Ok(());
    }
    tracing::warn!(simulation = run.id, "counters differed from the stored answers and were recounted");
    sql_query("UPDATE group_members SET held = held + $3, updated_at = now() WHERE group_id = $1 AND user_id = $2")
        .bind::<BigInt, _>(run.group_id)
        .bind::<BigInt, _>(run.user_id)
        .bind::<BigInt, _>(held - run.held)
        .execute(conn)
        .await?;
    sql_query("UPDATE simulation_designs SET skipped = $2 WHERE simulation_id = $1")
        .bind::<BigInt, _>(run.id)
        .bind::<Integer, _>(counted.not_shown)
        .execute(conn)
        .await?;
    if open == 0 {
        // Everything is stored but the row is still open: end it as its last settlement would have.
        sql_query(settlement::CLOSE)
            .bind::<BigInt, _>(run.id)
            .bind::<Integer, _>(counted.successful)
            .bind::<Integer, _>(counted.failed)
            .bind::<Integer, _>(run.total_requests - total)
            .execute(conn)
            .await?;
        for notice in mail_triggers::RUN_ENDED {
            sql_query(notice).bind::<BigInt, _>(run.id).execute(conn).await?;
        }
        queue::discard(conn, run.id).await?;
        batches::forget_others(conn, run.id, &[]).await?;
        return Ok(());
    }
    sql_query(
        "UPDATE simulations SET successful_requests = $2, failed_requests = $3, open_requests = $4, held = $5,
             total_requests = $6, updated_at = now() WHERE id = $1",
    )
    .bind::<BigInt, _>(run.id)
    .bind::<Integer, _>(counted.successful)
    .bind::<Integer, _>(counted.failed)
    .bind::<Integer, _>(open)
    .bind::<BigInt, _>(held)
    .bind::<Integer, _>(total)
    .execute(conn)
    .await?;
    Ok(())
}

/// Treatment of interviews that wait for a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parked {
    /// They go on waiting.
    Wait,
    /// They check whether the request that they wait for is still open.
    Look,
}

/// Returns personas with open requests and no message in the queue.
pub(super) async fn orphans(conn: &mut AsyncPgConnection, run: &Simulation, parked: Parked) -> QueryResult<Vec<i32>> {
    let rows: Vec<Orphan> = sql_query(
        "SELECT frozen.persona_id FROM simulation_personas AS frozen
         WHERE frozen.simulation_id = $1
           AND frozen.persona_id NOT IN (SELECT (message ->> 'persona')::integer FROM pgmq.q_interviews
               WHERE message @> jsonb_build_object('simulation', $1))
           AND ($4 OR frozen.persona_id NOT IN (SELECT persona_id FROM batch_calls
               WHERE simulation_id = $1 AND reply IS NULL))
           AND CASE WHEN NOT $2
               THEN (SELECT count(*) FROM responses AS answered WHERE answered.simulation_id = $1
                         AND answered.persona_id = frozen.persona_id)
                  + (SELECT count(*) FROM request_failures AS failed WHERE failed.simulation_id = $1
                         AND failed.persona_id = frozen.persona_id)
                  + (SELECT count(*) FROM not_shown AS hidden WHERE hidden.simulation_id = $1
                         AND hidden.persona_id = frozen.persona_id)
                  < coalesce((SELECT requests FROM assignments AS dealt WHERE dealt.simulation_id = $1
                         AND dealt.persona_id = frozen.persona_id), $3)
               ELSE EXISTS (SELECT FROM request_failures AS failed WHERE failed.simulation_id = $1
                         AND failed.persona_id = frozen.persona_id AND failed.retrying) END
         ORDER BY frozen.persona_id",
    )
    .bind::<BigInt, _>(run.id)
    .bind::<Bool, _>(run.retries_failed)
    .bind::<Integer, _>(run.question_count)
    .bind::<Bool, _>(parked == Parked::Look)
    .load(conn)
    .await?;
    Ok(rows.into_iter().map(|row| row.persona_id).collect())
}
