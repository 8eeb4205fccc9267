//! Deviations from frozen plans, and their reasons.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::PlanView;
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::models::study_plans::deviations::give_reason;

/// Length limit of a reason in characters.
const MAX_REASON: usize = 2_000;

#[derive(Debug, Deserialize, ToSchema)]
pub struct DeviationReason {
    #[schema(example = "The budget was cut.", min_length = 1, max_length = 2000)]
    reason: String,
}

/// Gives the reason of a deviation (the survey's author)
///
/// A reason can be given once.
#[utoipa::path(
    patch, path = "",
    responses(
        (status = 200, description = "The plan as it is now", body = PlanView),
        (status = 409, description = "The deviation has a reason already")
    )
)]
pub async fn give_reason_of_deviation(
    app: Data<App>,
    caller: Caller,
    path: Path<(Uuid, i64)>,
    Json(DeviationReason { reason }): Json<DeviationReason>,
) -> Result<HttpResponse> {
    let (plan_id, id) = *path;
    let reason = reason.trim();
    if reason.is_empty() || reason.chars().count() > MAX_REASON {
        return Err(ApiError::Invalid(format!("reason must have 1 to {MAX_REASON} characters")));
    }
    let mut conn = db::checkout(&app.pool).await?;
    let plan = rules::plan(&mut conn, &caller, plan_id, Right::Own).await?;
    give_reason(&mut conn, plan.id, id, reason).await?;
    Ok(HttpResponse::Ok().json(PlanView::again(&mut conn, &caller, plan_id).await?))
}
