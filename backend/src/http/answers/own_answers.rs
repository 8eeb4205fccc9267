//! People's own answers to those questions of a run that their twins' profiles hold.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use evidence::compare::ItemComparison;
use evidence::upload::ReservedColumns;
use serde::Serialize;
use simulation::studies::MAX_ANSWERS;
use utoipa::ToSchema;

use super::{Address, about, run};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::admit;
use crate::models::{personas, profile_answers, simulation_personas};
use crate::results::people;
use crate::validation::own_answers::{OwnQuestion, TakenItem, compare_with_people, own_questions};
use crate::work::Work;

/// A question that the profiles hold, but whose answers there cannot be taken over.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct QuestionNotTaken {
    #[schema(example = "min_1")]
    name: String,
    profile_question: String,
    #[schema(example = "the profile's question has other options")]
    reason: &'static str,
}

/// The people's own answers beside those of twins that have read them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OwnAnswers {
    /// Whether the twins' file had what people answered; otherwise only the words of its questions are known.
    has_answers: bool,
    /// People with an answer.
    people: usize,
    questions: Vec<ItemComparison>,
    not_taken: Vec<QuestionNotTaken>,
}

/// People's own answers to those questions of a run that their twins' profiles hold
///
/// A twin has read these answers: how well it repeats them says nothing of how well it predicts. Only questions whose options,
/// rows and range are the same word for word.
#[utoipa::path(
    get, path = "", operation_id = "list_own_answers",
    responses(
        (status = 200, description = "Twins beside their own people", body = OwnAnswers),
        (status = 409, description = "The run has too many answers"),
        (status = 429, description = "Twelve such calls of the caller are under way; see Retry-After")
    )
)]
pub async fn list(app: Data<App>, caller: Caller, path: Path<Address>) -> Result<HttpResponse> {
    let run = run(&mut *db::checkout(&app.pool).await?, &caller, *path).await?;
    let permit = admit(&app, caller.id, Work::Comparison)?.start().await;
    let mut conn = db::checkout(&app.pool).await?;
    let set_id = run.facts.persona_set_id;
    let profile = profile_answers::questions(&mut conn, set_id).await?;
    let has_answers = !profile.is_empty();
    let asked = run.questions.clone();
    let own = permit.blocking(move || own_questions(&asked, &profile)).await?;
    let mut not_taken = Vec::new();
    let mut taken: Vec<TakenItem> = Vec::new();
    for OwnQuestion { overlap, taken: of_question } in own {
        match of_question {
            Ok(items) => taken.extend(items),
            Err(reason) => not_taken.push(QuestionNotTaken {
                name: overlap.question,
                profile_question: overlap.profile_question,
                reason,
            }),
        }
    }
    let notice = run.notice.clone();
    if taken.is_empty() {
        let nothing = OwnAnswers { has_answers, people: 0, questions: Vec::new(), not_taken };
        return Ok(about(&notice).json(nothing));
    }
    if i64::from(run.rows()) > MAX_ANSWERS {
        return Err(ApiError::Conflict(format!("The run has more than {MAX_ANSWERS} answers")));
    }
    let twins = simulation_personas::ids(&mut conn, run.facts.id).await?;
    let keys: Vec<String> = taken.iter().map(|item| item.key.clone()).collect();
    let answers = profile_answers::answers(&mut conn, set_id, &twins, &keys).await?;
    let facts = personas::facts(&mut conn, set_id, &twins).await?;
    drop(conn);
    let pids: BTreeMap<i32, String> = facts.into_iter().map(|(id, pid, _)| (id, pid)).collect();
    let read = people::twins(&app.pool, &run, &ReservedColumns::default()).await?;
    let compare = move || compare_with_people(&run.questions, &read.respondents, &taken, &answers, &pids);
    let compared = permit.blocking(compare).await??;
    let people = compared.as_ref().map_or(0, |of| of.pairs);
    let questions = compared.map(|of| of.questions).unwrap_or_default();
    Ok(about(&notice).json(OwnAnswers { has_answers, people, questions, not_taken }))
}
