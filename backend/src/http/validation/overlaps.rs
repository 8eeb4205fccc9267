//! Questions of a survey that the twins' profiles hold already.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use tokio::task::spawn_blocking;

use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::models::{held_out, personas, questions};
use crate::validation::guard::{ProfileOverlap, overlaps};

/// Questions of a survey whose words stand in the questions that the twins' profiles were made from
///
/// A twin does not predict the answer to such a question: it has read it. Ask before a start.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/leaks", tag = "Validation",
    operation_id = "list_profile_overlaps",
    params(("surveyId" = i64, Path, example = 12)),
    responses((status = 200, description = "In the survey's order; none: nothing overlaps", body = Vec<ProfileOverlap>))
)]
pub async fn list(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    rules::survey(&mut conn, &caller, *id, Right::See).await?;
    let Some(set) = personas::current_set(&mut conn).await? else {
        return Ok(HttpResponse::Ok().json(Vec::<ProfileOverlap>::new()));
    };
    let questions = questions::of_survey(&mut conn, *id).await?;
    let profile = held_out::profile(&mut conn, set.id).await?;
    drop(conn);
    let found = spawn_blocking(move || overlaps(&questions, &profile)).await.map_err(ApiError::internal)?;
    Ok(HttpResponse::Ok().json(found))
}
