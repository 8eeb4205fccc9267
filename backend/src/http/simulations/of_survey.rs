//! The same calls for the latest run of a survey, as lists of surveys ask them.

use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, get, post};
use uuid::Uuid;

use super::control::change;
use super::progress::{ReportedProgress, refresh, show, watched};
use crate::app::App;
use crate::auth::rules::{self, Caller, Right, WatchedRun};
use crate::auth::token::Claims;
use crate::db;
use crate::http::error::Result;
use crate::http::extract::Json;
use crate::models::simulations::overview::Overview;
use crate::models::simulations::progress::Progress;
use crate::models::simulations::{control, reconcile};

resource!(
    "Simulations of a survey": latest_progress, latest_live_progress, latest_refresh_status, latest_update_progress,
    latest_reset_counters, latest_stop, latest_pause, latest_resume
);

/// How far the survey's latest run is
#[utoipa::path(
    params(("surveyId" = i64, Path, example = 12)),
    responses((status = 200, description = "No older than a quarter of a second", body = Progress))
)]
#[get("/simulations/survey/{surveyId}/progress")]
async fn latest_progress(app: Data<App>, claims: Claims, id: Path<i64>) -> Result<HttpResponse> {
    let run = watched(&app, &claims, WatchedRun::LatestOf(*id)).await?;
    show(&app, run).await
}

/// How far the survey's latest run is: the same as its progress
#[utoipa::path(
    params(("surveyId" = i64, Path, example = 12)),
    responses((status = 200, description = "No older than a quarter of a second", body = Progress))
)]
#[get("/simulations/survey/{surveyId}/live-progress")]
async fn latest_live_progress(app: Data<App>, claims: Claims, id: Path<i64>) -> Result<HttpResponse> {
    let run = watched(&app, &claims, WatchedRun::LatestOf(*id)).await?;
    show(&app, run).await
}

/// How far the survey's latest run is, after its state and counters were made to agree with its answers
#[utoipa::path(
    params(("surveyId" = i64, Path, example = 12)),
    responses((status = 200, description = "As it is now", body = Progress))
)]
#[get("/simulations/survey/{surveyId}/refresh-status")]
async fn latest_refresh_status(app: Data<App>, claims: Claims, id: Path<i64>) -> Result<HttpResponse> {
    let run = watched(&app, &claims, WatchedRun::LatestOf(*id)).await?;
    refresh(&app, run).await
}

/// Takes a client's idea of the latest run's progress, and answers with the counted one
#[utoipa::path(
    params(("surveyId" = i64, Path, example = 12)),
    request_body = ReportedProgress,
    responses((status = 200, description = "As counted", body = Progress))
)]
#[post("/simulations/survey/{surveyId}/update-progress")]
async fn latest_update_progress(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Json(reported): Json<ReportedProgress>,
) -> Result<HttpResponse> {
    reported.check()?;
    let (run, simulation_id) = latest(&app, &caller, *id).await?;
    let mut conn = db::checkout(&app.pool).await?;
    rules::simulation(&mut conn, &caller, simulation_id, Right::Control).await?;
    drop(conn);
    show(&app, run).await
}

/// Recounts every counter of the survey's latest run, unless it is running
#[utoipa::path(
    params(("surveyId" = i64, Path, example = 12)),
    responses(
        (status = 200, description = "The run as it is now", body = Overview),
        (status = 409, description = "Running: its counters move with its answers")
    )
)]
#[post("/simulations/survey/{surveyId}/reset-counters")]
async fn latest_reset_counters(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let (_, run) = latest(&app, &caller, *id).await?;
    change(&app, &caller, run, reconcile::reset_counters).await
}

/// Ends the survey's active run: answers stay, unspent credits come back
#[utoipa::path(
    params(("surveyId" = i64, Path, example = 12)),
    responses(
        (status = 200, description = "The run as it is now", body = Overview),
        (status = 409, description = "Over already")
    )
)]
#[post("/simulations/survey/{surveyId}/stop")]
async fn latest_stop(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let (_, run) = latest(&app, &caller, *id).await?;
    change(&app, &caller, run, control::stop).await
}

/// Pauses the survey's active run: calls under way finish and count, no new one starts
#[utoipa::path(
    params(("surveyId" = i64, Path, example = 12)),
    responses(
        (status = 200, description = "The run as it is now", body = Overview),
        (status = 409, description = "Neither queued nor running")
    )
)]
#[post("/simulations/survey/{surveyId}/pause")]
async fn latest_pause(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let (_, run) = latest(&app, &caller, *id).await?;
    change(&app, &caller, run, control::pause).await
}

/// Lets the survey's paused run go on where it stopped
#[utoipa::path(
    params(("surveyId" = i64, Path, example = 12)),
    responses(
        (status = 200, description = "The run as it is now", body = Overview),
        (status = 409, description = "Not paused")
    )
)]
#[post("/simulations/survey/{surveyId}/resume")]
async fn latest_resume(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let (_, run) = latest(&app, &caller, *id).await?;
    change(&app, &caller, run, control::resume).await
}

/// The latest run of the survey by both its ids, for who sees it. Gives the connection back: a look may need one.
async fn latest(app: &App, caller: &Caller, survey_id: i64) -> Result<(i64, Uuid)> {
    let mut conn = db::checkout(&app.pool).await?;
    Ok(rules::latest_run(&mut conn, caller, survey_id).await?)
}
