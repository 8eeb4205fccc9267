//! Questions of a survey that the twins' profiles hold already.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};

use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::Result;
use crate::http::extract::admit;
use crate::models::{held_out, personas, questions};
use crate::validation::guard::{ProfileOverlap, overlaps};
use crate::work::Work;

/// Questions of a survey whose words stand in the questions that the twins' profiles were made from
///
/// A twin does not predict the answer to such a question: it has read it. Ask before a start.
#[utoipa::path(
    get, path = "", operation_id = "list_profile_overlaps",
    responses(
        (status = 200, description = "In the survey's order; none: nothing overlaps", body = Vec<ProfileOverlap>),
        (status = 429, description = "Twelve such calls of the caller are under way; see Retry-After")
    )
)]
pub async fn list(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    rules::survey(&mut *db::checkout(&app.pool).await?, &caller, *id, Right::See).await?;
    let permit = admit(&app, caller.id, Work::Design)?.start().await;
    let mut conn = db::checkout(&app.pool).await?;
    let Some(set) = personas::current_set(&mut conn).await? else {
        return Ok(HttpResponse::Ok().json(Vec::<ProfileOverlap>::new()));
    };
    let questions = questions::of_survey(&mut conn, *id).await?;
    let profile = held_out::profile(&mut conn, set.id).await?;
    drop(conn);
    Ok(HttpResponse::Ok().json(permit.blocking(move || overlaps(&questions, &profile)).await?))
}
