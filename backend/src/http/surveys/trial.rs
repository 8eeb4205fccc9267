//! One persona's answers before a survey is run.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use serde::{Deserialize, Serialize};
use survey::document::MAX_TITLE_LENGTH;
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::Result;
use crate::http::extract::Json;
use crate::http::idempotency::IdempotencyKey;
use crate::http::simulations::start::{SimulationToStart, drawn_seed, fit_to_models};
use crate::models::questions::of_survey;
use crate::models::simulations::overview::{self, SimulationOverview};
use crate::models::simulations::start::NewSimulation;
use crate::models::simulations::trials::start_trial;
use crate::models::survey_file::ValidSurvey;
use crate::models::surveys::{NewSurvey, design};

#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersonaToAsk {
    #[serde(alias = "persona_id")]
    #[schema(example = 17)]
    persona_id: i32,
}

/// Asks one persona the questions of a survey, which stays open to changes
///
/// The run asks a copy of the survey that no list shows. It costs what any run of one persona costs, is in the ledger and in
/// the caller's runs, and its answers are read and it is stopped like those of any other run.
#[utoipa::path(
    post, path = "",
    operation_id = "ask_one_persona",
    params(IdempotencyKey),
    request_body = PersonaToAsk,
    responses(
        (status = 201, description = "The run, queued", body = SimulationOverview),
        (status = 402, description = "Not enough credits; the message says how many are needed and available"),
        (status = 409, description = "No questions, no twins, a closed group, or the key was used for something else")
    )
)]
pub async fn ask_persona(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    key: IdempotencyKey,
    Json(asked): Json<PersonaToAsk>,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let original = rules::survey(&mut conn, &caller, *id, Right::See).await?;
    caller.must_have_surveys()?;
    let group = rules::membership(&mut conn, &caller, original.group_id).await?;
    let (models, user_id) = (&app.config.models, caller.id);
    let run = SimulationToStart::of_twins(&[asked.persona_id], None, None, drawn_seed());
    let (choice, mut parameters) = (run.choice()?, run.parameters(models, &caller, &group)?);
    fit_to_models(&mut conn, models, std::slice::from_mut(&mut parameters)).await?;
    let questions = of_survey(&mut conn, *id).await?;
    let design = design::of_survey(&mut conn, *id).await?;
    let content = ValidSurvey {
        title: trial_title(&original.title),
        description: original.description,
        questions,
        design,
        import: None,
    };
    key.once(&mut conn, user_id, &asked, StatusCode::CREATED, async |conn| {
        let copy = NewSurvey { user_id, group_id: group.id, content: &content };
        let new = NewSimulation::new(*id, user_id, choice, parameters, models.main().is_demo());
        let run = start_trial(conn, copy, new).await?;
        Ok(overview::find(conn, run.id).await?)
    })
    .await
}

/// The title of a survey with the mark of a trial, by which lists of runs tell it.
fn trial_title(title: &str) -> String {
    const MARK: &str = " (one twin)";
    let kept: String = title.chars().take(MAX_TITLE_LENGTH - MARK.len()).collect();
    format!("{}{MARK}", kept.trim_end())
}
