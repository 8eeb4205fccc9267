//! The exact prompt of an answer.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::{Deserialize, Serialize};
use simulation::rows::Hex;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::error::Error;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Query;
use crate::llm::{EncodedPrompt, ProviderApi};
use crate::models::study_plans;
use crate::results::prompt::{self, AnswerPrompt};
use crate::results::runs;

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct WhichAnswer {
    #[param(example = 17)]
    persona_id: i32,
    #[param(example = 3)]
    question_id: i64,
}

/// The prompt that an answer came from.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PromptOfAnswer {
    #[schema(example = "7a6b5c4d-0000-4000-8000-000000000007")]
    simulation_id: String,
    #[schema(example = 17)]
    persona_id: i32,
    #[schema(example = 3)]
    question_id: i64,
    /// Hash that is stored with the answer: SHA-256 of `body` in UTF-8, in hexadecimal digits.
    prompt_hash: String,
    #[schema(value_type = Vec<ChatMessage>)]
    messages: [ChatMessage; 2],
    /// The request to the model server, to the byte.
    body: String,
}

#[derive(Debug, Serialize, ToSchema)]
struct ChatMessage {
    #[schema(example = "system")]
    role: &'static str,
    #[schema(example = "Gender: Female\nAge: 30-49\n…")]
    content: String,
}

/// The exact prompt that an answer came from
///
/// For those who may control the run, since it holds the twin's text. It is built again and checked against the stored
/// hash.
#[utoipa::path(
    get, path = "",
    params(WhichAnswer),
    responses(
        (status = 200, description = "The prompt", body = PromptOfAnswer),
        (status = 404, description = "The run has no such answer"),
        (
            status = 409,
            description = "Another version of the program asked, which built prompts differently; or a plan hides the results"
        )
    )
)]
pub async fn show_prompt(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    Query(which): Query<WhichAnswer>,
) -> Result<HttpResponse> {
    let WhichAnswer { persona_id, question_id } = which;
    let mut conn = db::checkout(&app.pool).await?;
    let seen = rules::simulation(&mut conn, &caller, *id, Right::Control).await?;
    // A prompt may repeat earlier answers.
    study_plans::must_be_shown(&mut conn, seen.id).await?;
    let run = runs::load(&conn, seen.id).await?;
    let AnswerPrompt { hash, prompt } = prompt::of_answer(&mut conn, &run, persona_id, question_id)
        .await?
        .ok_or_else(|| ApiError::not_found("Answer"))?;
    let prompt = prompt.ok_or_else(|| ApiError::conflict("The prompt cannot be built again"))?;
    Ok(HttpResponse::Ok().json(PromptOfAnswer {
        simulation_id: run.simulation_id,
        persona_id,
        question_id,
        prompt_hash: Hex(&hash).to_string(),
        messages: messages(&prompt).map_err(ApiError::internal)?,
        body: prompt.body().to_owned(),
    }))
}

fn messages(prompt: &EncodedPrompt) -> Result<[ChatMessage; 2], Error> {
    let api = ProviderApi::from(prompt.sent().dialect.wire);
    let texts = api.read_messages(prompt.body()).map_err(|error| Error::internal(format!("a prompt: {error}")))?;
    let [system, user] = texts;
    Ok([ChatMessage { role: "system", content: system }, ChatMessage { role: "user", content: user }])
}
