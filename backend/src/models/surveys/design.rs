//! Designs of surveys.

use diesel::dsl::now;
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use survey::flow::Design;

use super::{SurveyRefusal, changes};
use crate::schema::surveys;

/// Returns the design; empty for a plain survey.
pub async fn of_survey(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Design> {
    surveys::table.find(id).select(surveys::design).first(conn).await
}

/// Replaces the design. `expected` is the hash of the current one. Fails if the survey is locked or its design is not
/// the expected one.
pub async fn replace(
    conn: &mut AsyncPgConnection,
    id: i64,
    design: &Design,
    expected: Option<&str>,
) -> Result<(), SurveyRefusal> {
    conn.transaction(async |conn| {
        changes::open(conn, id).await?;
        if let Some(expected) = expected
            && of_survey(conn, id).await?.hash() != expected
        {
            return Err(SurveyRefusal::DesignChanged);
        }
        Ok(store(conn, id, design).await?)
    })
    .await
}

/// Writes the design of a survey that is open for changes.
pub(super) async fn store(conn: &mut AsyncPgConnection, id: i64, design: &Design) -> QueryResult<()> {
    diesel::update(surveys::table.find(id))
        .set((surveys::design.eq(design), surveys::updated_at.eq(now)))
        .execute(conn)
        .await?;
    Ok(())
}
