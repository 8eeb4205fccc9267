//! A run's entries in the ledger.

use std::path::Path;

use ::bundle::ledger::{self, LedgerEntry};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use simulation::run::Run;

use crate::error::Result;
use crate::schema::transactions;

type Entry = (Option<i32>, String, i64, i64, DateTime<Utc>);

/// Writes the file to `path`.
pub async fn write(mut conn: &AsyncPgConnection, run: &Run, path: &Path) -> Result<()> {
    let entries: Vec<Entry> = transactions::table
        .filter(transactions::simulation_id.eq(run.facts.id))
        .order(transactions::id)
        .select((
            transactions::attempt,
            transactions::type_,
            transactions::amount,
            transactions::effect,
            transactions::created_at,
        ))
        .load(&mut conn)
        .await?;
    let entry = |(attempt, kind, amount, effect, created_at)| LedgerEntry { attempt, kind, amount, effect, created_at };
    Ok(ledger::write(path, entries.into_iter().map(entry))?)
}
