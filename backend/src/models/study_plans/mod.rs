//! Plans of studies: a researcher's commitment before looking at answers.
//!
//! A plan belongs to a survey. It is a draft until it is frozen; then the database refuses every change. Its study may
//! be started before or after the freeze. While a draft is blind, nobody sees results of its study.

pub mod deviations;
pub mod differences;
pub mod document;
pub mod freeze;
pub mod links;
pub mod not_found;
pub mod planned;
mod refusal;
pub mod twins;

use chrono::{DateTime, Utc};
use diesel::dsl::{auto_type, exists, not};
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use self::deviations::NewDeviation;
use self::differences::{PlanDifference, StartedRuns};
use self::document::PlanDocument;
use self::refusal::MAX_PLANS;
pub use self::refusal::PlanRefusal;
use crate::models::json::unreadable;
use crate::models::run::{Parameters, Snapshot};
use crate::schema::{frozen_plans, simulations, studies, study_plans, study_runs};

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

pub async fn create(
    conn: &mut AsyncPgConnection,
    survey_id: i64,
    created_by: i64,
    document: &PlanDocument,
) -> Result<StudyPlan, PlanRefusal> {
    document.check()?;
    let (_, plans) = of_survey(conn, survey_id, 0, 0).await?;
    if plans >= MAX_PLANS {
        return Err(PlanRefusal::TooMany);
    }
    Ok(insert(conn, survey_id, None, created_by, document).await?)
}

async fn insert(
    conn: &mut AsyncPgConnection,
    survey_id: i64,
    study_id: Option<i64>,
    created_by: i64,
    document: &PlanDocument,
) -> QueryResult<StudyPlan> {
    diesel::insert_into(study_plans::table)
        .values((
            study_plans::survey_id.eq(survey_id),
            study_plans::study_id.eq(study_id),
            study_plans::created_by.eq(created_by),
            study_plans::document.eq(json(document)?),
            study_plans::blind.eq(document.blind),
        ))
        .returning(StudyPlan::as_returning())
        .get_result(conn)
        .await
}

fn json(document: &PlanDocument) -> QueryResult<Value> {
    serde_json::to_value(document).map_err(|error| diesel::result::Error::SerializationError(Box::new(error)))
}

/// Returns the plan and whether it is frozen, locked until the transaction ends: nobody changes it, freezes it or
/// starts a study with it meanwhile.
async fn lock(conn: &mut AsyncPgConnection, id: i64) -> Result<(StudyPlan, bool), PlanRefusal> {
    let plan = study_plans::table.find(id).select(StudyPlan::as_select()).for_update();
    let plan = plan.first(conn).await.optional()?.ok_or(PlanRefusal::NotFound)?;
    let frozen = diesel::select(exists(frozen_plans::table.find(id))).get_result(conn).await?;
    Ok((plan, frozen))
}

/// Saves a draft. `expected`: when the draft that is to be replaced was saved. Errors: the plan is frozen, the draft is not
/// the expected one, or its study was started and `blind` is another.
pub async fn save(
    conn: &mut AsyncPgConnection,
    id: i64,
    document: &PlanDocument,
    expected: Option<DateTime<Utc>>,
) -> Result<(), PlanRefusal> {
    document.check()?;
    conn.transaction(async |conn| {
        let (plan, frozen) = lock(conn, id).await?;
        if frozen {
            return Err(PlanRefusal::Frozen);
        }
        if expected.is_some_and(|expected| expected != plan.updated_at) {
            return Err(PlanRefusal::Changed);
        }
        if plan.study_id.is_some() && plan.blind != document.blind {
            return Err(PlanRefusal::Started);
        }
        diesel::update(study_plans::table.find(id))
            .set((
                study_plans::document.eq(json(document)?),
                study_plans::blind.eq(document.blind),
                study_plans::updated_at.eq(diesel::dsl::now),
            ))
            .execute(conn)
            .await?;
        Ok(())
    })
    .await
}

