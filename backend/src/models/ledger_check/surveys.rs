//! Recomputes the hashes of the frozen surveys.

use diesel::QueryResult;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;

use super::result::{CheckResult, finding};
use crate::models::simulations::start::survey_hash;
use crate::schema::simulations;

const FROZEN: &str = "each run's frozen survey has the hash that was stored at its start";

/// Number of snapshots read at a time; each has up to some hundred KiB.
const RUNS_PER_PAGE: i64 = 50;

pub(super) async fn check(conn: &mut AsyncPgConnection) -> QueryResult<CheckResult> {
    let (mut breaches, mut last) = (Vec::new(), 0);
    loop {
        let page: Vec<(i64, Value, String)> = simulations::table
            .filter(simulations::id.gt(last))
            .order(simulations::id)
            .limit(RUNS_PER_PAGE)
            .select((simulations::id, simulations::survey_snapshot, simulations::survey_hash))
            .load(conn)
            .await?;
        let Some((id, ..)) = page.last() else { return Ok(finding(FROZEN, breaches)) };
        last = *id;
        for (id, snapshot, stored) in page {
            // The survey of an erased account.
            let is_erased = snapshot["questions"].as_array().is_some_and(Vec::is_empty);
            let hash = survey_hash(&snapshot);
            if !is_erased && hash != stored {
                breaches.push(format!("simulation {id}: stored {stored}, its survey has {hash}"));
            }
        }
    }
}
