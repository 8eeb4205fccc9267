//! Makes batches: when, of how many calls and for how much money.

use std::time::Duration;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Bool, Double, Integer, Nullable};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use simulation::money::{Money, Price};
use simulation::row::Simulation;
use simulation::status::Status;

use super::{Ready, RunBatch};
use crate::models::simulations::{self, SimulationRefusal, control, costs};
use crate::schema::simulation_batches;

/// Upper limit of the wait after the server had no room for a batch.
const MAX_WAIT: Duration = Duration::from_secs(600);

/// Upper limits of a batch.
#[derive(Clone, Copy, Debug)]
pub struct BatchSize {
    pub calls: i64,
    pub bytes: i64,
}

/// An earlier batch of the run.
#[derive(Clone, Copy, Debug, QueryableByName)]
struct Past {
    #[diesel(sql_type = Integer)]
    calls: i32,
    #[diesel(sql_type = Bool)]
    limit_reached: bool,
    /// Seconds since its end; `None`: it has not ended.
    #[diesel(sql_type = Nullable<Double>)]
    ended_since: Option<f64>,
}

const PAST: &str = "
    SELECT calls, limit_reached, extract(epoch FROM now() - ended_at)::float8 AS ended_since
    FROM simulation_batches WHERE simulation_id = $1 ORDER BY number";

/// Number of calls that the next batch may carry. `None`: no batch may be made now.
///
/// The size is halved while the server has no room, and doubled with each batch that it accepts. Until the usual size
/// is reached again there is one batch at a time, and each consecutive refusal doubles the wait.
fn next_size(past: &[Past], most: i64, first_wait: Duration) -> Option<i64> {
    let mut calls = most;
    for batch in past {
        if batch.limit_reached {
            calls = calls.min(i64::from(batch.calls) / 2).max(1);
        } else if batch.ended_since.is_some() {
            calls = calls.saturating_mul(2).min(most);
        }
    }
    if calls < most && past.iter().any(|batch| batch.ended_since.is_none()) {
        return None;
    }
    let refused = past.iter().rev().take_while(|batch| batch.limit_reached).count();
    let wait = first_wait.saturating_mul(1 << refused.min(20)).min(MAX_WAIT).as_secs_f64();
    let may = refused == 0 || past.last().and_then(|last| last.ended_since).is_none_or(|since| since >= wait);
    may.then_some(calls)
}

/// Selects whether calls wait for a batch and either no interview may add more soon or there are enough of them.
const READY: &str = "
    SELECT EXISTS (SELECT FROM batch_calls WHERE simulation_id = $1 AND number IS NULL)
        AND (NOT EXISTS (SELECT FROM pgmq.q_interviews WHERE message @> jsonb_build_object('simulation', $1))
            OR (SELECT count(*) FROM batch_calls WHERE simulation_id = $1 AND number IS NULL) >= $2) AS ready";

/// Puts waiting calls into a new batch, up to its limits, by persona. The first call is taken whatever its size, but
/// not above the remaining money: the calls in batches count as spent until they are settled.
const COLLECT: &str = "
    WITH priced AS (
        SELECT persona_id, number, bytes,
            greatest(bytes / 4.0::float8, $4) * $5 + greatest(reply_tokens::float8, $6) * $7 AS cost
        FROM batch_calls WHERE simulation_id = $1
    ), wanted AS (
        SELECT persona_id, row_number() OVER earlier AS line, sum(bytes) OVER earlier AS size, sum(cost) OVER earlier AS cost
        FROM priced WHERE number IS NULL WINDOW earlier AS (ORDER BY persona_id ROWS UNBOUNDED PRECEDING)
    ), chosen AS (
        SELECT persona_id FROM wanted WHERE line <= $2 AND (size <= $3 OR line = 1)
            AND cost + (SELECT coalesce(sum(cost), 0) FROM priced WHERE number IS NOT NULL) <= $8
    ), batch AS (
        INSERT INTO simulation_batches (simulation_id, number, calls)
        SELECT $1, 1 + coalesce((SELECT max(number) FROM simulation_batches WHERE simulation_id = $1), 0), count(*)
        FROM chosen HAVING count(*) > 0 RETURNING number
    ), carried AS (
        UPDATE batch_calls AS call SET number = batch.number FROM chosen, batch
        WHERE call.simulation_id = $1 AND call.persona_id = chosen.persona_id
    )
    SELECT (SELECT number FROM batch) AS number, EXISTS (SELECT FROM priced WHERE number IS NOT NULL) AS under_way";

#[derive(QueryableByName)]
struct Collected {
    #[diesel(sql_type = Nullable<Integer>)]
    number: Option<i32>,
    /// Whether earlier batches hold calls that are not settled.
    #[diesel(sql_type = Bool)]
    under_way: bool,
}

/// Money that a run may still spend and expected cost of its calls, in micro-units.
struct Spending {
    /// Average tokens of a call's prompt so far.
    prompt: f64,
    completion: f64,
    /// Price of a prompt token.
    prompt_price: f64,
    completion_price: f64,
    left: f64,
}

impl Spending {
    const UNLIMITED: Self =
        Self { prompt: 0.0, completion: 0.0, prompt_price: 0.0, completion_price: 0.0, left: f64::INFINITY };

