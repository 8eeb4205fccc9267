//! Names of a survey that change everywhere at once.

use diesel_async::{AsyncConnection, AsyncPgConnection};
use survey::flow::Design;
use survey::question::{Invalid, Question, QuestionPayload};
use survey::rename::Rename;

use super::{SurveyRefusal, changes, design};
use crate::models::questions;

/// Applies a renaming to the questions and the design in one transaction, and returns both. `expected` is the hash of the design
/// that the caller knows. Fails if the survey is locked, its design has another hash, the name cannot change, or a text
/// becomes too long.
pub async fn rename(
    conn: &mut AsyncPgConnection,
    id: i64,
    rename: &Rename,
    expected: Option<&str>,
) -> Result<(Vec<Question>, Design), SurveyRefusal> {
    conn.transaction(async |conn| {
        changes::open(conn, id).await?;
        let before = (questions::of_survey(conn, id).await?, design::of_survey(conn, id).await?);
        if expected.is_some_and(|expected| before.1.hash() != expected) {
            return Err(SurveyRefusal::DesignChanged);
        }
        let mut after = before.clone();
        rename.apply(&mut after.0, &mut after.1)?;
        for (question, _) in after.0.iter().zip(&before.0).filter(|(after, before)| after != before) {
            QuestionPayload::from(question).validate().map_err(|Invalid { field, message }| {
                Invalid::new(format!("questions[{}].{field}", question.order - 1), message)
            })?;
            questions::changes::store(conn, question).await?;
        }
        if after.1 != before.1 {
            design::store(conn, id, &after.1).await?;
        }
        Ok(after)
    })
    .await
}
