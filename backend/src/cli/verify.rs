//! `twinlab verify`: checks the invariants of the ledger and the counters.

use std::process::ExitCode;

use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::app::Database;
use crate::auth::key_vault::KeyVault;
use crate::config::Config;
use crate::db;
use crate::error::Result;
use crate::models::group_model_keys::{self, SealedKey};
use crate::models::ledger_check::{self, CheckResult};
use crate::models::session_secret;

#[derive(Debug, clap::Args)]
pub struct Args {}

/// Unreadable keys that are listed.
const MAX_EXAMPLES: usize = 10;

/// Exit code 1 if an invariant is broken, else 0.
pub async fn run(config: Config, _: Args) -> Result<ExitCode> {
    let database = Database::visit(&config).await?;
    let pool = db::AsyncPool::open(database.url(), 1).await?;
    let mut conn = db::checkout(&pool).await?;
    // The checks read everything, which takes longer than a request's limit in a big database.
    diesel::sql_query("SET statement_timeout = 0").execute(&mut *conn).await?;
    let mut findings = ledger_check::run(&mut conn).await?;
    findings.extend(unreadable_keys(&mut conn, &config).await?);
    drop(conn);
    drop(pool);
    database.close().await?;
    for finding in &findings {
        say!("{}", lines(finding).trim_end());
    }
    let breached = findings.iter().filter(|finding| finding.is_breach()).count();
    if breached == 0 {
        say!("{} checks, no breach", findings.len());
        Ok(ExitCode::SUCCESS)
    } else {
        say!("{} checks, {breached} with a BREACH", findings.len());
        Ok(ExitCode::FAILURE)
    }
}

/// Looks whether the keys of groups can be decrypted with the secret of this process. `None`: no group has one.
async fn unreadable_keys(conn: &mut AsyncPgConnection, config: &Config) -> Result<Option<CheckResult>> {
    let stored = group_model_keys::all(conn).await?;
    if stored.is_empty() {
        return Ok(None);
    }
    let secret = session_secret::in_use(conn, config.given_secret()?.as_ref()).await?;
    let vault = secret.map(|secret| KeyVault::new(&secret));
    let opens = |key: &SealedKey| {
        vault.as_ref().is_some_and(|vault| vault.open(key.group_id, &key.server, &key.sealed).is_some())
    };
    let unreadable = stored.iter().filter(|key| !opens(key));
    let examples: Vec<String> =
        unreadable.map(|key| format!("group {}, server {}", key.group_id, key.server)).collect();
    Ok(Some(CheckResult {
        check: "keys of groups were stored under the secret of this process (JWT_SECRET)",
        breaches: examples.len() as i64,
        examples: examples.into_iter().take(MAX_EXAMPLES).collect(),
    }))
}

fn lines(finding: &CheckResult) -> String {
    let verdict = if finding.is_breach() { "BREACH" } else { "ok    " };
    let mut lines = format!("{verdict} {}\n", finding.check);
    for example in &finding.examples {
        lines += &format!("         {example}\n");
    }
    let more = finding.breaches - finding.examples.len() as i64;
    if more > 0 {
        lines += &format!("         and {more} more\n");
    }
    lines
}
