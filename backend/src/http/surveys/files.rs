//! Whole surveys as JSON files, and copies of surveys.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::{Deserialize, Serialize};
use survey::flow::{Design, Node, Table};
use survey::import_report::LossReport;
use survey::question::AsPayload;
use survey::question::document::QuestionToSend;
use utoipa::ToSchema;

use super::{SurveyWithQuestions, title};
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::download::attach;
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Json, Query};
use crate::http::names;
use crate::models::questions::of_survey;
use crate::models::survey_file::{SurveyFile, ValidSurvey};
use crate::models::survey_imports;
use crate::models::surveys::overview::{self, SurveyOverview};
use crate::models::surveys::{NewSurvey, design};

/// A whole survey: what `GET /surveys/{surveyId}/export` writes, and `twinlab simulate` reads too.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct SurveyAsFile<'a> {
    /// Not blank.
    #[schema(example = "Everyday choices", min_length = 1, max_length = 500, pattern = r"\S")]
    title: String,
    #[schema(example = "A pretest of ten questions", max_length = 10_000, required = false, value_type = Option<String>)]
    description: String,
    /// Questions in the survey's order; an imported survey has at least one.
    #[schema(max_items = 500, value_type = Vec<QuestionToSend>)]
    questions: Vec<AsPayload<'a>>,
    /// Missing in a plain survey, as `tables`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, value_type = Option<Vec<serde_json::Value>>)]
    flow: Vec<Node>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false, value_type = Option<std::collections::HashMap<String, Table>>)]
    tables: BTreeMap<String, Table>,
    /// Import report of a survey made from another program's file; left out in other surveys.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Option<std::collections::HashMap<String, serde_json::Value>>)]
    import_report: Option<LossReport>,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct FilesTarget {
    /// A group that the caller is an active member of.
    #[param(example = 3)]
    group_id: i64,
}

/// Creates a survey from a file
///
/// A refusal names the place: `question 3: options[1]: …`.
#[utoipa::path(
    post, path = "",
    params(FilesTarget),
    request_body = SurveyAsFile,
    responses(
        (status = 201, description = "The new survey, private", body = SurveyWithQuestions),
        (status = 404, description = "No such group, or none that the caller sees"),
        (status = 409, description = "The group is closed")
    )
)]
pub async fn import_survey(
    app: Data<App>,
    caller: Caller,
    Query(target): Query<FilesTarget>,
    Json(file): Json<SurveyFile>,
) -> Result<HttpResponse> {
    caller.must_have_surveys()?;
    let content = file.validate().map_err(ApiError::Invalid)?;
    names::check("title", &content.title)?;
    let mut conn = db::checkout(&app.pool).await?;
    rules::membership(&mut conn, &caller, target.group_id).await?;
    let new = NewSurvey { user_id: caller.id, group_id: target.group_id, content: &content };
    let (survey, _) = new.create(&mut conn).await?;
    Ok(HttpResponse::Created().json(SurveyWithQuestions::find(&mut conn, survey.id).await?))
}

/// The survey as a file, to be imported again
#[utoipa::path(get, path = "", responses((status = 200, description = "The file", body = SurveyAsFile)))]
pub async fn export_survey(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let survey = rules::survey(&mut conn, &caller, *id, Right::See).await?;
    let questions = of_survey(&mut conn, *id).await?;
    let questions = questions.iter().map(AsPayload).collect();
    let Design { flow, tables } = design::of_survey(&mut conn, *id).await?;
    let import_report = survey_imports::of_survey(&mut conn, *id).await?.map(|import| import.report);
    let file =
        SurveyAsFile { title: survey.title, description: survey.description, questions, flow, tables, import_report };
    Ok(attach(&mut HttpResponse::Ok(), &format!("survey-{id}.json")).json(file))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Copy {
    /// Title of the copy; not blank.
    #[serde(default)]
    #[schema(example = "Everyday choices (Copy)", value_type = String, min_length = 1, max_length = 500, pattern = r"\S", required = true)]
    title: Option<String>,
    /// Group of the copy; by default the original's.
    #[serde(default)]
    #[schema(example = 3)]
    group_id: Option<i64>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Duplicated {
    #[schema(example = "New survey: \"Everyday choices (Copy)\"")]
    message: String,
    duplicated_survey: SurveyOverview,
}

/// Copies a survey with its questions, its design and the report of its import: the copy is the caller's, private and unlocked
#[utoipa::path(
    post, path = "",
    responses(
        (status = 201, description = "The copy", body = Duplicated),
        (status = 409, description = "The group is closed")
    )
)]
pub async fn duplicate_survey(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Json(copy): Json<Copy>,
) -> Result<HttpResponse> {
    let title = title(None, &copy.title.unwrap_or_default(), "Title is required")?;
    let mut conn = db::checkout(&app.pool).await?;
    let original = rules::survey(&mut conn, &caller, *id, Right::See).await?;
    caller.must_have_surveys()?;
    let group_id = copy.group_id.unwrap_or(original.group_id);
    rules::membership(&mut conn, &caller, group_id).await?;
    let questions = of_survey(&mut conn, *id).await?;
    let design = design::of_survey(&mut conn, *id).await?;
    let import = survey_imports::of_survey(&mut conn, *id).await?;
    let content = ValidSurvey { title, description: original.description, questions, design, import };
    let new = NewSurvey { user_id: caller.id, group_id, content: &content };
    let (survey, _) = new.create(&mut conn).await?;
    let duplicated_survey = overview::find(&mut conn, survey.id).await?;
    let message = format!("New survey: \"{}\"", duplicated_survey.survey.title);
    Ok(HttpResponse::Created().json(Duplicated { message, duplicated_survey }))
}
