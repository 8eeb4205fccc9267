//! The end of a batch: its replies, and the calls that it did not answer.

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Integer, Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};

use super::RunBatch;
use crate::models::queue;
use crate::models::simulations::{self, SimulationRefusal};
use crate::schema::{batch_calls, simulation_batches};

/// A line of a batch's results.
#[derive(Clone, Debug)]
pub struct BatchReply {
    pub persona_id: i32,
    /// The prompt's hash as hex, or a prefix of it.
    pub prompt_hash: String,
    pub line: String,
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = Integer)]
    number: i32,
}

/// Stores replies, except to calls that were answered before or that another batch carries.
const STORE_REPLIES: &str = "
    UPDATE batch_calls AS call SET reply = new.reply
    FROM unnest($3, $4, $5) AS new (persona_id, prompt_hash, reply)
    WHERE call.simulation_id = $1 AND call.number = $2 AND call.persona_id = new.persona_id
        AND starts_with(encode(call.prompt_hash, 'hex'), new.prompt_hash) AND call.reply IS NULL";

/// Stores replies of the batch. The interviews read them after the batch [ends](end).
pub async fn store_replies(
    conn: &mut AsyncPgConnection,
    batch: &RunBatch,
    replies: &[BatchReply],
) -> Result<(), SimulationRefusal> {
    conn.transaction(async |conn| {
        simulations::lock(conn, batch.simulation_id).await?;
        sql_query(STORE_REPLIES)
            .bind::<BigInt, _>(batch.simulation_id)
            .bind::<Integer, _>(batch.number)
            .bind::<Array<Integer>, _>(replies.iter().map(|reply| reply.persona_id).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(replies.iter().map(|reply| reply.prompt_hash.as_str()).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(replies.iter().map(|reply| reply.line.as_str()).collect::<Vec<_>>())
            .execute(conn)
            .await?;
        Ok(())
    })
    .await
}

/// Takes calls that the server did not process out of the batch: the next batch carries them, at no attempt's cost.
pub async fn release(
    conn: &mut AsyncPgConnection,
    batch: &RunBatch,
    personas: &[i32],
) -> Result<(), SimulationRefusal> {
    conn.transaction(async |conn| {
        simulations::lock(conn, batch.simulation_id).await?;
        diesel::update(batch_calls::table)
            .filter(batch_calls::simulation_id.eq(batch.simulation_id))
            .filter(batch_calls::number.eq(batch.number))
            .filter(batch_calls::persona_id.eq_any(personas))
            .filter(batch_calls::reply.is_null())
            .set(batch_calls::number.eq(None::<i32>))
            .execute(conn)
            .await?;
        Ok(())
    })
    .await
}

/// Treatment of the calls of an ended batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered<'a> {
    /// The next batch carries the unanswered calls, at no attempt's cost.
    AskAgain,
    /// The unanswered calls get this reply.
    Reply(&'a str),
    /// The next batch carries all calls, answered ones too.
    AskAllAgain,
    /// Smaller batches carry the unanswered calls: the server has no room for so many, with this message.
    AskInParts(&'a str),
}

const AWAKE: &str = "
    SELECT persona_id AS number FROM batch_calls
    WHERE simulation_id = $1 AND number = $2 AND reply IS NOT NULL
        AND persona_id NOT IN (SELECT (message ->> 'persona')::integer FROM pgmq.q_interviews
            WHERE message @> jsonb_build_object('simulation', $1))
    ORDER BY persona_id";

/// Ends a batch whose replies are stored: its interviews get a message again, or their calls wait for another batch.
pub async fn end(
    conn: &mut AsyncPgConnection,
    batch: &RunBatch,
    unanswered: Unanswered<'_>,
) -> Result<(), SimulationRefusal> {
    let carried = || {
        batch_calls::table
            .filter(batch_calls::simulation_id.eq(batch.simulation_id))
            .filter(batch_calls::number.eq(batch.number))
    };
    let (no_number, no_reply) = (batch_calls::number.eq(None::<i32>), batch_calls::reply.eq(None::<String>));
    conn.transaction(async |conn| {
        let run = simulations::lock(conn, batch.simulation_id).await?;
        let unanswered_calls = carried().filter(batch_calls::reply.is_null());
        match unanswered {
            Unanswered::AskAgain | Unanswered::AskInParts(_) => {
                diesel::update(unanswered_calls).set(no_number).execute(conn).await?
            }
            Unanswered::Reply(reply) => {
                diesel::update(unanswered_calls).set(batch_calls::reply.eq(reply)).execute(conn).await?
            }
            Unanswered::AskAllAgain => diesel::update(carried()).set((no_number, no_reply)).execute(conn).await?,
        };
        if !run.status.is_over() {
            let awake: Vec<Number> = sql_query(AWAKE)
                .bind::<BigInt, _>(batch.simulation_id)
                .bind::<Integer, _>(batch.number)
                .load(conn)
                .await?;
            let personas: Vec<i32> = awake.into_iter().map(|row| row.number).collect();
            if !personas.is_empty() {
                queue::send(conn, batch.simulation_id, &personas).await?;
            }
        }
        let said = match unanswered {
            Unanswered::AskInParts(said) => Some(said.replace('\0', "")),
            _ => None,
        };
        diesel::update(simulation_batches::table.find((batch.simulation_id, batch.number)))
            .set((
                simulation_batches::ended_at.eq(diesel::dsl::now),
                simulation_batches::limit_reached.eq(said.is_some()),
                simulation_batches::trouble.eq(said),
            ))
            .execute(conn)
            .await?;
        Ok(queue::notify_workers(conn).await?)
    })
    .await
}

/// Deletes, for a run that begins another pass, the calls of interviews that the pass does not ask.
pub async fn forget_others(conn: &mut AsyncPgConnection, simulation_id: i64, asked: &[i32]) -> QueryResult<()> {
    diesel::delete(batch_calls::table)
        .filter(batch_calls::simulation_id.eq(simulation_id))
        .filter(batch_calls::persona_id.ne_all(asked))
        .execute(conn)
        .await
        .map(drop)
}
