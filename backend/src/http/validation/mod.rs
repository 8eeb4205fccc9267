//! Held-out validation: what one would ask, starting one, what it found, and what that says of a run.

pub mod calibration;
pub mod figures;
pub mod offer;
pub mod overlaps;
pub mod start;
pub mod trust;

use diesel_async::AsyncPgConnection;
use uuid::Uuid;

use super::error::{ApiError, Result};
use crate::auth::rules::{self, Caller, Right};
use crate::models::study_plans::study_must_be_shown;
use crate::models::validations::{self, ValidationStudy};

/// The validation of the study, if the caller sees it.
async fn validation_of(conn: &mut AsyncPgConnection, caller: &Caller, id: Uuid) -> Result<ValidationStudy> {
    let study = rules::study(conn, caller, id, Right::See).await?;
    study_must_be_shown(conn, study).await?;
    validations::find(conn, study).await?.ok_or_else(|| ApiError::conflict("This study is no validation"))
}
