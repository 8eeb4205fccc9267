//! What must be true of the credits, the answers and the queue at any moment, after any crash.
//!
//! Each check is a query for what breaks it, a line of text for each breach, and finds nothing in a sound database.
//! The checks also look for what constraints and keys forbid: they are there to distrust.

use diesel::sql_types::{BigInt, Bool, Text};
use diesel::{QueryResult, QueryableByName};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

mod checks;

use checks::{CHECKS, Check, QUEUE_CHECKS};

/// Breaches named in a finding; all are counted.
const EXAMPLES: i64 = 10;

/// What one check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub check: &'static str,
    /// 0 in a sound database.
    pub breaches: i64,
    /// The first ten breaches, in the order of their text.
    pub examples: Vec<String>,
}

impl Finding {
    pub fn is_breach(&self) -> bool {
        self.breaches > 0
    }
}

const QUEUE_EXISTS: &str = "the queue of interviews exists";

#[derive(QueryableByName)]
struct Breach {
    #[diesel(sql_type = BigInt)]
    total: i64,
    #[diesel(sql_type = Text)]
    breach: String,
}

/// Every check against one snapshot of the database, so that work under way is no breach.
pub async fn run(conn: &mut AsyncPgConnection) -> QueryResult<Vec<Finding>> {
    conn.build_transaction().repeatable_read().read_only().run(async |conn| within(conn).await).await
}

/// The same inside the caller's transaction, which decides what is seen.
pub async fn within(conn: &mut AsyncPgConnection) -> QueryResult<Vec<Finding>> {
    let mut findings = Vec::new();
    for check in CHECKS {
        findings.push(find(conn, check).await?);
    }
    let queue: bool = diesel::select(diesel::dsl::sql::<Bool>("to_regclass('pgmq.q_interviews') IS NOT NULL"))
        .get_result(conn)
        .await?;
    let missing = if queue { Vec::new() } else { vec!["pgmq.q_interviews".to_owned()] };
    findings.push(Finding { check: QUEUE_EXISTS, breaches: missing.len() as i64, examples: missing });
    for check in QUEUE_CHECKS.iter().filter(|_| queue) {
        findings.push(find(conn, check).await?);
    }
    Ok(findings)
}

async fn find(conn: &mut AsyncPgConnection, check: &Check) -> QueryResult<Finding> {
    let query = format!(
        "SELECT count(*) OVER () AS total, breach FROM ({}) AS found (breach) ORDER BY breach LIMIT {EXAMPLES}",
        check.breaches
    );
    let found: Vec<Breach> = diesel::sql_query(query).load(conn).await?;
    Ok(Finding {
        check: check.name,
        breaches: found.as_slice().first().map_or(0, |first| first.total),
        examples: found.into_iter().map(|breach| breach.breach).collect(),
    })
}
