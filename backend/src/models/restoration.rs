//! A restore in progress. A schema without tables marks the database until the runs in it are paused; if the restore is
//! killed, the next process that opens the database finishes it.

use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};

use crate::models::simulations::{self, control};

pub const MARK: &str = "twinlab_restoring";

const MESSAGE: &str = "it was under way when this database was backed up";

/// Marks an empty database.
pub async fn begin(conn: &mut AsyncPgConnection) -> QueryResult<()> {
    conn.batch_execute(&format!("CREATE SCHEMA IF NOT EXISTS {MARK}")).await
}

/// Pauses the runs of a restored and migrated database, removes the mark and returns how many runs were paused. `None`:
/// no restore was in progress.
pub async fn finish(conn: &mut AsyncPgConnection) -> QueryResult<Option<usize>> {
    conn.transaction(async |conn| {
        let marked = diesel::dsl::sql::<Bool>(&format!("to_regnamespace('{MARK}') IS NOT NULL"));
        if !diesel::select(marked).get_result(conn).await? {
            return Ok(None);
        }
        let active = simulations::run_statuses(conn, &[]).await?;
        for run in &active {
            control::pause_because(conn, run.id, control::RESTORED, MESSAGE).await?;
        }
        conn.batch_execute(&format!("DROP SCHEMA IF EXISTS {MARK}")).await?;
        Ok(Some(active.len()))
    })
    .await
}
