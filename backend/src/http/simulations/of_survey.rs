//! Calls of a run for the latest run of a survey, as lists of surveys use them.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use uuid::Uuid;

use super::control::change;
use super::progress::{ReportedProgress, refresh, show};
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::Result;
use crate::http::extract::Json;
use crate::models::simulations::overview::SimulationOverview;
use crate::models::simulations::progress::Progress;
use crate::models::simulations::{control, reconcile};

/// How far the survey's latest run is
#[utoipa::path(
    get, path = "",
    responses((status = 200, description = "No older than a quarter of a second", body = Progress))
)]
pub async fn latest_progress(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let (run, _) = latest(&app, &caller, *id).await?;
    show(&app, run).await
}

/// How far the survey's latest run is: the same as its progress
#[utoipa::path(
    get, path = "",
    responses((status = 200, description = "No older than a quarter of a second", body = Progress))
)]
pub async fn latest_live_progress(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let (run, _) = latest(&app, &caller, *id).await?;
    show(&app, run).await
}

/// How far the survey's latest run is, after its state and counters were made to agree with its answers
#[utoipa::path(get, path = "", responses((status = 200, description = "As it is now", body = Progress)))]
pub async fn latest_refresh_status(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let (run, _) = latest(&app, &caller, *id).await?;
    refresh(&app, run).await
}

/// Takes a client's idea of the latest run's progress, and answers with the counted one
#[utoipa::path(post, path = "", responses((status = 200, description = "As counted", body = Progress)))]
pub async fn latest_update_progress(
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
    post, path = "",
    responses(
        (status = 200, description = "The run as it is now", body = SimulationOverview),
        (status = 409, description = "Running: its counters move with its answers")
    )
)]
pub async fn latest_reset_counters(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let (_, run) = latest(&app, &caller, *id).await?;
    change(&app, &caller, run, reconcile::reset_counters).await
}

/// Ends the survey's active run: answers stay, unspent credits come back
#[utoipa::path(
    post, path = "",
    responses(
        (status = 200, description = "The run as it is now", body = SimulationOverview),
        (status = 409, description = "Over already")
    )
)]
pub async fn latest_stop(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let (_, run) = latest(&app, &caller, *id).await?;
    change(&app, &caller, run, control::stop).await
}

/// Pauses the survey's active run: calls under way finish and count, no new one starts
#[utoipa::path(
    post, path = "",
    responses(
        (status = 200, description = "The run as it is now", body = SimulationOverview),
        (status = 409, description = "Neither queued nor running")
    )
)]
pub async fn latest_pause(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let (_, run) = latest(&app, &caller, *id).await?;
    change(&app, &caller, run, control::pause).await
}

/// Lets the survey's paused run go on where it stopped
#[utoipa::path(
    post, path = "",
    responses(
        (status = 200, description = "The run as it is now", body = SimulationOverview),
        (status = 409, description = "Not paused")
    )
)]
pub async fn latest_resume(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let (_, run) = latest(&app, &caller, *id).await?;
    change(&app, &caller, run, control::resume).await
}

/// The survey's latest run by both its ids, if the caller sees it. Gives the connection back, since reading progress may
/// need one.
async fn latest(app: &App, caller: &Caller, survey_id: i64) -> Result<(i64, Uuid)> {
    let mut conn = db::checkout(&app.pool).await?;
    Ok(rules::latest_run(&mut conn, caller, survey_id).await?)
}
