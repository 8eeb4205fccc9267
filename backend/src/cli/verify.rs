//! `twinlab verify`: checks the invariants of the ledger and the counters.

use std::process::ExitCode;

use diesel_async::RunQueryDsl;

use crate::app::Database;
use crate::config::Config;
use crate::db;
use crate::error::Result;
use crate::models::ledger_check::{self, CheckResult};

#[derive(Debug, clap::Args)]
pub struct Args {}

/// Exit code 1 if an invariant is broken, else 0.
pub async fn run(config: Config, _: Args) -> Result<ExitCode> {
    let database = Database::visit(&config).await?;
    let pool = db::AsyncPool::open(database.url(), 1).await?;
    let mut conn = db::checkout(&pool).await?;
    // The checks read everything, which takes longer than a request's limit in a big database.
    diesel::sql_query("SET statement_timeout = 0").execute(&mut *conn).await?;
    let findings = ledger_check::run(&mut conn).await?;
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
