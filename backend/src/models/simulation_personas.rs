//! The personas that a run froze at its start.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::schema::{personas, simulation_personas};

/// The next `limit` personas of a run after `after`, by id: `(id, name)`.
pub async fn names(
    mut conn: &AsyncPgConnection,
    simulation: i64,
    after: i32,
    limit: i64,
) -> QueryResult<Vec<(i32, String)>> {
    simulation_personas::table
        .inner_join(
            personas::table.on(personas::set_id
                .eq(simulation_personas::persona_set_id)
                .and(personas::id.eq(simulation_personas::persona_id))),
        )
        .filter(simulation_personas::simulation_id.eq(simulation))
        .filter(simulation_personas::persona_id.gt(after))
        .order(simulation_personas::persona_id)
        .limit(limit)
        .select((personas::id, personas::name))
        .load(&mut conn)
        .await
}

/// The id of the run's `n`th persona, counted from 1. `None`: the run has fewer.
pub async fn nth(conn: &mut AsyncPgConnection, simulation: i64, n: i64) -> QueryResult<Option<i32>> {
    simulation_personas::table
        .filter(simulation_personas::simulation_id.eq(simulation))
        .order(simulation_personas::persona_id)
        .offset(n - 1)
        .select(simulation_personas::persona_id)
        .first(conn)
        .await
        .optional()
}
