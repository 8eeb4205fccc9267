//! Plans of studies: a researcher's commitment before looking at answers.
//!
//! A plan belongs to a survey. It is a draft until it is frozen; then the database refuses every change. Its study may
//! be started before or after the freeze. While a draft is blind, nobody sees results of its study.

mod attachment;
mod changes;
pub mod deviations;
pub mod freeze;
pub mod frozen;
pub mod links;
pub mod planned;
mod refusal;
pub mod twins;

use chrono::{DateTime, Utc};
use diesel::dsl::{auto_type, exists, not};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use serde_json::Value;
use simulation::plans::document::PlanDocument;
use utoipa::ToSchema;
use uuid::Uuid;

pub use self::attachment::attach;
pub use self::changes::{create, look, remove, save};
pub use self::refusal::PlanRefusal;
use crate::schema::{frozen_plans, studies, study_plans, study_runs};

/// A plan of a study.
#[derive(Clone, Debug, Queryable, Selectable, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StudyPlanRow)]
#[diesel(table_name = study_plans, check_for_backend(diesel::pg::Pg))]
pub struct StudyPlan {
    #[serde(skip)]
    pub id: i64,
    pub plan_id: Uuid,
    #[schema(example = 12)]
    pub survey_id: i64,
    /// The row of the study that was started by it.
    #[serde(skip)]
    pub study_id: Option<i64>,
    /// A [`PlanDocument`].
    #[serde(skip)]
    pub document: Value,
    /// Results are hidden until it is frozen or somebody looks.
    #[serde(skip)]
    pub blind: bool,
    /// When somebody looked at hidden results before the freeze.
    pub looked_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

impl StudyPlan {
    pub fn document(&self) -> serde_json::Result<PlanDocument> {
        serde_json::from_value(self.document.clone())
    }
}

/// Whether the plan of `study_plans` hides the results of its study.
#[auto_type]
fn hides() -> _ {
    let frozen = frozen_plans::table.filter(frozen_plans::plan_id.eq(study_plans::id));
    study_plans::blind.and(study_plans::looked_at.is_null()).and(not(exists(frozen)))
}

/// Whether the run's results are hidden because the blind plan of its study is neither frozen nor looked past.
pub async fn hides_results(conn: &mut AsyncPgConnection, simulation_id: i64) -> QueryResult<bool> {
    let plans = study_plans::table
        .inner_join(study_runs::table.on(study_runs::study_id.nullable().eq(study_plans::study_id)))
        .filter(study_runs::simulation_id.eq(simulation_id))
        .filter(hides());
    diesel::select(exists(plans)).get_result(conn).await
}

/// Fails if a blind plan hides the run's results.
pub async fn must_be_shown(conn: &mut AsyncPgConnection, simulation_id: i64) -> Result<(), PlanRefusal> {
    if hides_results(conn, simulation_id).await? { Err(PlanRefusal::Hidden) } else { Ok(()) }
}

/// Fails if a blind plan hides the study's results.
pub async fn study_must_be_shown(conn: &mut AsyncPgConnection, study_id: i64) -> Result<(), PlanRefusal> {
    if hides_study(conn, study_id).await? { Err(PlanRefusal::Hidden) } else { Ok(()) }
}

/// Whether a blind plan hides the study's results.
pub async fn hides_study(conn: &mut AsyncPgConnection, study_id: i64) -> QueryResult<bool> {
    let plans = study_plans::table.filter(study_plans::study_id.eq(study_id)).filter(hides());
    diesel::select(exists(plans)).get_result(conn).await
}

/// Finds a plan by the id that the API shows.
pub async fn find(conn: &mut AsyncPgConnection, plan_id: Uuid) -> QueryResult<Option<StudyPlan>> {
    let plan = study_plans::table.filter(study_plans::plan_id.eq(plan_id));
    plan.select(StudyPlan::as_select()).first(conn).await.optional()
}

/// Returns the plan that a study was started or frozen with.
pub async fn of_study(conn: &mut AsyncPgConnection, study_id: i64) -> QueryResult<Option<StudyPlan>> {
    let plan = study_plans::table.filter(study_plans::study_id.eq(study_id));
    plan.select(StudyPlan::as_select()).first(conn).await.optional()
}

/// Returns the plan of the study that the run belongs to.
pub async fn of_run(conn: &mut AsyncPgConnection, simulation_id: i64) -> QueryResult<Option<StudyPlan>> {
    let plans = study_plans::table
        .inner_join(study_runs::table.on(study_runs::study_id.nullable().eq(study_plans::study_id)))
        .filter(study_runs::simulation_id.eq(simulation_id));
    plans.select(StudyPlan::as_select()).first(conn).await.optional()
}

/// Returns the plans of a survey, newest first, and how many there are.
pub async fn of_survey(
    conn: &mut AsyncPgConnection,
    survey_id: i64,
    limit: i64,
    offset: i64,
) -> QueryResult<(Vec<StudyPlan>, i64)> {
    let of_survey = || study_plans::table.filter(study_plans::survey_id.eq(survey_id));
    let rows = of_survey().order(study_plans::id.desc()).limit(limit).offset(offset);
    let rows = rows.select(StudyPlan::as_select()).load(conn).await?;
    Ok((rows, of_survey().count().get_result(conn).await?))
}

/// Returns the API's id of a plan's study.
pub async fn study_of(conn: &mut AsyncPgConnection, plan: &StudyPlan) -> QueryResult<Option<Uuid>> {
    let Some(study) = plan.study_id else { return Ok(None) };
    studies::table.find(study).select(studies::study_id).first(conn).await.optional()
}
