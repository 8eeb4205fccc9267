//! Human samples: listed, shown, matched anew and deleted.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use uuid::Uuid;

use super::{SampleDetails, SampleView, checked_name, sampled_survey, stored};
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::answers::people::count;
use crate::http::answers::people::form::SampleToChange;
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Json, admit};
use crate::http::page::{Page, PageQuery};
use crate::models::human_samples::{self, SampleChanges};
use crate::results::people::samples;
use crate::work::Work;

/// The human samples of a survey, newest first
///
/// Callers who see the survey see its samples. The columns that were not kept are shown to the survey's owner alone.
#[utoipa::path(
    get, path = "", operation_id = "list_human_samples",
    params(PageQuery),
    responses((status = 200, description = "A page of them", body = Vec<SampleView>))
)]
pub async fn list(app: Data<App>, caller: Caller, id: Path<i64>, page: PageQuery) -> Result<Page<SampleView>> {
    let mut conn = db::checkout(&app.pool).await?;
    let (survey, not_owned) = rules::seen_survey(&mut conn, &caller, *id).await?;
    let (found, total) = human_samples::of_survey(&mut conn, survey.id, page.limit, page.offset).await?;
    let view = |(sample, by)| SampleView::of(sample, by, not_owned.is_none());
    Ok(Page { rows: found.into_iter().map(view).collect::<Result<_>>()?, total })
}

/// A human sample with how it is read (the survey's author)
#[utoipa::path(
    get, path = "", operation_id = "show_human_sample",
    responses(
        (status = 200, description = "As it is now", body = SampleDetails),
        (status = 429, description = "Twelve such calls of the caller are under way; see Retry-After")
    )
)]
pub async fn show(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let sample = rules::human_sample(&mut *db::checkout(&app.pool).await?, &caller, *id, Right::Own).await?;
    Ok(HttpResponse::Ok().json(SampleDetails::of(&app, &caller, sample).await?))
}

/// Changes how a human sample is read and compared, or its name (the survey's author)
///
/// Every comparison with it is made by what it says now. Only columns that were kept can be chosen.
#[utoipa::path(
    patch, path = "", operation_id = "change_human_sample",
    responses(
        (status = 200, description = "As it is now", body = SampleDetails),
        (status = 429, description = "Twelve such calls of the caller are under way; see Retry-After")
    )
)]
pub async fn change(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    Json(asked): Json<SampleToChange>,
) -> Result<HttpResponse> {
    let sample = rules::human_sample(&mut *db::checkout(&app.pool).await?, &caller, *id, Right::Own).await?;
    let permit = admit(&app, caller.id, Work::Sample)?.start().await;
    let mut conn = db::checkout(&app.pool).await?;
    let content = human_samples::content(&mut conn, sample.id).await?;
    let survey = sampled_survey(&mut conn, sample.survey_id).await?;
    drop(conn);
    let name = asked.name.as_deref().map(checked_name).transpose()?;
    let before = sample.settings().map_err(ApiError::internal)?;
    let mut settings = before.clone();
    settings.change(asked.options).map_err(ApiError::Invalid)?;
    let mut changes = SampleChanges { name, ..SampleChanges::default() };
    let options = if settings == before {
        samples::of_questions(settings, &survey.questions)
    } else {
        changes.settings = Some(stored(&settings)?);
        settings
    };
    let read = count(&permit, move || samples::read(&survey, &content, &options)).await?;
    if changes.settings.is_some() {
        changes.matched = Some(samples::matched(&read));
    }
    let missing = || ApiError::not_found("Sample");
    let mut conn = db::checkout(&app.pool).await?;
    let changed = changes.make(&mut conn, sample.id).await?.ok_or_else(missing)?;
    Ok(HttpResponse::Ok().json(SampleDetails::new(changed, &read)?))
}

/// Deletes a human sample with all its rows (the survey's author)
#[utoipa::path(
    delete, path = "", operation_id = "delete_human_sample",
    responses((status = 204, description = "Deleted"))
)]
pub async fn remove(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let sample = rules::human_sample(&mut conn, &caller, *id, Right::Own).await?;
    human_samples::remove(&mut conn, sample.id).await?;
    Ok(HttpResponse::NoContent().finish())
}
