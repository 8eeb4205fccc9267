//! Batches of runs that are over: their replies are not needed, but the server charges for them.

use diesel::dsl::{now, sql};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use simulation::key_owner::KeyOwner;

use super::RunBatch;
use crate::schema::{simulation_batches, simulations};

/// How long after the end of its run a batch is looked for. By then it has expired at the server.
const ENDED_LATELY: &str = "completed_at > now() - interval '2 days'";

/// A batch of a run that is over.
#[derive(Debug)]
pub struct LeftOver {
    pub batch: RunBatch,
    /// Model server of its run. `None`: the one of the short form.
    pub server: Option<String>,
    pub group_id: i64,
    /// Owner of the key that its run asked with.
    pub key_owner: KeyOwner,
}

/// Returns the batches that may still be processed at the server although their run is over. `chosen` limits the search
/// to these runs.
pub async fn left_over(conn: &mut AsyncPgConnection, chosen: Option<Vec<i64>>) -> QueryResult<Vec<LeftOver>> {
    let left_over = simulation_batches::table
        .inner_join(simulations::table)
        .filter(simulation_batches::ended_at.is_null())
        .filter(simulation_batches::cancelled_at.is_null())
        .filter(simulations::status.eq_any(["STOPPED", "COMPLETED", "FAILED"]))
        .filter(sql::<Bool>(ENDED_LATELY))
        .order((simulation_batches::simulation_id, simulation_batches::number))
        .select((
            RunBatch::as_select(),
            simulations::model_server,
            simulations::group_id,
            sql::<Bool>("coalesce(simulations.parameters ->> 'keyOwner' = 'group', false)"),
        ));
    let rows: Vec<(RunBatch, Option<String>, i64, bool)> = match chosen {
        Some(chosen) => left_over.filter(simulation_batches::simulation_id.eq_any(chosen)).load(conn).await?,
        None => left_over.load(conn).await?,
    };
    let left_over = |(batch, server, group_id, is_of_group)| {
        let key_owner = if is_of_group { KeyOwner::Group } else { KeyOwner::Instance };
        LeftOver { batch, server, group_id, key_owner }
    };
    Ok(rows.into_iter().map(left_over).collect())
}

/// Notes that the server was asked to cancel the batch, or has none. A batch that has taken a further step since it was
/// read is left unchanged, and is looked at again.
pub async fn note_cancelled(conn: &mut AsyncPgConnection, batch: &RunBatch) -> QueryResult<()> {
    let as_read = simulation_batches::table
        .find((batch.simulation_id, batch.number))
        .filter(simulation_batches::input_file_id.is_not_distinct_from(batch.input_file_id.as_deref()))
        .filter(simulation_batches::batch_id.is_not_distinct_from(batch.batch_id.as_deref()));
    diesel::update(as_read).set(simulation_batches::cancelled_at.eq(now)).execute(conn).await.map(drop)
}

/// Like [`note_cancelled`], for a batch whose file was deleted at the server before it was submitted.
pub async fn note_withdrawn(conn: &mut AsyncPgConnection, batch: &RunBatch) -> QueryResult<()> {
    let as_read = simulation_batches::table
        .find((batch.simulation_id, batch.number))
        .filter(simulation_batches::input_file_id.is_not_distinct_from(batch.input_file_id.as_deref()))
        .filter(simulation_batches::batch_id.is_null());
    diesel::update(as_read)
        .set((simulation_batches::cancelled_at.eq(now), simulation_batches::input_file_id.eq(None::<String>)))
        .execute(conn)
        .await
        .map(drop)
}
