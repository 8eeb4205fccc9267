//! Access to plans: everybody who sees the survey sees them, its author changes and freezes them.

use diesel_async::AsyncPgConnection;
use uuid::Uuid;

use super::{AccessRefusal, Caller, Right, survey};
use crate::models::study_plans::{self, StudyPlan};

/// Returns the plan with the id that the API shows, if the caller has the right to its survey.
pub async fn plan(
    conn: &mut AsyncPgConnection,
    caller: &Caller,
    plan_id: Uuid,
    right: Right,
) -> Result<StudyPlan, AccessRefusal> {
    let missing = || AccessRefusal::NotThere("Plan");
    let plan = study_plans::find(conn, plan_id).await?.ok_or_else(missing)?;
    match survey(conn, caller, plan.survey_id, right).await {
        Ok(_) => Ok(plan),
        Err(AccessRefusal::NotThere(_)) => Err(missing()),
        Err(refusal) => Err(refusal),
    }
}
