//! Diagnostics of a run's answers: known faults of language models' answers, and their signs in this run.

use actix_web::HttpResponse;
use actix_web::http::header::ContentType;
use actix_web::web::{Bytes, Data, Path};
use evidence::diagnostics::Diagnosis;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Address, about, freshness, run, version};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::results::diagnostics::diagnose;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RunDiagnostics {
    #[schema(example = "7a6b5c4d-0000-4000-8000-000000000007")]
    simulation_id: String,
    /// One for each known pitfall, always in the same order.
    diagnostics: Vec<Diagnosis>,
    /// Notice to be shown with the answers.
    #[schema(example = "demo model: not from a language model")]
    notice: String,
    /// The run is not over, or was stopped: these are its answers so far.
    partial: bool,
}

/// Diagnostics of a run's answers
///
/// Each diagnostic measures one pitfall of asking language models and warns beyond its threshold. A warning says that
/// something should be looked at, not that it is wrong. Formulas and sources: `docs/evidence.md`.
#[utoipa::path(
    get, path = "", operation_id = "diagnose_answers",
    responses((status = 200, description = "All diagnostics", body = RunDiagnostics))
)]
pub async fn diagnostics(app: Data<App>, caller: Caller, path: Path<Address>) -> Result<HttpResponse> {
    let run = run(&mut *db::checkout(&app.pool).await?, &caller, *path).await?;
    let read = async || {
        let diagnostics = RunDiagnostics {
            simulation_id: run.simulation_id.clone(),
            diagnostics: diagnose(&app.pool, &run, &app.config.thresholds).await?,
            notice: run.notice.clone(),
            partial: run.partial().is_some(),
        };
        Result::<_, ApiError>::Ok(Bytes::from(serde_json::to_vec(&diagnostics).map_err(ApiError::internal)?))
    };
    let json = app.diagnoses.get(version(&run), freshness(&run), read).await?;
    Ok(about(&run.notice).content_type(ContentType::json()).body(json))
}
