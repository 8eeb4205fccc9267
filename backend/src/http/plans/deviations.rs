//! What was done otherwise than planned, and why.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::PlanView;
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::models::study_plans::deviations::{Deviation, give_reason};

/// In characters.
const MAX_REASON: usize = 2_000;

/// Something that was done otherwise than planned. It stays; a reason can be added once.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Deviation)]
pub struct NotedDeviation {
    #[schema(example = 3)]
    id: i64,
    at: DateTime<Utc>,
    /// The name of who did it; null where it is not known.
    #[schema(example = "Ada Lovelace")]
    who: Option<String>,
    /// `run: seed`, `question fair: text`, `data`, `analysis` or alike.
    #[schema(example = "run: personaCount")]
    field: String,
    /// As planned; null: it was not there.
    #[schema(example = "200")]
    before: Option<String>,
    /// As done; null: it is not there.
    #[schema(example = "150")]
    after: Option<String>,
    #[schema(example = json!(null))]
    reason: Option<String>,
    reason_at: Option<DateTime<Utc>>,
}

impl From<(Deviation, Option<String>)> for NotedDeviation {
    fn from((of, who): (Deviation, Option<String>)) -> Self {
        let Deviation { id, at, field, before, after, reason, reason_at } = of;
        Self { id, at, who, field, before, after, reason, reason_at }
    }
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct DeviationReason {
    #[schema(example = "The budget was cut.", min_length = 1, max_length = 2000)]
    reason: String,
}

/// Says why something was done otherwise (the survey's author)
///
/// Once: a reason that was given stays.
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
