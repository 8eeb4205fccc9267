//! How far the repeats of a validation can be believed as forecasts.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use evidence::calibration::Calibration;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::validation_of;
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::Result;
use crate::http::extract::admit;
use crate::validation::calibration::calibration;
use crate::work::Work;

/// Repeats of a validation as forecasts of what people answered first.
#[derive(Debug, Serialize, ToSchema)]
struct ValidationCalibration {
    /// The twins' arm that was asked several times.
    #[schema(example = "wave1_3")]
    headline: String,
    /// Null: nothing was asked several times, or not answered in all repeats.
    calibration: Option<Calibration>,
}

/// How far the shares of a validation's repeats can be believed as forecasts of what people answered first
///
/// Of the answers that are there, to questions with one option as the answer. What each figure means: `docs/evidence.md`.
#[utoipa::path(
    get, path = "", operation_id = "show_validation_calibration",
    responses(
        (status = 200, description = "Scores and the chart's bins", body = ValidationCalibration),
        (status = 409, description = "The study is no validation"),
        (status = 429, description = "Twelve such calls of the caller are under way; see Retry-After")
    )
)]
pub async fn show(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let study = validation_of(&mut conn, &caller, *id).await?;
    drop(conn);
    let permit = admit(&app, caller.id, Work::Comparison)?.start().await;
    let calibration = permit.scope(calibration(&app.pool, &study)).await?;
    Ok(HttpResponse::Ok().json(ValidationCalibration { headline: study.headline, calibration }))
}
