//! Another pass of a run: asking again what failed, and what a stop left open. Both set credits aside.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::OptionalJson;
use crate::http::idempotency::IdempotencyKey;
use crate::models::simulations::overview::{self, SimulationOverview};
use crate::models::simulations::passes::Pass;

#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Retry {
    /// The run's survey, to be sure; may be left out.
    #[serde(default, alias = "survey_id")]
    #[schema(example = json!(null))]
    survey_id: Option<i64>,
}

/// Asks the failed requests of a run that is over once more, for as many credits
///
/// Sent again under the same `Idempotency-Key`, it answers the same and asks nothing.
#[utoipa::path(
    post, path = "",
    params(IdempotencyKey),
    request_body = Option<Retry>,
    responses(
        (status = 200, description = "The run, queued again", body = SimulationOverview),
        (status = 402, description = "Not enough credits; the message says how many are needed and available"),
        (status = 409, description = "Not over yet, nothing failed, or the survey has another active run")
    )
)]
pub async fn retry_failed(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    key: IdempotencyKey,
    OptionalJson(asked): OptionalJson<Retry>,
) -> Result<HttpResponse> {
    let survey = asked.as_ref().and_then(|asked| asked.survey_id);
    again(&app, &caller, *id, survey, key, &asked, Pass::RetryFailed).await
}

/// Goes on with a stopped run: asks what is neither answered nor failed, for as many credits
///
/// Until the pass ends, as many credits are set aside for what had failed. Sent again under the same `Idempotency-Key`,
/// it answers the same and asks nothing.
#[utoipa::path(
    post, path = "",
    params(IdempotencyKey),
    responses(
        (status = 200, description = "The run, queued again", body = SimulationOverview),
        (status = 402, description = "Not enough credits; the message says how many are needed and available"),
        (status = 409, description = "Not stopped, nothing open, or the survey has another active run")
    )
)]
pub async fn continue_simulation(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    key: IdempotencyKey,
) -> Result<HttpResponse> {
    let asked = serde_json::json!({ "continue": *id });
    again(&app, &caller, *id, None, key, &asked, Pass::GoOn).await
}

/// Begins another pass once, however often it is asked for under one key. `survey`: whose run it has to be.
async fn again(
    app: &App,
    caller: &Caller,
    id: Uuid,
    survey: Option<i64>,
    key: IdempotencyKey,
    asked: &impl Serialize,
    pass: Pass,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let run = rules::simulation(&mut conn, caller, id, Right::Control).await?;
    if survey.is_some_and(|survey| survey != run.survey_id) {
        return Err(ApiError::not_found("Simulation"));
    }
    let answer = key
        .once(&mut conn, caller.id, asked, StatusCode::OK, async |conn| {
            pass.begin(conn, run.id).await?;
            Ok(overview::find(conn, run.id).await?)
        })
        .await?;
    app.progress.forget(run.id);
    Ok(answer)
}
