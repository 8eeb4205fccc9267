//! Reports of imports: what was lost when a survey of another program became a survey.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use survey::import_report::LossReport;

use crate::models::json::unreadable;
use crate::schema::survey_imports;

/// The import that made a survey, or the survey that it is a copy of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurveyImport {
    pub report: LossReport,
    /// `None`: the import is happening now.
    pub imported_at: Option<DateTime<Utc>>,
}

impl From<LossReport> for SurveyImport {
    fn from(report: LossReport) -> Self {
        Self { report, imported_at: None }
    }
}

pub async fn insert(conn: &mut AsyncPgConnection, survey_id: i64, import: &SurveyImport) -> QueryResult<()> {
    let report = serde_json::to_value(&import.report)
        .map_err(|error| diesel::result::Error::SerializationError(Box::new(error)))?;
    diesel::insert_into(survey_imports::table)
        .values((
            survey_imports::survey_id.eq(survey_id),
            survey_imports::report.eq(report),
            survey_imports::imported_at.eq(import.imported_at.unwrap_or_else(Utc::now)),
        ))
        .execute(conn)
        .await?;
    Ok(())
}

/// Returns the import of a survey. `None`: the survey was not imported.
pub async fn of_survey(conn: &mut AsyncPgConnection, survey_id: i64) -> QueryResult<Option<SurveyImport>> {
    let stored: Option<(Value, DateTime<Utc>)> = survey_imports::table
        .find(survey_id)
        .select((survey_imports::report, survey_imports::imported_at))
        .first(conn)
        .await
        .optional()?;
    let Some((report, imported_at)) = stored else { return Ok(None) };
    let report = serde_json::from_value(report).map_err(unreadable)?;
    Ok(Some(SurveyImport { report, imported_at: Some(imported_at) }))
}
