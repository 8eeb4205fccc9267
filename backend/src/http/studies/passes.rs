//! Another pass of all runs of a study that take it. Each holds its own credits; there are credits for all or none begins.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use uuid::Uuid;

use super::StudyOverview;
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::Result;
use crate::http::idempotency::IdempotencyKey;
use crate::models::simulations::passes::Pass;
use crate::models::studies;

/// Asks the failed requests of every run of a study that is over once more, for as many credits
///
/// Runs without failed requests, and those that are not over, stay as they are. Sent again under the same
/// `Idempotency-Key`, it answers the same and asks nothing.
#[utoipa::path(
    post, path = "",
    params(IdempotencyKey),
    responses(
        (status = 200, description = "The study, those runs queued again", body = StudyOverview),
        (
            status = 402,
            description = "Not enough credits; the message says how many all runs need and how many are available"
        ),
        (
            status = 409,
            description = "No run is over and has failed requests, the survey has an active run of its own, or the key was used for something else"
        )
    )
)]
pub async fn retry_failed_of_study(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    key: IdempotencyKey,
) -> Result<HttpResponse> {
    again(&app, &caller, *id, key, Pass::RetryFailed).await
}

/// Goes on with every stopped run of a study: asks what is neither answered nor failed, for as many credits
///
/// Until a run's pass ends, as many credits are set aside for what had failed of it. Sent again under the same
/// `Idempotency-Key`, it answers the same and asks nothing.
#[utoipa::path(
    post, path = "",
    params(IdempotencyKey),
    responses(
        (status = 200, description = "The study, those runs queued again", body = StudyOverview),
        (
            status = 402,
            description = "Not enough credits; the message says how many all runs need and how many are available"
        ),
        (
            status = 409,
            description = "No run is stopped and has open requests, the survey has an active run of its own, or the key was used for something else"
        )
    )
)]
pub async fn continue_study(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    key: IdempotencyKey,
) -> Result<HttpResponse> {
    again(&app, &caller, *id, key, Pass::GoOn).await
}

/// Begins another pass once, however often it is asked for under one key.
async fn again(app: &App, caller: &Caller, id: Uuid, key: IdempotencyKey, pass: Pass) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let study = rules::study(&mut conn, caller, id, Right::Control).await?;
    let mut begun = Vec::new();
    let answer = key
        .once(&mut conn, caller.id, &(), StatusCode::OK, async |conn| {
            begun = studies::begin_pass(conn, study, pass).await?;
            StudyOverview::find(conn, study).await
        })
        .await?;
    for run in begun {
        app.progress.forget(run);
    }
    Ok(answer)
}
