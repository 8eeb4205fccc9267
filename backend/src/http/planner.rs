//! How many people a study takes, and which mix of people and twins is cheapest.

use actix_web::HttpResponse;
use actix_web::web::Data;
use evidence::planner::{PlannedStudy, StudyToPlan};

use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::models::personas;

/// How many people a study takes, and of a mix how many twins
///
/// No more twins than there are. What the figures rest on: `docs/evidence.md`.
#[utoipa::path(post, path = "", responses((status = 200, description = "How many to ask", body = PlannedStudy)))]
pub async fn plan(app: Data<App>, _: Caller, Json(asked): Json<StudyToPlan>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let twins = match personas::current_set(&mut conn).await? {
        Some(set) => personas::count(&mut conn, set.id).await?,
        None => 0,
    };
    let planned = asked.answer(usize::try_from(twins).unwrap_or_default()).map_err(ApiError::Invalid)?;
    Ok(HttpResponse::Ok().json(planned))
}
