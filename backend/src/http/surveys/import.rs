//! Surveys of other programs.

use actix_multipart::Multipart;
use actix_web::HttpResponse;
use actix_web::web::{Bytes, Data, Path};
use chrono::{DateTime, Utc};
use import::{ImportRefusal, Imported};
use serde::{Deserialize, Serialize};
use survey::finding::Finding;
use survey::import_report::{LossReport, LossSeverity, SurveyProgram};
use utoipa::ToSchema;

use super::SurveyWithQuestions;
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Query, admit};
use crate::http::{multipart, names};
use crate::models::survey_file::ValidSurvey;
use crate::models::survey_imports::{self, SurveyImport};
use crate::models::surveys::NewSurvey;
use crate::work::Work;

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct ImportTarget {
    /// A group that the caller is an active member of.
    #[param(example = 3)]
    group_id: i64,
    /// Reports only, creates nothing.
    #[serde(default)]
    #[param(example = true)]
    check: bool,
    /// Creates the survey in spite of errors of the report. A start refuses a design that cannot be run.
    #[serde(default)]
    #[param(example = false)]
    draft: bool,
}

/// The form of an uploaded survey of another program.
#[derive(ToSchema)]
struct QsfUpload {
    /// A survey as Qualtrics or SurveyJS exports it, up to 10 MiB.
    #[schema(value_type = String, format = Binary)]
    file: Bytes,
}

impl QsfUpload {
    async fn read(form: Multipart) -> Result<Self> {
        Ok(Self { file: multipart::file(form, "file", import::MAX_BYTES).await? })
    }
}

/// Outcome of the import.
#[derive(Debug, Serialize, ToSchema)]
struct ImportedSurvey {
    /// Null where nothing was created.
    survey: Option<SurveyWithQuestions>,
    /// Report of what was kept, changed, lost and dropped, entry by entry.
    #[schema(value_type = std::collections::HashMap<String, serde_json::Value>)]
    report: serde_json::Value,
    #[schema(example = "Fees")]
    title: String,
}

/// Creates a survey from a file of Qualtrics (.qsf) or SurveyJS (.json)
///
/// The two are recognised by their content. If the report has an error, nothing is created unless a draft is asked for.
#[utoipa::path(
    post, path = "",
    params(ImportTarget),
    request_body(content = QsfUpload, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The report; nothing was created", body = ImportedSurvey),
        (status = 201, description = "The new survey, private, and the report", body = ImportedSurvey),
        (status = 404, description = "No such group, or none that the caller sees"),
        (status = 409, description = "The group is closed"),
        (status = 413, description = "The file has more than 10 MiB, or more than 500,000 values"),
        (status = 429, description = "Two uploads of the caller are under way; see Retry-After")
    )
)]
pub async fn import_qsf(
    app: Data<App>,
    caller: Caller,
    Query(target): Query<ImportTarget>,
    form: Multipart,
) -> Result<HttpResponse> {
    caller.must_have_surveys()?;
    let mut conn = db::checkout(&app.pool).await?;
    rules::membership(&mut conn, &caller, target.group_id).await?;
    drop(conn);
    let admission = admit(&app, caller.id, Work::SurveyImport)?;
    let QsfUpload { file } = QsfUpload::read(form).await?;
    let permit = admission.start().await;
    let imported = permit.blocking(move || import::import(&file)).await?;
    let Imported { document, report, misfit } = imported.map_err(|refusal| match refusal {
        ImportRefusal::TooLarge | ImportRefusal::TooManyValues => ApiError::TooLarge(format!("file: {refusal}")),
        refusal => ApiError::Invalid(format!("file: {refusal}")),
    })?;
    let has_errors = report.count(LossSeverity::Error) > 0;
    let (title, found) = (document.title.clone(), report);
    let report = serde_json::to_value(&found).map_err(ApiError::internal)?;
    if target.check || (has_errors && !target.draft) {
        return Ok(HttpResponse::Ok().json(ImportedSurvey { survey: None, report, title }));
    }
    names::check("file: title", &title)?;
    if let Some(Finding { pointer, message, .. }) = misfit {
        return Err(ApiError::Invalid(format!("file: cannot be kept as a draft: {pointer}: {message}")));
    }
    let content = ValidSurvey { import: Some(found.into()), ..ValidSurvey::from(document) };
    let mut conn = db::checkout(&app.pool).await?;
    let new = NewSurvey { user_id: caller.id, group_id: target.group_id, content: &content };
    let (survey, _) = new.create(&mut conn).await?;
    let survey = Some(SurveyWithQuestions::find(&mut conn, survey.id).await?);
    Ok(HttpResponse::Created().json(ImportedSurvey { survey, report, title }))
}

/// How a survey came to be.
#[derive(Debug, Serialize, ToSchema)]
struct ImportOfSurvey {
    /// Null where the survey was not made from a file of another program.
    #[schema(required = true)]
    import: Option<StoredReport>,
}

/// Import report of a survey made from another program's file, or of the survey that it is a copy of.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct StoredReport {
    /// The program: `qualtrics` or `surveyjs`.
    #[schema(value_type = String, example = "qualtrics")]
    source: SurveyProgram,
    imported_at: Option<DateTime<Utc>>,
    /// Report of what was kept, changed, lost and dropped, entry by entry.
    #[schema(value_type = std::collections::HashMap<String, serde_json::Value>)]
    report: LossReport,
}

/// The import report of a survey
#[utoipa::path(
    get, path = "",
    responses((status = 200, description = "The report, if the survey was imported", body = ImportOfSurvey))
)]
pub async fn show_import_report(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    rules::survey(&mut conn, &caller, *id, Right::See).await?;
    let import = survey_imports::of_survey(&mut conn, *id)
        .await?
        .map(|SurveyImport { report, imported_at }| StoredReport { source: report.source, imported_at, report });
    Ok(HttpResponse::Ok().json(ImportOfSurvey { import }))
}
