//! The questions of a survey. None changes once something locks the survey.

use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, delete, get, patch, post};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::for_owner;
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db::{self, Checkout};
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::http::page::{sent, written};
use crate::models::questions::amendment::Amendment;
use crate::models::questions::{NewQuestion, Question, QuestionPayload, QuestionType, changes, of_survey};

resource!("Questions": list_questions, add_question, reorder_questions, change_question, delete_question);

/// A question as it is shown. What its type does not use is empty or null.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Question)]
pub struct QuestionShown {
    #[schema(example = 31)]
    pub id: i64,
    #[schema(example = 12)]
    pub survey_id: i64,
    /// 1-based place in the survey.
    #[schema(example = 1)]
    pub order: i32,
    #[schema(example = "How do you usually get to work?")]
    pub text: String,
    pub question_type: QuestionType,
    #[schema(example = true)]
    pub required: bool,
    /// Of choice questions.
    pub options: Vec<QuestionOption>,
    /// Of matrix questions.
    #[serde(rename = "scale_labels")]
    #[schema(example = json!(["Disagree", "Neutral", "Agree"]))]
    pub scale_labels: Vec<String>,
    /// The rows of a matrix; none means that the question itself is the one row.
    #[schema(example = json!(["Tea", "Coffee"]))]
    pub sub_questions: Vec<String>,
    #[schema(example = 0.0)]
    pub min_value: Option<f64>,
    #[schema(example = 10.0)]
    pub max_value: Option<f64>,
    #[schema(example = "Never")]
    pub min_description: Option<String>,
    #[schema(example = "Always")]
    pub max_description: Option<String>,
    pub placeholder: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct QuestionOption {
    #[schema(example = "By bicycle")]
    pub text: String,
}

impl QuestionShown {
    pub fn of(survey_id: i64, question: Question) -> Self {
        Self {
            id: question.id,
            survey_id,
            order: question.order,
            text: question.text,
            question_type: question.question_type,
            required: question.required,
            options: question.options.into_iter().map(|text| QuestionOption { text }).collect(),
            scale_labels: question.scale_labels,
            sub_questions: question.sub_questions,
            min_value: question.min_value,
            max_value: question.max_value,
            min_description: question.min_description,
            max_description: question.max_description,
            placeholder: question.placeholder,
        }
    }
}

/// The questions of a survey, in its order
#[utoipa::path(
    params(("surveyId" = i64, Path, example = 12)),
    responses((status = 200, description = "All of them", body = Vec<QuestionShown>))
)]
#[get("/surveys/{surveyId}/questions")]
async fn list_questions(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    rules::survey(&mut *db::checkout(&app.pool).await?, &caller, *id, Right::See).await?;
    let found = app.lists.others.ask(format!("questions of survey {id}"), async || {
        let questions = of_survey(&mut *db::checkout(&app.pool).await?, *id).await?;
        let shown: Vec<_> = questions.into_iter().map(|question| QuestionShown::of(*id, question)).collect();
        written(&shown)
    });
    Ok(sent(found.await?))
}

/// Adds a question at the end
#[utoipa::path(
    params(("surveyId" = i64, Path, example = 12)),
    request_body = NewQuestion,
    responses(
        (status = 201, description = "The new question", body = QuestionShown),
        (status = 409, description = "The survey is locked, or full")
    )
)]
#[post("/surveys/{surveyId}/questions")]
async fn add_question(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Json(payload): Json<QuestionPayload>,
) -> Result<HttpResponse> {
    let new = payload.validate()?;
    let mut conn = for_owner(&app, &caller, *id).await?;
    let question = changes::add(&mut conn, *id, &new).await?;
    Ok(HttpResponse::Created().json(QuestionShown::of(*id, question)))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewOrder {
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
    params(("surveyId" = i64, Path, example = 12)),
    request_body = NewOrder,
    responses(
        (status = 200, description = "The questions in their new order", body = Vec<QuestionShown>),
        (status = 409, description = "The survey is locked")
    )
)]
#[patch("/surveys/{surveyId}/questions/order")]
async fn reorder_questions(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Json(new): Json<NewOrder>,
) -> Result<HttpResponse> {
    let orders = new.question_orders.into_iter().map(|QuestionOrder { id, order }| (id, order)).collect();
    let mut conn = for_owner(&app, &caller, *id).await?;
    let questions = changes::reorder(&mut conn, *id, orders).await?;
    let shown: Vec<_> = questions.into_iter().map(|question| QuestionShown::of(*id, question)).collect();
    Ok(HttpResponse::Ok().json(shown))
}

/// Changes what the body speaks of; the rest of the question stays
#[utoipa::path(
    params(("questionId" = i64, Path, example = 31)),
    request_body = Amendment,
    responses(
        (status = 200, description = "The question as it is now", body = QuestionShown),
        (status = 409, description = "The survey is locked")
    )
)]
#[patch("/surveys/questions/{questionId}")]
async fn change_question(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Json(payload): Json<QuestionPayload>,
) -> Result<HttpResponse> {
    let (mut conn, survey_id) = for_owner_of(&app, &caller, *id).await?;
    let question = changes::amend(&mut conn, survey_id, *id, payload).await?;
    Ok(HttpResponse::Ok().json(QuestionShown::of(survey_id, question)))
}

/// Deletes a question; those behind it move up
#[utoipa::path(
    params(("questionId" = i64, Path, example = 31)),
    responses(
        (status = 204, description = "Deleted"),
        (status = 409, description = "The survey is locked")
    )
)]
#[delete("/surveys/questions/{questionId}")]
async fn delete_question(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let (mut conn, survey_id) = for_owner_of(&app, &caller, *id).await?;
    changes::remove(&mut conn, survey_id, *id).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// A connection for the owner of a question, with its survey; who may not see the survey is told of no question.
async fn for_owner_of(app: &App, caller: &Caller, question_id: i64) -> Result<(Checkout, i64)> {
    let not_found = || ApiError::not_found("Question");
    let mut conn = db::checkout(&app.pool).await?;
    let survey_id = changes::survey_of(&mut conn, question_id).await?.ok_or_else(not_found)?;
    match rules::survey(&mut conn, caller, survey_id, Right::Own).await {
        Ok(_) => Ok((conn, survey_id)),
        Err(rules::Refusal::NotThere(_)) => Err(not_found()),
        Err(refusal) => Err(refusal.into()),
    }
}
