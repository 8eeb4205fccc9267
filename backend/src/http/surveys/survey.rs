//! One survey: reading, changing, locking, showing and deleting it.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{SurveyWithQuestions, description, for_owner, title};
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::models::surveys::Visibility;
use crate::models::surveys::changes::{self, Changes};
use crate::models::surveys::overview::{self, SurveyOverview};

/// A survey with its questions
#[utoipa::path(get, path = "", responses((status = 200, description = "The survey", body = SurveyWithQuestions)))]
pub async fn show_survey(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    rules::survey(&mut conn, &caller, *id, Right::See).await?;
    Ok(HttpResponse::Ok().json(SurveyWithQuestions::find(&mut conn, *id).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct SurveyChanges {
    /// Not blank.
    #[serde(default)]
    #[schema(example = "Everyday choices", min_length = 1, max_length = 500, pattern = r"\S")]
    title: Option<String>,
    #[serde(default)]
    #[schema(example = "A pretest of ten questions", max_length = 10_000)]
    description: Option<String>,
    #[serde(default)]
    visibility: Option<Visibility>,
}

/// Changes what the body speaks of; title and description only while nothing locks the survey
#[utoipa::path(
    patch, path = "",
    responses(
        (status = 200, description = "The survey as it is now", body = SurveyOverview),
        (status = 409, description = "The survey is locked")
    )
)]
pub async fn change_survey(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Json(asked): Json<SurveyChanges>,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let before = rules::survey(&mut conn, &caller, *id, Right::Own).await?.title;
    let asked = Changes {
        title: asked.title.map(|text| title(Some(&before), &text, "Title is required")).transpose()?,
        description: asked.description.as_deref().map(description).transpose()?,
        visibility: asked.visibility.map(Visibility::as_str),
    };
    asked.make(&mut conn, *id).await?;
    Ok(HttpResponse::Ok().json(overview::find(&mut conn, *id).await?))
}

/// Deletes a survey that has no active run
///
/// What its runs answered and cost stays in the simulation history of who started them.
#[utoipa::path(
    delete, path = "",
    responses((status = 204, description = "Deleted"), (status = 409, description = "The survey has an active run"))
)]
pub async fn delete_survey(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = for_owner(&app, &caller, *id).await?;
    changes::delete(&mut conn, *id).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Locks the survey's words and questions by hand, or unlocks them
#[utoipa::path(
    patch, path = "",
    responses(
        (status = 200, description = "The survey as it is now", body = SurveyOverview),
        (status = 409, description = "The survey has simulations, so it stays locked")
    )
)]
pub async fn toggle_lock(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = for_owner(&app, &caller, *id).await?;
    changes::toggle_lock(&mut conn, *id).await.map_err(ApiError::from)?;
    Ok(HttpResponse::Ok().json(overview::find(&mut conn, *id).await?))
}

/// Makes a private survey public, or a public one private
#[utoipa::path(
    patch, path = "",
    responses((status = 200, description = "The survey as it is now", body = SurveyOverview))
)]
pub async fn toggle_visibility(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = for_owner(&app, &caller, *id).await?;
    changes::toggle_visibility(&mut conn, *id).await?;
    Ok(HttpResponse::Ok().json(overview::find(&mut conn, *id).await?))
}
