//! Changes of plans: each locks the plan, so that no two happen at once.

use chrono::{DateTime, Utc};
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use simulation::plans::differences::PlanDifference;
use simulation::plans::document::PlanDocument;

use super::deviations::NewDeviation;
use super::refusal::{MAX_PLANS, PlanRefusal};
use super::{StudyPlan, of_survey};
use crate::schema::{frozen_plans, simulations, study_plans, study_runs};

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

pub(super) async fn insert(
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
pub(super) async fn lock(conn: &mut AsyncPgConnection, id: i64) -> Result<(StudyPlan, bool), PlanRefusal> {
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
pub(super) async fn answers(conn: &mut AsyncPgConnection, study_id: i64) -> QueryResult<i64> {
    let runs = study_runs::table.filter(study_runs::study_id.eq(study_id)).select(study_runs::simulation_id);
    let counts: Vec<i32> = simulations::table
        .filter(simulations::id.eq_any(runs))
        .select(simulations::successful_requests)
        .load(conn)
        .await?;
    Ok(counts.into_iter().map(i64::from).sum())
}