/// Deletes a draft without a study: with one, its deletion would reveal hidden results.
pub async fn remove(conn: &mut AsyncPgConnection, id: i64) -> Result<(), PlanRefusal> {
    conn.transaction(async |conn| {
        match lock(conn, id).await? {
            (_, true) => return Err(PlanRefusal::Frozen),
            (plan, false) if plan.study_id.is_some() => return Err(PlanRefusal::Started),
            _ => {}
        }
        diesel::delete(study_plans::table.find(id)).execute(conn).await?;
        Ok(())
    })
    .await
}

/// Reveals hidden results before the freeze, and notes this as a deviation.
pub async fn look(conn: &mut AsyncPgConnection, id: i64, who: i64) -> Result<(), PlanRefusal> {
    conn.transaction(async |conn| {
        let (plan, frozen) = lock(conn, id).await?;
        let study = plan.study_id.filter(|_| plan.blind && plan.looked_at.is_none() && !frozen);
        let study = study.ok_or(PlanRefusal::NotHidden)?;
        diesel::update(study_plans::table.find(id))
            .set(study_plans::looked_at.eq(diesel::dsl::now))
            .execute(conn)
            .await?;
        let answers = answers(conn, study).await?;
        let looked = PlanDifference::new(
            "data",
            Some("hidden until the freeze".into()),
            Some(format!("looked at data before the freeze: {answers} answers")),
        );
        NewDeviation::new(id, Some(who), looked).note(conn).await?;
        Ok(())
    })
    .await
}

/// Counts the stored answers of a study.
async fn answers(conn: &mut AsyncPgConnection, study_id: i64) -> QueryResult<i64> {
    let runs = study_runs::table.filter(study_runs::study_id.eq(study_id)).select(study_runs::simulation_id);
    let counts: Vec<i32> = simulations::table
        .filter(simulations::id.eq_any(runs))
        .select(simulations::successful_requests)
        .load(conn)
        .await?;
    Ok(counts.into_iter().map(i64::from).sum())
}

/// Ties a new study to the plan, in the transaction that starts it, and notes the deviations if the plan is frozen.
pub async fn attach(
    conn: &mut AsyncPgConnection,
    plan_id: i64,
    (study_id, survey_id): (i64, i64),
    who: i64,
    survey: &Snapshot,
    started: &StartedRuns<'_>,
) -> Result<(), PlanRefusal> {
    let (plan, is_frozen) = lock(conn, plan_id).await?;
    if plan.survey_id != survey_id {
        return Err(PlanRefusal::OtherSurvey);
    }
    if plan.study_id.is_some() {
        return Err(PlanRefusal::HasStudy);
    }
    diesel::update(study_plans::table.find(plan_id)).set(study_plans::study_id.eq(study_id)).execute(conn).await?;
    if !is_frozen {
        return Ok(());
    }
    let Some(frozen) = freeze::of_plan(conn, plan_id).await? else { return Ok(()) };
    let content = frozen.content().map_err(unreadable)?;
    let survey = differences::of_survey(&content.survey, survey);
    let planned = &content.plan.run;
    let twins = twins::differences(conn, planned, content.twins.as_ref(), study_id).await?;
    for difference in differences::of_runs(planned, started).into_iter().chain(twins).chain(survey) {
        NewDeviation::new(plan_id, Some(who), difference).note(conn).await?;
    }
    Ok(())
}

/// Returns the parameters of a study's runs, and how many personas each has.
async fn started_runs(conn: &mut AsyncPgConnection, study_id: i64) -> QueryResult<(Vec<Parameters>, i32)> {
    let runs: Vec<(Value, i32)> = simulations::table
        .inner_join(study_runs::table)
        .filter(study_runs::study_id.eq(study_id))
        .order(simulations::id)
        .select((simulations::parameters, simulations::persona_count))
        .load(conn)
        .await?;
    let twins = runs.as_slice().first().map_or(0, |(_, twins)| *twins);
    let read = |(parameters, _)| serde_json::from_value(parameters);
    let runs: serde_json::Result<Vec<Parameters>> = runs.into_iter().map(read).collect();
    Ok((runs.map_err(unreadable)?, twins))
}
