//! A study with all its runs as one zip that proves its tables.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use uuid::Uuid;

use crate::app::App;
use crate::auth::rules::{self, Caller};
use crate::db;
use crate::http::answers::bundle::BundleQuery;
use crate::http::answers::file_responses::{built, file};
use crate::http::error::Result;
use crate::http::extract::Query;
use crate::models::studies;
use crate::models::study_plans::study_must_be_shown;
use crate::results::files::bundle::{BundleRequest, Bundled};
use crate::results::runs;

/// A study with all that the files of its runs are built from, as one zip
///
/// Each run in a folder with all that its own bundle has, the runs beside the first one as tables, how alike repeats are, a text
/// on methods, GUIDE-LLM's items, and a manifest of checksums. `twinlab replay FILE --check` builds everything anew and compares
/// it byte for byte.
#[utoipa::path(
    get, path = "",
    params(BundleQuery),
    responses(
        (status = 200, description = "The zip", body = Vec<u8>, content_type = "application/zip"),
        (
            status = 403,
            description = "Prompts are for who may control the study, rows of people for the survey's author"
        )
    )
)]
pub async fn bundle_study(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    Query(asked): Query<BundleQuery>,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let study = rules::study(&mut conn, &caller, *id, asked.right()).await?;
    study_must_be_shown(&mut conn, study).await?;
    let runs = studies::run_ids(&mut conn, study).await?;
    let first = runs::load(&conn, runs.first().copied().unwrap_or_default()).await?;
    let parts = asked.parts(&mut conn, &caller, first.facts.survey_id).await?;
    drop(conn);
    let digits = id.simple().to_string();
    let name = format!("study-{}-bundle.zip", &digits[digits.len() - 8..]);
    let request = BundleRequest { of: Bundled::Study(study), parts };
    let answer = file(&first, &name);
    built(&app, &caller, answer, app.downloads.bundle(&app.pool, request)).await
}
