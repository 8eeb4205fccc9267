//! People's answers that are kept for a survey: uploaded, matched, listed and deleted by its owner.

pub mod changes;
pub mod upload;

use diesel::QueryResult;
use diesel_async::AsyncPgConnection;
use evidence::options::ComparisonOptions;
use evidence::upload::{Dropped, ReadFile, ReadPeople};
use serde::Serialize;
use survey::question::clean;
use utoipa::ToSchema;

use super::error::{ApiError, Result};
use super::extract::admit;
use crate::app::App;
use crate::auth::rules::Caller;
use crate::models::human_samples::{self, HumanSample, MAX_SAMPLE_NAME};
use crate::models::questions;
use crate::models::surveys::design;
use crate::results::people::samples::{self, SampledSurvey};
use crate::work::Work;

/// Answers of people to a survey, as the caller sees them.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = HumanSample)]
pub struct SampleView {
    #[serde(flatten)]
    sample: HumanSample,
    /// Name of the person who uploaded it; null if it is not shown here or the person has no name.
    created_by: Option<String>,
    /// Columns of the file that were not kept. Empty for others than the survey's owner.
    pub(super) dropped: Vec<Dropped>,
    /// Whether the caller may change and delete it.
    is_owner: bool,
}

impl SampleView {
    pub(super) fn of(sample: HumanSample, created_by: Option<String>, is_owner: bool) -> Result<Self> {
        let dropped = if is_owner { sample.dropped.clone() } else { serde_json::Value::Array(Vec::new()) };
        let dropped = serde_json::from_value(dropped).map_err(ApiError::internal)?;
        Ok(Self { sample, created_by, dropped, is_owner })
    }
}

/// A sample, with how it is read.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = HumanSampleDetails)]
struct SampleDetails {
    #[serde(flatten)]
    sample: SampleView,
    settings: ComparisonOptions,
    file: ReadFile,
}

impl SampleDetails {
    async fn of(app: &App, caller: &Caller, sample: HumanSample) -> Result<Self> {
        // Opening takes many times the memory of what is kept.
        let permit = admit(app, caller.id, Work::Sample)?.start().await;
        let mut conn = crate::db::checkout(&app.pool).await?;
        let content = human_samples::content(&mut conn, sample.id).await?;
        let survey = sampled_survey(&mut conn, sample.survey_id).await?;
        drop(conn);
        let settings = sample.settings().map_err(ApiError::internal)?;
        let options = samples::of_questions(settings, &survey.questions);
        let read = super::answers::people::count(&permit, move || samples::read(&survey, &content, &options)).await?;
        Self::new(sample, &read)
    }

    fn new(sample: HumanSample, read: &ReadPeople) -> Result<Self> {
        let settings = sample.settings().map_err(ApiError::internal)?;
        let sample = SampleView::of(sample, None, true)?;
        let mut file = ReadFile::from(read);
        file.dropped.extend(sample.dropped.iter().cloned());
        Ok(Self { sample, settings, file })
    }
}

/// The survey as samples of it are read.
async fn sampled_survey(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<SampledSurvey> {
    let questions = questions::of_survey(conn, id).await?;
    Ok(SampledSurvey::new(questions, &design::of_survey(conn, id).await?))
}

/// The name as it is stored.
fn checked_name(name: &str) -> Result<String> {
    match clean(name, MAX_SAMPLE_NAME) {
        Ok(name) if name.is_empty() => Err(ApiError::invalid("name: must not be empty")),
        Ok(name) => Ok(name),
        Err(reason) => Err(ApiError::Invalid(format!("name: {reason}"))),
    }
}

/// The settings as they are stored.
fn stored(settings: &ComparisonOptions) -> Result<serde_json::Value> {
    let json = serde_json::to_string(settings).map_err(ApiError::internal)?;
    if json.contains("\\u0000") {
        return Err(ApiError::invalid("a column, a question or a cell contains a NUL character"));
    }
    serde_json::from_str(&json).map_err(ApiError::internal)
}
