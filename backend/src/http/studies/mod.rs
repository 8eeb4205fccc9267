//! Studies: runs of one survey that belong together. Each is an ordinary run, which the calls of `/simulations` know.

pub mod bundle;
pub mod comparison;
pub mod names;
pub mod passes;
pub mod people;
pub mod start;

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use serde::Serialize;
use simulation::row::Simulation;
use simulation::status::Status;
use simulation::study::Study;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::Result;
use crate::http::page::{Page, PageQuery};
use crate::http::plans::PlanOfStudy;
use crate::models::simulations::overview::SimulationOverview;
use crate::models::simulations::{SimulationRefusal, control};
use crate::models::{studies, validations};

/// Runs of a survey over the same twins with the same seed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StudyOverview {
    study_id: Uuid,
    /// Name of the study; null: it has none.
    #[schema(example = "Baselines")]
    name: Option<String>,
    #[schema(example = json!(null))]
    note: Option<String>,
    #[schema(example = 12)]
    survey_id: Option<i64>,
    #[schema(example = "Everyday choices")]
    survey_title: Option<String>,
    #[serde(rename = "created_at")]
    created_at: DateTime<Utc>,
    /// RUNNING, QUEUED or PAUSED while a run is; then COMPLETED if all are, STOPPED if one is, and FAILED otherwise.
    status: Status,
    /// Sums over the runs.
    #[schema(example = 6000)]
    total_requests: i64,
    #[schema(example = 5990)]
    successful_requests: i64,
    #[schema(example = 10)]
    failed_requests: i64,
    skipped_requests: i64,
    /// Whether it compares twins with held-out answers: `GET /studies/{studyId}/validation`.
    is_validation: bool,
    /// Plan of the study; null: there is none.
    plan: Option<PlanOfStudy>,
    /// Runs in the order of the study's cells; `parameters` show their differences.
    runs: Vec<SimulationOverview>,
}

/// State of a study by the states of its runs.
fn status(runs: &[SimulationOverview]) -> Status {
    let any = |status: Status| runs.iter().any(|run| run.status == status);
    let running = [Status::Running, Status::Queued, Status::Pending, Status::Paused];
    match running.into_iter().find(|status| any(*status)) {
        Some(active) => active,
        None if runs.iter().all(|run| run.status == Status::Completed) => Status::Completed,
        None if any(Status::Stopped) => Status::Stopped,
        None => Status::Failed,
    }
}

impl StudyOverview {
    async fn of(conn: &mut AsyncPgConnection, study: Study) -> Result<Self> {
        let runs = studies::runs(conn, study.id).await?;
        let is_validation = validations::is_one(conn, study.id).await?;
        let plan = PlanOfStudy::find(conn, study.id).await?;
        let sum = |of: fn(&SimulationOverview) -> i32| runs.iter().map(|run| i64::from(of(run))).sum();
        Ok(Self {
            study_id: study.study_id,
            name: study.name,
            note: study.note,
            survey_id: runs.first().map(|run| run.survey_id),
            survey_title: runs.first().map(|run| run.survey_title.clone()),
            created_at: study.created_at,
            status: status(&runs),
            total_requests: sum(|run| run.total_requests),
            successful_requests: sum(|run| run.successful_requests),
            failed_requests: sum(|run| run.failed_requests),
            skipped_requests: sum(|run| run.skipped_requests),
            is_validation,
            plan,
            runs,
        })
    }

    pub(in crate::http) async fn find(conn: &mut AsyncPgConnection, id: i64) -> Result<Self> {
        let study = studies::find(conn, id).await?;
        Self::of(conn, study).await
    }
}

/// The studies of a survey with their runs, newest first
#[utoipa::path(
    get, path = "",
    params(PageQuery),
    responses((status = 200, description = "A page of them", body = Vec<StudyOverview>))
)]
pub async fn list_studies(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    page: PageQuery,
) -> Result<Page<StudyOverview>> {
    let mut conn = db::checkout(&app.pool).await?;
    rules::survey(&mut conn, &caller, *id, Right::See).await?;
    let (found, total) = studies::of_survey(&mut conn, *id, page.limit, page.offset).await?;
    let mut rows = Vec::with_capacity(found.len());
    for study in found {
        rows.push(StudyOverview::of(&mut conn, study).await?);
    }
    Ok(Page { rows, total })
}

/// A study with its runs
#[utoipa::path(get, path = "", responses((status = 200, description = "As it is now", body = StudyOverview)))]
pub async fn show_study(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let study = rules::study(&mut conn, &caller, *id, Right::See).await?;
    Ok(HttpResponse::Ok().json(StudyOverview::find(&mut conn, study).await?))
}

/// Pauses every run of a study that is queued or running: calls under way finish and count
#[utoipa::path(
    post, path = "",
    responses(
        (status = 200, description = "The study as it is now", body = StudyOverview),
        (status = 409, description = "No run is queued or running")
    )
)]
pub async fn pause_study(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    change(&app, &caller, *id, control::pause).await
}

/// Lets every paused run of a study go on where it stopped
#[utoipa::path(
    post, path = "",
    responses(
        (status = 200, description = "The study as it is now", body = StudyOverview),
        (status = 409, description = "No run is paused")
    )
)]
pub async fn resume_study(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    change(&app, &caller, *id, control::resume).await
}

/// Ends every active run of a study: answers stay, unspent credits come back
#[utoipa::path(
    post, path = "",
    responses(
        (status = 200, description = "The study as it is now", body = StudyOverview),
        (status = 409, description = "All runs are over already")
    )
)]
pub async fn stop_study(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    change(&app, &caller, *id, control::stop).await
}

async fn change(
    app: &App,
    caller: &Caller,
    id: Uuid,
    action: impl AsyncFn(&mut AsyncPgConnection, i64) -> std::result::Result<Simulation, SimulationRefusal>,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let study = rules::study(&mut conn, caller, id, Right::Control).await?;
    for run in studies::change(&mut conn, study, action).await? {
        app.progress.forget(run);
    }
    Ok(HttpResponse::Ok().json(StudyOverview::find(&mut conn, study).await?))
}
