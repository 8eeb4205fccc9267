//! Names of a survey that change everywhere at once.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::{Deserialize, Serialize};
use survey::question::Question;
use survey::rename::Rename;
use utoipa::ToSchema;

use super::design::DesignOfSurvey;
use super::for_owner;
use crate::app::App;
use crate::auth::rules::Caller;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::models::surveys::renaming;

#[derive(Debug, Deserialize, ToSchema)]
pub struct NewName {
    #[serde(flatten)]
    rename: Rename,
    /// Hash of the design that the caller knows, against lost updates.
    #[serde(default, rename = "expectedHash", alias = "expected_hash")]
    expected_hash: Option<String>,
}

/// A survey after a renaming.
#[derive(Debug, Serialize, ToSchema)]
struct RenamedSurvey {
    /// All of them, in the survey's order.
    questions: Vec<Question>,
    design: DesignOfSurvey,
}

/// Renames a question, a field, an arm or a block wherever it is read
///
/// Changes texts, options, conditions and the flow, all or nothing. The same call with `from` and `to` exchanged takes it back.
#[utoipa::path(
    post, path = "/surveys/{surveyId}/rename", tag = "Surveys",
    operation_id = "rename_in_survey",
    params(("surveyId" = i64, Path, example = 12)),
    request_body = NewName,
    responses(
        (status = 200, description = "The survey as it is now", body = RenamedSurvey),
        (status = 400, description = "Nothing has the old name, or the new one is not allowed"),
        (status = 409, description = "The survey is locked, its design is not the expected one, or the name is taken")
    )
)]
pub async fn rename_in_survey(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Json(new): Json<NewName>,
) -> Result<HttpResponse> {
    let mut conn = for_owner(&app, &caller, *id).await?;
    let (questions, design) = renaming::rename(&mut conn, *id, &new.rename, new.expected_hash.as_deref()).await?;
    let design = DesignOfSurvey::new(&design).map_err(ApiError::internal)?;
    Ok(HttpResponse::Ok().json(RenamedSurvey { questions, design }))
}
