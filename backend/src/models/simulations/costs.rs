//! Cost of runs in money: the tokens of their calls, at the prices at their start.

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Bool, Jsonb};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Deserialize;
use simulation::money::{Money, Price};
use simulation::row::Simulation;

use super::SimulationRefusal;
use crate::models::summed_tokens::{SUMMED_TOKENS, SummedTokens};
use crate::schema::cost_caps;

/// The error code of a run that was paused because it had reached its cost cap.
pub const COST_CAP: &str = "cost_cap";

/// Returns a run's cost cap in micro-units. `None`: it has none.
pub async fn cap(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Option<i64>> {
    cost_caps::table.find(id).select(cost_caps::max_cost).first(conn).await.optional()
}

/// Fails if the cost cap is reached already: the run would be paused again at once.
pub(super) async fn refuse_above_cap(conn: &mut AsyncPgConnection, run: &Simulation) -> Result<(), SimulationRefusal> {
    let (Some(price), Some(cap)) = (run.price(), cap(conn, run.id).await?) else { return Ok(()) };
    let cost = price.cost(run.tokens());
    if cost < cap {
        return Ok(());
    }
    Err(SimulationRefusal::CostCap { cost: price.money(cost), cap: price.money(cap) })
}

/// Sets a run's cost cap in micro-units; `None` removes it. Returns false and sets nothing if the run has no price.
pub async fn set_cap(conn: &mut AsyncPgConnection, id: i64, cap: Option<i64>) -> QueryResult<bool> {
    let Some(cap) = cap else {
        diesel::delete(cost_caps::table.find(id)).execute(conn).await?;
        return Ok(true);
    };
    let set = sql_query(
        "INSERT INTO cost_caps (simulation_id, max_cost)
         SELECT id, $2 FROM simulations WHERE id = $1 AND parameters ? 'price'
         ON CONFLICT (simulation_id) DO UPDATE SET max_cost = excluded.max_cost",
    );
    Ok(set.bind::<BigInt, _>(id).bind::<BigInt, _>(cap).execute(conn).await? > 0)
}

/// Cost of runs, one amount for each currency.
#[derive(Clone, Debug, Default)]
pub struct RunCosts {
    pub all: Vec<Money>,
    /// The part of it that was asked with keys of groups.
    pub by_group_keys: Vec<Money>,
}

impl RunCosts {
    fn of(priced: &[Priced]) -> Self {
        Self { all: sums(priced.iter()), by_group_keys: sums(priced.iter().filter(|row| row.by_group_key)) }
    }
}

/// Tokens of runs that have the same price.
#[derive(Debug, QueryableByName)]
struct Priced {
    #[diesel(sql_type = BigInt)]
    user_id: i64,
    #[diesel(sql_type = Jsonb)]
    price: serde_json::Value,
    /// The runs asked with keys of groups.
    #[diesel(sql_type = Bool)]
    by_group_key: bool,
    #[diesel(embed)]
    tokens: SummedTokens,
}

/// Columns and groups of [`Priced`], beside the user.
const PRICED: &str =
    "parameters -> 'price' AS price, coalesce(parameters ->> 'keyOwner' = 'group', false) AS by_group_key";

/// Returns the cost of each group member's runs.
pub async fn of_group(conn: &mut AsyncPgConnection, group_id: i64) -> QueryResult<Vec<(i64, RunCosts)>> {
    let priced: Vec<Priced> = sql_query(format!(
        "SELECT user_id, {PRICED}, {SUMMED_TOKENS} FROM simulations WHERE group_id = $1 AND parameters ? 'price'
         GROUP BY user_id, 2, 3 ORDER BY user_id",
    ))
    .bind::<BigInt, _>(group_id)
    .load(conn)
    .await?;
    let of_member = |rows: &[Priced]| (rows[0].user_id, RunCosts::of(rows));
    Ok(priced.chunk_by(|a, b| a.user_id == b.user_id).map(of_member).collect())
}

/// Returns the cost of these runs.
pub async fn of_runs(conn: &mut AsyncPgConnection, ids: &[i64]) -> QueryResult<RunCosts> {
    let priced: Vec<Priced> = sql_query(format!(
        "SELECT 0::bigint AS user_id, {PRICED}, {SUMMED_TOKENS} FROM simulations WHERE id = ANY($1) AND parameters ? 'price'
         GROUP BY 2, 3",
    ))
    .bind::<Array<BigInt>, _>(ids)
    .load(conn)
    .await?;
    Ok(RunCosts::of(&priced))
}

fn sums<'a>(priced: impl Iterator<Item = &'a Priced>) -> Vec<Money> {
    let mut sums: Vec<(Price, i64)> = Vec::new();
    for same_price in priced {
        let Ok(price) = Price::deserialize(&same_price.price) else { continue };
        let cost = price.cost(same_price.tokens.into());
        match sums.iter_mut().find(|(known, _)| known.currency == price.currency) {
            Some((_, sum)) => *sum = sum.saturating_add(cost),
            None => sums.push((price, cost)),
        }
    }
    sums.iter().map(|(price, sum)| price.money(*sum)).collect()
}
