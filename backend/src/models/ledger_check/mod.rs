//! Invariants of credits, answers and queue, which hold at any moment and after any crash.
//!
//! Each check is a query that selects its breaches as lines of text. The checks deliberately repeat what constraints
//! and keys guarantee.

use diesel::sql_types::{BigInt, Bool, Text};
use diesel::{QueryResult, QueryableByName};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

mod answers;
mod checks;
mod designs;
mod distributions;
mod guards;
mod result;
mod surveys;

use answers::ANSWER_CHECKS;
use checks::{CHECKS, Check, QUEUE_CHECKS};
use guards::GUARDS;
pub use result::CheckResult;
use result::MAX_EXAMPLES;

const QUEUE_EXISTS: &str = "the queue of interviews exists";

#[derive(QueryableByName)]
struct Breach {
    #[diesel(sql_type = BigInt)]
    total: i64,
    #[diesel(sql_type = Text)]
    breach: String,
}

/// Runs every check on one snapshot of the database, so that running work shows no breach.
pub async fn run(conn: &mut AsyncPgConnection) -> QueryResult<Vec<CheckResult>> {
    conn.build_transaction().repeatable_read().read_only().run(async |conn| within(conn).await).await
}

/// Runs every check in the caller's transaction, whose isolation level decides which rows are seen.
pub async fn within(conn: &mut AsyncPgConnection) -> QueryResult<Vec<CheckResult>> {
    let mut findings = Vec::new();
    for check in CHECKS.iter().chain(ANSWER_CHECKS).chain([&GUARDS]) {
        findings.push(find(conn, check).await?);
    }
    findings.push(surveys::check(conn).await?);
    findings.extend(designs::checks(conn).await?);
    findings.extend(distributions::checks(conn).await?);
    let queue: bool = diesel::select(diesel::dsl::sql::<Bool>("to_regclass('pgmq.q_interviews') IS NOT NULL"))
        .get_result(conn)
        .await?;
    let missing = if queue { Vec::new() } else { vec!["pgmq.q_interviews".to_owned()] };
    findings.push(CheckResult { check: QUEUE_EXISTS, breaches: missing.len() as i64, examples: missing });
    for check in QUEUE_CHECKS.iter().filter(|_| queue) {
        findings.push(find(conn, check).await?);
    }
    Ok(findings)
}

async fn find(conn: &mut AsyncPgConnection, check: &Check) -> QueryResult<CheckResult> {
    let query = format!(
        "SELECT count(*) OVER () AS total, breach FROM ({}) AS found (breach) ORDER BY breach LIMIT {MAX_EXAMPLES}",
        check.breaches
    );
    let found: Vec<Breach> = diesel::sql_query(query).load(conn).await?;
    Ok(CheckResult {
        check: check.name,
        breaches: found.as_slice().first().map_or(0, |first| first.total),
        examples: found.into_iter().map(|breach| breach.breach).collect(),
    })
}
