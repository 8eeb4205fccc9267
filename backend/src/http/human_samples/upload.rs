//! A file of people's answers that is kept.

use std::collections::BTreeMap;

use actix_multipart::Multipart;
use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde_json::json;
use utoipa::ToSchema;

use super::{SampleDetails, checked_name, stored};
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::answers::people::matching::{QuestionColumns, RecodedAnswer};
use crate::http::answers::people::{PeopleQuery, count, read_named_form};
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Query, admit};
use crate::models::human_samples::{MAX_SAMPLES, NewHumanSample};
use crate::models::questions::of_survey;
use crate::results::people::samples;
use crate::work::Work;

const USUAL_NAME: &str = "People";

#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "read from the multipart stream; the document needs its shape")]
struct SampleUpload {
    /// As of the comparison with a file: CSV, `.sav` or `.dta`, up to 50 MiB.
    #[schema(format = Binary)]
    file: String,
    /// What the sample is called; without it "People".
    #[schema(example = "Panel, May 2026", max_length = 120)]
    name: Option<String>,
    /// As of the comparison with a file.
    matching: Option<BTreeMap<String, QuestionColumns>>,
    /// As of the comparison with a file.
    recodes: Option<BTreeMap<String, BTreeMap<String, RecodedAnswer>>>,
    /// As of the comparison with a file.
    margins: Option<BTreeMap<String, BTreeMap<String, f64>>>,
    /// As of the comparison with a file.
    cell_shares: Option<BTreeMap<String, f64>>,
}

/// Keeps people's answers for all runs of a survey (its author)
///
/// Only columns that count are kept: those that a question has, that are chosen here, or that say who it is (`pid`, `TWIN_ID`,
/// `personaPid`), and those that could answer a question, so that the matching can be changed: in its words, or in at most 20
/// others, each of 5 rows or more on average. Columns that tell who a person
/// is, or that hold e-mail addresses, are never written anywhere. Nobody is sent the rows. They are deleted with the survey.
#[utoipa::path(
    post, path = "/surveys/{surveyId}/human-samples", tag = "Human samples",
    operation_id = "add_human_sample",
    params(("surveyId" = i64, Path, example = 12), PeopleQuery),
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
    Query(chosen): Query<PeopleQuery>,
    form: Multipart,
) -> Result<HttpResponse> {
    let admission = admit(&app, caller.id, Work::PeopleUpload)?;
    let mut conn = db::checkout(&app.pool).await?;
    let survey = rules::survey(&mut conn, &caller, *id, Right::Own).await?;
    let questions = of_survey(&mut conn, survey.id).await?;
    drop(conn);
    let (file, chosen, name) = read_named_form(chosen, form).await?;
    let name = match &name {
        Some(name) => checked_name(std::str::from_utf8(name).map_err(|_| ApiError::invalid("name: is no UTF-8"))?)?,
        None => USUAL_NAME.to_owned(),
    };
    let settings = stored(&samples::settings_of(&chosen))?;
    let permit = admission.start().await;
    let kept = count(&permit, move || samples::keep(&questions, &file, &chosen)).await?;
    let dropped = kept.dropped.iter().map(|(column, reason)| json!({ "column": column, "reason": reason }));
    let new = NewHumanSample {
        survey_id: survey.id,
        created_by: caller.id,
        name,
        people: i32::try_from(kept.people).map_err(ApiError::internal)?,
        matched: samples::matched(&kept.read),
        dropped: dropped.collect(),
        settings,
        content: kept.content,
    };
    let created = new.create(&mut *db::checkout(&app.pool).await?).await?.ok_or_else(|| {
        ApiError::Conflict(format!("The survey has {MAX_SAMPLES} samples: delete one first"))
            .with_code("too_many_samples")
    })?;
    Ok(HttpResponse::Created().json(SampleDetails::new(created, &kept.read)?))
}
