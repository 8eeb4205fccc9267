//! Ties studies to their plans, and reads what they started with.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use simulation::parameters::Parameters;
use simulation::plans::differences::{self, StartedRuns};
use simulation::snapshot::Snapshot;

use super::changes::lock;
use super::deviations::NewDeviation;
use super::refusal::PlanRefusal;
use super::{frozen, twins};
use crate::models::json::unreadable;
use crate::schema::{simulations, study_plans, study_runs};

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
    let Some(frozen) = frozen::of_plan(conn, plan_id).await? else { return Ok(()) };
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
pub(super) async fn started_runs(conn: &mut AsyncPgConnection, study_id: i64) -> QueryResult<(Vec<Parameters>, i32)> {
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
