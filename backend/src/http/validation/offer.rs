//! Offer of a validation of the current twins.

use actix_web::HttpResponse;
use actix_web::web::Data;
use serde::Serialize;
use simulation::parameters::PersonaVariant;
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::models::held_out;
use crate::models::personas;
use crate::validation::set::Validatable;
use crate::validation::survey::{self, requests};

/// A task of a validation.
#[derive(Debug, Serialize, ToSchema)]
struct OfferedTask {
    #[schema(example = "framing")]
    key: &'static str,
    #[schema(example = "Framing")]
    title: &'static str,
    /// Questions that belong to it; people answered some of them.
    #[schema(example = 2)]
    items: usize,
}

/// Size and price of a validation of the current twins.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ValidationOffer {
    #[schema(example = 3)]
    set_id: i32,
    #[schema(example = "Twin-2K-500 wave_split (twins.parquet)")]
    source: String,
    /// Invented people with invented answers.
    synthetic: bool,
    /// Twins whose person answered what is held out.
    #[schema(example = 2058)]
    people: i64,
    /// Requests of all twins together.
    #[schema(example = 85)]
    questions: usize,
    #[schema(example = 24)]
    quick_questions: usize,
    tasks: Vec<OfferedTask>,
    /// Texts that can be validated, the headline first.
    variants: Vec<PersonaVariant>,
    /// The one that verdicts speak of.
    headline: Option<PersonaVariant>,
    /// Why the twins cannot be validated; null: they can.
    #[schema(example = json!(null))]
    refusal: Option<String>,
}

/// Size and price of a validation of the current twins
#[utoipa::path(
    get, path = "", operation_id = "show_validation_offer",
    responses(
        (status = 200, description = "Its tasks, and who can be asked", body = ValidationOffer),
        (status = 404, description = "There are no personas")
    )
)]
pub async fn show(app: Data<App>, _: Caller) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let set = personas::current_set(&mut conn).await?.ok_or_else(|| ApiError::not_found("Persona"))?;
    let offer = match Validatable::of(&mut conn, set).await? {
        Err((set, reason)) => ValidationOffer {
            set_id: set.id,
            source: set.source,
            synthetic: set.synthetic,
            people: 0,
            questions: 0,
            quick_questions: 0,
            tasks: Vec::new(),
            variants: Vec::new(),
            headline: None,
            refusal: Some(reason),
        },
        Ok(Validatable { set, questions, variants, headline }) => {
            let all = survey::asked(&questions, false);
            let count = |quick| {
                let asked = survey::asked(&questions, quick);
                asked.iter().flat_map(|task| &task.questions).map(|question| requests(question)).sum()
            };
            let task = |of: &survey::AskedTask<'_>| OfferedTask {
                key: of.task.key,
                title: of.task.title,
                items: of.questions.iter().map(|question| question.rows().len().max(1)).sum(),
            };
            ValidationOffer {
                people: held_out::people(&mut conn, set.id).await?,
                questions: count(false),
                quick_questions: count(true),
                tasks: all.iter().map(task).collect(),
                set_id: set.id,
                source: set.source,
                synthetic: set.synthetic,
                variants,
                headline: Some(headline),
                refusal: None,
            }
        }
    };
    Ok(HttpResponse::Ok().json(offer))
}
