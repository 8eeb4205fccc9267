//! `run/ledger.csv`: the run's entries in the ledger, in credits. The members who paid are left out.

use std::fs;
use std::io::Write;
use std::path::Path;

use chrono::{DateTime, SecondsFormat, Utc};
use export::csv;
use simulation::error::Result;

use crate::io::failure;
use crate::paths::LEDGER;

/// Name, type of Data Package, and what it holds.
pub const COLUMNS: [(&str, &str, &str); 5] = [
    ("attempt", "integer", "1, and one more each time that failed requests were asked again; empty: none of them"),
    ("type", "string", "Kind of entry"),
    ("amount", "integer", "Credits"),
    ("effect", "integer", "What became of the budget"),
    ("created_at", "datetime", "When the entry was made"),
];

/// An entry in the ledger.
#[derive(Clone, Debug)]
pub struct LedgerEntry {
    pub attempt: Option<i32>,
    pub kind: String,
    pub amount: i64,
    pub effect: i64,
    pub created_at: DateTime<Utc>,
}

/// Writes the file to `path`.
pub fn write(path: &Path, entries: impl IntoIterator<Item = LedgerEntry>) -> Result<()> {
    let mut text = csv::head(&COLUMNS.map(|(name, ..)| name));
    for LedgerEntry { attempt, kind, amount, effect, created_at } in entries {
        let attempt = attempt.map(|attempt| attempt.to_string()).unwrap_or_default();
        let at = created_at.to_rfc3339_opts(SecondsFormat::Millis, true);
        write!(text, "{attempt},{kind},{amount},{effect},{at}\r\n").map_err(|error| failure(LEDGER, &error))?;
    }
    fs::write(path, text).map_err(|error| failure(LEDGER, &error))
}
