//! A file of people's answers that is kept.

use actix_multipart::Multipart;
use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use evidence::options::ComparisonOptions;

use super::{SampleDetails, checked_name, sampled_survey, stored};
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::answers::people::count;
use crate::http::answers::people::form::{OptionsInQuery, PeopleForm, SampleUpload};
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Query, admit};
use crate::models::human_samples::{MAX_SAMPLES, NewHumanSample};
use crate::results::people::samples;
use crate::work::Work;

const USUAL_NAME: &str = "People";

/// Keeps people's answers for all runs of a survey (its author)
///
/// Only columns that count are kept: those that a question has, that are chosen here, or that say who it is (`pid`, `TWIN_ID`,
/// `personaPid`), and those that could answer a question, so that the matching can be changed: in its words, or in at most 20
/// others, each of 5 rows or more on average. Columns that tell who a person
/// is, or that hold e-mail addresses, are never written anywhere. Nobody is sent the rows. They are deleted with the survey.
#[utoipa::path(
    post, path = "", operation_id = "add_human_sample",
    params(OptionsInQuery),
    request_body(content = SampleUpload, content_type = "multipart/form-data"),
    responses(
        (status = 201, description = "The sample, and how it was read", body = SampleDetails),
        (status = 409, description = "The survey has 20 samples"),
        (status = 429, description = "Two uploads of the caller are under way; see Retry-After")
    )
)]
pub async fn add(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Query(options): Query<ComparisonOptions>,
    form: Multipart,
) -> Result<HttpResponse> {
    let admission = admit(&app, caller.id, Work::PeopleUpload)?;
    let mut conn = db::checkout(&app.pool).await?;
    let survey = rules::survey(&mut conn, &caller, *id, Right::Own).await?;
    let sampled = sampled_survey(&mut conn, survey.id).await?;
    drop(conn);
    let PeopleForm { file, options, name } = PeopleForm::read_named(options, form).await?;
    let name = match &name {
        Some(name) => checked_name(std::str::from_utf8(name).map_err(|_| ApiError::invalid("name: is no UTF-8"))?)?,
        None => USUAL_NAME.to_owned(),
    };
    let settings = stored(&options)?;
    let permit = admission.start().await;
    let kept = count(&permit, move || samples::keep(&sampled, &file, &options)).await?;
    let new = NewHumanSample {
        survey_id: survey.id,
        created_by: caller.id,
        name,
        people: i32::try_from(kept.people).map_err(ApiError::internal)?,
        matched: samples::matched(&kept.read),
        dropped: serde_json::to_value(&kept.dropped).map_err(ApiError::internal)?,
        settings,
        content: kept.content,
    };
    let created = new.create(&mut *db::checkout(&app.pool).await?).await?.ok_or_else(|| {
        ApiError::Conflict(format!("The survey has {MAX_SAMPLES} samples: delete one first"))
            .with_code("too_many_samples")
    })?;
    Ok(HttpResponse::Created().json(SampleDetails::new(created, &kept.read)?))
}
