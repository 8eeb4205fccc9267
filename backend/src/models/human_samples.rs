//! People's answers to a survey, as far as they are stored.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use evidence::options::ComparisonOptions;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::schema::{human_samples, surveys, users};

/// Upper limit of samples for each survey.
pub const MAX_SAMPLES: i64 = 20;
/// Upper limit of a sample's compressed size.
pub const MAX_SAMPLE_BYTES: usize = 16 * 1024 * 1024;
/// Length limit of a name in characters.
pub const MAX_SAMPLE_NAME: usize = 120;

/// Answers of people to a survey, without their rows, which no caller receives.
#[derive(Clone, Debug, Queryable, Selectable, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = HumanSampleRow)]
#[diesel(table_name = human_samples, check_for_backend(diesel::pg::Pg))]
pub struct HumanSample {
    #[serde(skip)]
    pub id: i64,
    pub sample_id: Uuid,
    #[schema(example = 12)]
    pub survey_id: i64,
    #[serde(skip)]
    pub created_by: i64,
    #[schema(example = "Panel, May 2026")]
    pub name: String,
    /// Rows that are kept.
    #[schema(example = 412)]
    pub people: i32,
    /// Questions that have a column.
    #[serde(rename = "matchedQuestions")]
    pub matched: Vec<String>,
    /// Columns that were not kept, for the survey's owner.
    #[serde(skip)]
    pub dropped: Value,
    /// [`ComparisonOptions`].
    #[serde(skip)]
    pub settings: Value,
    pub created_at: DateTime<Utc>,
    /// When its name, its matching or another setting was last changed.
    pub updated_at: DateTime<Utc>,
}

impl HumanSample {
    pub fn settings(&self) -> serde_json::Result<ComparisonOptions> {
        serde_json::from_value(self.settings.clone())
    }
}

#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = human_samples)]
pub struct NewHumanSample {
    pub survey_id: i64,
    pub created_by: i64,
    pub name: String,
    pub people: i32,
    pub matched: Vec<String>,
    pub dropped: Value,
    pub settings: Value,
    pub content: Vec<u8>,
}

impl NewHumanSample {
    /// Stores the sample. `None`: the survey has [`MAX_SAMPLES`] or was deleted meanwhile.
    pub async fn create(self, conn: &mut AsyncPgConnection) -> QueryResult<Option<HumanSample>> {
        conn.transaction(async |conn| {
            // The lock makes parallel calls wait, so that each is counted.
            let survey = surveys::table.find(self.survey_id).filter(surveys::deleted_at.is_null());
            let survey: Option<i64> = survey.select(surveys::id).for_no_key_update().first(conn).await.optional()?;
            let of_survey = human_samples::table.filter(human_samples::survey_id.eq(self.survey_id));
            let has: i64 = of_survey.count().get_result(conn).await?;
            if survey.is_none() || has >= MAX_SAMPLES {
                return Ok(None);
            }
            let created = diesel::insert_into(human_samples::table).values(self);
            created.returning(HumanSample::as_returning()).get_result(conn).await.map(Some)
        })
        .await
    }
}

/// Returns the sample with the id that the API shows.
pub async fn find(conn: &mut AsyncPgConnection, sample_id: Uuid) -> QueryResult<Option<HumanSample>> {
    human_samples::table
        .filter(human_samples::sample_id.eq(sample_id))
        .select(HumanSample::as_select())
        .first(conn)
        .await
        .optional()
}

/// Returns a survey's samples, newest first, each with its creator's name, and how many there are.
pub async fn of_survey(
    conn: &mut AsyncPgConnection,
    survey_id: i64,
    limit: i64,
    offset: i64,
) -> QueryResult<(Vec<(HumanSample, Option<String>)>, i64)> {
    let rows = human_samples::table
        .inner_join(users::table)
        .filter(human_samples::survey_id.eq(survey_id))
        .order(human_samples::id.desc())
        .limit(limit)
        .offset(offset)
        .select((HumanSample::as_select(), users::name))
        .load(conn)
        .await?;
    let all = human_samples::table.filter(human_samples::survey_id.eq(survey_id)).count();
    Ok((rows, all.get_result(conn).await?))
}

/// Returns the sample with this id, or the survey's newest one.
pub async fn chosen(
    conn: &mut AsyncPgConnection,
    survey_id: i64,
    sample_id: Option<Uuid>,
) -> QueryResult<Option<HumanSample>> {
    let mut samples = human_samples::table.filter(human_samples::survey_id.eq(survey_id)).into_boxed();
    if let Some(wanted) = sample_id {
        samples = samples.filter(human_samples::sample_id.eq(wanted));
    }
    samples.order(human_samples::id.desc()).select(HumanSample::as_select()).first(conn).await.optional()
}

/// Returns all samples of a survey, oldest first, and whether the survey is public.
pub async fn all_of(conn: &mut AsyncPgConnection, survey_id: i64) -> QueryResult<(Vec<HumanSample>, bool)> {
    let samples = human_samples::table
        .filter(human_samples::survey_id.eq(survey_id))
        .order(human_samples::id)
        .select(HumanSample::as_select())
        .load(conn)
        .await?;
    let visibility: Option<String> =
        surveys::table.find(survey_id).select(surveys::visibility).first(conn).await.optional()?;
    Ok((samples, visibility.is_none_or(|of| of != "PRIVATE")))
}

/// Returns the compressed rows of a sample.
pub async fn content(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Vec<u8>> {
    human_samples::table.find(id).select(human_samples::content).first(conn).await
}

/// A change to a sample; `None` leaves a field as it is.
#[derive(Clone, Debug, Default, AsChangeset)]
#[diesel(table_name = human_samples)]
pub struct SampleChanges {
    pub name: Option<String>,
    pub matched: Option<Vec<String>>,
    pub settings: Option<Value>,
}

impl SampleChanges {
    /// Applies the change. `None`: the sample was deleted meanwhile.
    pub async fn make(self, conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Option<HumanSample>> {
        diesel::update(human_samples::table.find(id))
            .set((self, human_samples::updated_at.eq(diesel::dsl::now)))
            .returning(HumanSample::as_returning())
            .get_result(conn)
            .await
            .optional()
    }
}

pub async fn remove(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<()> {
    diesel::delete(human_samples::table.find(id)).execute(conn).await.map(drop)
}

/// Removes all samples of a survey.
pub async fn remove_all(conn: &mut AsyncPgConnection, survey_id: i64) -> QueryResult<()> {
    let of_survey = human_samples::table.filter(human_samples::survey_id.eq(survey_id));
    diesel::delete(of_survey).execute(conn).await.map(drop)
}
