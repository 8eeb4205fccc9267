//! `run/ledger.csv`: the run's entries in the ledger, in credits. The members who paid are left out.

use std::io::Write;
use std::path::Path;

use chrono::{DateTime, SecondsFormat, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use export::csv;

use super::io::failure;
use super::paths::LEDGER;
use crate::error::Result;
use crate::results::run::Run;
use crate::schema::transactions;

/// Name, type of Data Package, and what it holds.
pub(super) const COLUMNS: [(&str, &str, &str); 5] = [
    ("attempt", "integer", "1, and one more each time that failed requests were asked again; empty: none of them"),
    ("type", "string", "Kind of entry"),
    ("amount", "integer", "Credits"),
    ("effect", "integer", "What became of the budget"),
    ("created_at", "datetime", "When the entry was made"),
];

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
    let mut text = csv::head(&COLUMNS.map(|(name, ..)| name));
    for (attempt, kind, amount, effect, created_at) in entries {
        let attempt = attempt.map(|attempt| attempt.to_string()).unwrap_or_default();
        let at = created_at.to_rfc3339_opts(SecondsFormat::Millis, true);
        write!(text, "{attempt},{kind},{amount},{effect},{at}\r\n").map_err(|error| failure(LEDGER, &error))?;
    }
    std::fs::write(path, text).map_err(|error| failure(LEDGER, &error))
}
