//! Pauses a run that has reached its cost cap.

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};
use simulation::money::Tokens;
use simulation::row::price_of;

use crate::models::simulations::{control, costs};
use crate::models::{mail_triggers, queue};
use crate::schema::{cost_caps, simulations};

/// Pauses a run that has reached its cost cap, in the transaction that settles its answers, so that no crash can come
/// between. Returns whether it is paused.
pub(super) fn pause_if_reached(conn: &mut PgConnection, id: i64) -> QueryResult<bool> {
    let cap: Option<i64> = cost_caps::table.find(id).select(cost_caps::max_cost).first(conn).optional()?;
    let Some(cap) = cap else { return Ok(false) };
    let (parameters, prompt, cached, cache_write, completion, reasoning) = simulations::table
        .find(id)
        .select((
            simulations::parameters,
            simulations::prompt_tokens,
            simulations::cached_tokens,
            simulations::cache_write_tokens,
            simulations::completion_tokens,
            simulations::reasoning_tokens,
        ))
        .first::<(serde_json::Value, i64, i64, i64, i64, i64)>(conn)?;
    let Some(price) = price_of(&parameters) else { return Ok(false) };
    let cost = price.cost(Tokens { prompt, cached, cache_write, completion, reasoning });
    if cost < cap {
        return Ok(false);
    }
    let message = format!(
        "The calls to the model have cost {}, and this run may cost {}. Raise that to let it go on.",
        price.money(cost),
        price.money(cap)
    );
    sql_query(control::PAUSE_BECAUSE)
        .bind::<BigInt, _>(id)
        .bind::<Text, _>(costs::COST_CAP)
        .bind::<Text, _>(message)
        .execute(conn)?;
    sql_query(mail_triggers::RUN_PAUSED).bind::<BigInt, _>(id).execute(conn)?;
    sql_query(queue::NOTIFY_WORKERS).execute(conn)?;
    Ok(true)
}
