//! Access to people's answers to a survey: only its author has them.

use diesel_async::AsyncPgConnection;
use uuid::Uuid;

use super::{AccessRefusal, Caller, Right, survey};
use crate::models::human_samples::{self, HumanSample};

/// Returns the sample with the id that the API shows, if the caller has the right to its survey.
pub async fn human_sample(
    conn: &mut AsyncPgConnection,
    caller: &Caller,
    sample_id: Uuid,
    right: Right,
) -> Result<HumanSample, AccessRefusal> {
    let missing = || AccessRefusal::NotThere("Sample");
    let sample = human_samples::find(conn, sample_id).await?.ok_or_else(missing)?;
    match survey(conn, caller, sample.survey_id, right).await {
        Ok(_) => Ok(sample),
        Err(AccessRefusal::NotThere(_)) => Err(missing()),
        Err(refusal) => Err(refusal),
    }
}

/// Fails unless the caller is the survey's author, even for super administrators, who own everything else.
pub async fn peoples_rows(conn: &mut AsyncPgConnection, caller: &Caller, survey_id: i64) -> Result<(), AccessRefusal> {
    let survey = survey(conn, caller, survey_id, Right::See).await?;
    match survey.user_id == caller.id {
        true => Ok(()),
        false => Err(AccessRefusal::Forbidden("Only the survey's author may pass on rows of people's answers")),
    }
}