    fn from_run(run: &Simulation, price: &Price, cap: i64) -> Self {
        let each = |tokens: i64| tokens as f64 / run.calls.max(1) as f64;
        let of_a_token = |of_a_million: i64| of_a_million as f64 / 1e6;
        Self {
            prompt: each(run.prompt_tokens),
            completion: each(run.completion_tokens),
            prompt_price: of_a_token(price.prompt),
            completion_price: of_a_token(price.completion),
            left: (cap - price.cost(run.tokens())) as f64,
        }
    }
}

/// Makes a batch of the waiting calls if the run goes on, all its interviews wait and the server may have room. `None`:
/// there is nothing to send now. A run that cannot pay for one more call is paused.
pub async fn collect(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    most: BatchSize,
    first_wait: Duration,
) -> Result<Option<RunBatch>, SimulationRefusal> {
    // Only the process with the run's batch lock makes batches: these do not change meanwhile.
    let past: Vec<Past> = sql_query(PAST).bind::<BigInt, _>(simulation_id).load(conn).await?;
    let Some(calls) = next_size(&past, most.calls, first_wait) else { return Ok(None) };
    let is_ready = async |conn: &mut AsyncPgConnection| {
        let found: Ready =
            sql_query(READY).bind::<BigInt, _>(simulation_id).bind::<BigInt, _>(calls).get_result(conn).await?;
        QueryResult::Ok(found.ready)
    };
    // Checked before the run is locked, because settlements need that lock.
    if !is_ready(conn).await? {
        return Ok(None);
    }
    conn.transaction(async |conn| {
        let run = simulations::lock(conn, simulation_id).await?;
        if !matches!(run.status, Status::Queued | Status::Running) || !is_ready(conn).await? {
            return Ok(None);
        }
        let capped = run.price().zip(costs::cap(conn, simulation_id).await?);
        let spending =
            capped.as_ref().map_or(Spending::UNLIMITED, |(price, cap)| Spending::from_run(&run, price, *cap));
        let collected: Collected = sql_query(COLLECT)
            .bind::<BigInt, _>(simulation_id)
            .bind::<BigInt, _>(calls)
            .bind::<BigInt, _>(most.bytes)
            .bind::<Double, _>(spending.prompt)
            .bind::<Double, _>(spending.prompt_price)
            .bind::<Double, _>(spending.completion)
            .bind::<Double, _>(spending.completion_price)
            .bind::<Double, _>(spending.left)
            .get_result(conn)
            .await?;
        match (collected.number, capped) {
            (Some(number), _) => {
                let batch = simulation_batches::table.find((simulation_id, number)).select(RunBatch::as_select());
                Ok(Some(batch.first(conn).await?))
            }
            (None, Some((price, cap))) if !collected.under_way => {
                let message = too_dear(&price.money(price.cost(run.tokens())), &price.money(cap));
                control::pause_because(conn, simulation_id, costs::COST_CAP, &message).await?;
                Ok(None)
            }
            (None, _) => Ok(None),
        }
    })
    .await
}

fn too_dear(cost: &Money, cap: &Money) -> String {
    format!(
        "The calls to the model have cost {cost}, and a batch of one more may cost more than the {cap} that this run may \
         cost. Raise that to let it go on."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST_WAIT: Duration = Duration::from_secs(1);

    fn refused(calls: i32, ended_since: f64) -> Past {
        Past { calls, limit_reached: true, ended_since: Some(ended_since) }
    }

    fn taken(calls: i32, ended_since: Option<f64>) -> Past {
        Past { calls, limit_reached: false, ended_since }
    }

    fn size(past: &[Past]) -> Option<i64> {
        next_size(past, 50_000, FIRST_WAIT)
    }

    #[test]
    fn batches_have_their_usual_size_until_one_is_refused() {
        assert_eq!(size(&[]), Some(50_000));
        assert_eq!(size(&[taken(7, Some(9.0)), taken(50_000, None)]), Some(50_000));
    }

    #[test]
    fn what_is_refused_is_halved_down_to_one_call_after_a_longer_wait_each_time() {
        assert_eq!(size(&[refused(1_000, 1.9)]), None, "too soon");
        assert_eq!(size(&[refused(1_000, 2.0)]), Some(500));
        assert_eq!(size(&[refused(1_000, 9.0), refused(500, 3.9)]), None, "too soon");
        assert_eq!(size(&[refused(1_000, 9.0), refused(500, 4.0)]), Some(250));
        assert_eq!(size(&[refused(1, 9.0)]), Some(1));
        let long = vec![refused(1, 600.0); 40];
        assert_eq!(size(&long), Some(1), "the wait ends");
    }

    #[test]
    fn after_a_refusal_there_is_one_batch_at_a_time_and_what_is_taken_is_doubled() {
        let wave = [taken(1_000, None), refused(1_000, 99.0), refused(1_000, 99.0)];
        assert_eq!(size(&wave), None, "the first goes on");
        let ended = [taken(1_000, Some(5.0)), refused(1_000, 99.0), refused(1_000, 99.0)];
        assert_eq!(size(&ended), Some(500), "refused together, they are halved once");
        let grown = [refused(1_000, 99.0), taken(500, Some(5.0)), taken(3, Some(5.0))];
        assert_eq!(size(&grown), Some(2_000));
    }
}
