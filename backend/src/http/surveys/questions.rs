//! The questions of a survey. None changes once something locks the survey.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::{Deserialize, Serialize};
use survey::question::document::{QuestionToChange, QuestionToSend};
use survey::question::{Invalid, Question, QuestionPayload};
use utoipa::ToSchema;

use super::for_owner;
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db::{self, Checkout};
use crate::http::error::{ApiError, ErrorBody, Result};
use crate::http::extract::Json;
use crate::models::questions::{changes, of_survey};
use crate::models::surveys::SurveyRefusal;

/// The questions of a survey, in its order
#[utoipa::path(get, path = "", responses((status = 200, description = "All of them", body = Vec<Question>)))]
pub async fn list_questions(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    rules::survey(&mut conn, &caller, *id, Right::See).await?;
    Ok(HttpResponse::Ok().json(of_survey(&mut conn, *id).await?))
}

/// Adds a question at the end
#[utoipa::path(
    post, path = "",
    request_body = QuestionToSend,
    responses(
        (status = 201, description = "The new question", body = Question),
        (status = 409, description = "The survey is locked or full, or another question has the name")
    )
)]
pub async fn add_question(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Json(payload): Json<QuestionPayload>,
) -> Result<HttpResponse> {
    let new = payload.validate()?;
    let mut conn = for_owner(&app, &caller, *id).await?;
    let question = changes::add(&mut conn, *id, new).await?;
    Ok(HttpResponse::Created().json(question))
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct NewQuestions {
    /// Questions in their order.
    #[schema(value_type = Vec<QuestionToSend>, min_items = 1, max_items = 500)]
    questions: Vec<QuestionPayload>,
}

/// Adds several questions at the end: all of them, or none
///
/// An error names the place of its question in the list, as `questions[3].options[1]`.
#[utoipa::path(
    post, path = "",
    request_body = NewQuestions,
    responses(
        (status = 201, description = "The new questions", body = Vec<Question>),
        (status = 400, description = "One of them is not valid, or another question has its name"),
        (status = 409, description = "The survey is locked, or has no room for them")
    )
)]
pub async fn add_questions(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Json(new): Json<NewQuestions>,
) -> Result<HttpResponse> {
    if new.questions.is_empty() {
        return Err(ApiError::invalid("questions: name at least one"));
    }
    let valid = |(place, payload): (usize, &QuestionPayload)| {
        payload
            .validate()
            .map_err(|Invalid { field, message }| Invalid::new(format!("questions[{place}].{field}"), message))
    };
    let questions = new.questions.iter().enumerate().map(valid).collect::<Result<Vec<_>, _>>()?;
    let mut conn = for_owner(&app, &caller, *id).await?;
    Ok(HttpResponse::Created().json(changes::add_all(&mut conn, *id, questions).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewOrder {
    /// Every question of the survey, once.
    #[serde(alias = "question_orders")]
    question_orders: Vec<QuestionOrder>,
}

#[derive(Debug, Deserialize, ToSchema)]
struct QuestionOrder {
    #[schema(example = 31)]
    id: i64,
    /// Questions are sorted by it and then numbered from 1.
    #[schema(example = 1)]
    order: i64,
}

/// Puts the questions in another order
#[utoipa::path(
    patch, path = "",
    responses(
        (status = 200, description = "The questions in their new order", body = Vec<Question>),
        (status = 409, description = "The survey is locked")
    )
)]
pub async fn reorder_questions(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Json(new): Json<NewOrder>,
) -> Result<HttpResponse> {
    let orders = new.question_orders.into_iter().map(|QuestionOrder { id, order }| (id, order)).collect();
    let mut conn = for_owner(&app, &caller, *id).await?;
    Ok(HttpResponse::Ok().json(changes::reorder(&mut conn, *id, orders).await?))
}

/// Why a question was not changed.
#[derive(Debug, Serialize, ToSchema)]
struct ChangeRefused {
    #[serde(flatten)]
    error: ErrorBody,
    /// The question as it is now, where the code is `question_changed`.
    question: Option<Question>,
}

/// Changes what the body speaks of; the rest of the question stays
///
/// A `name` of null or blank is made from the text anew. With `expected`, nothing that somebody else changed meanwhile is
/// written over.
#[utoipa::path(
    patch, path = "",
    request_body = QuestionToChange,
    responses(
        (status = 200, description = "The question as it is now", body = Question),
        (
            status = 409,
            body = ChangeRefused,
            description = "The survey is locked, another question has the name, or the question is not as expected"
        )
    )
)]
pub async fn change_question(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Json(payload): Json<QuestionPayload>,
) -> Result<HttpResponse> {
    let (mut conn, survey_id) = for_owner_of(&app, &caller, *id).await?;
    match changes::amend(&mut conn, survey_id, *id, payload).await {
        Ok(question) => Ok(HttpResponse::Ok().json(question)),
        Err(SurveyRefusal::QuestionChanged(now)) => {
            let question = Some(*now.clone());
            let error = ApiError::from(SurveyRefusal::QuestionChanged(now)).body();
            Ok(HttpResponse::Conflict().json(ChangeRefused { error, question }))
        }
        Err(refusal) => Err(refusal.into()),
    }
}

/// Deletes a question; those behind it move up
#[utoipa::path(
    delete, path = "",
    responses((status = 204, description = "Deleted"), (status = 409, description = "The survey is locked"))
)]
pub async fn delete_question(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let (mut conn, survey_id) = for_owner_of(&app, &caller, *id).await?;
    changes::remove(&mut conn, survey_id, *id).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// A connection, and the id of the question's survey, if the caller owns it. 404 names the question, not the survey.
async fn for_owner_of(app: &App, caller: &Caller, question_id: i64) -> Result<(Checkout, i64)> {
    let not_found = || ApiError::not_found("Question");
    let mut conn = db::checkout(&app.pool).await?;
    let survey_id = changes::survey_of(&mut conn, question_id).await?.ok_or_else(not_found)?;
    match rules::survey(&mut conn, caller, survey_id, Right::Own).await {
        Ok(_) => Ok((conn, survey_id)),
        Err(rules::AccessRefusal::NotThere(_)) => Err(not_found()),
        Err(refusal) => Err(refusal.into()),
    }
}
