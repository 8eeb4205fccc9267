//! Log of changes to people's rights: grants, suspensions, role changes, approvals. Append-only.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;

use crate::schema::audit_log;

/// Adds a row. Call it in the transaction of the change.
pub async fn note(
    conn: &mut AsyncPgConnection,
    actor_id: i64,
    action: &str,
    subject: &str,
    detail: Value,
) -> QueryResult<()> {
    diesel::insert_into(audit_log::table)
        .values((
            audit_log::actor_id.eq(actor_id),
            audit_log::action.eq(action),
            audit_log::subject.eq(subject),
            audit_log::detail.eq(detail),
        ))
        .execute(conn)
        .await?;
    Ok(())
}
