//! People's answers to a survey: its author has them, and nobody else.

use diesel_async::AsyncPgConnection;
use uuid::Uuid;

use super::{AccessRefusal, Caller, Right, survey};
use crate::models::human_samples::{self, HumanSample};

/// The sample by the id that the API shows, if the caller has the right to its survey.
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
