//! How far a run's answers can be trusted, from the newest validation of the same twins, text, model and temperature.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::figures::{Validation, of_study};
use super::start::usual_prices;
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::Result;
use crate::models::{held_out, personas, validations};
use crate::results::runs;
use crate::validation::set::Validatable;

/// Greatest price of a validation: of 100 twins with their text, with demographics and with nothing.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TrustOffer {
    #[schema(example = 3)]
    set_id: i32,
    people: i64,
    #[schema(example = 18600)]
    credits: i64,
    #[schema(example = 7200)]
    quick_credits: i64,
}

/// How far a run's answers can be trusted.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RunTrust {
    /// The newest of the same twins, text, model and temperature; null: nobody has compared them with people.
    #[schema(value_type = Option<Validation>)]
    validation: Option<Value>,
    /// The run's own arm of it.
    #[schema(example = "summary")]
    arm: Option<String>,
    /// Whether the caller sees its study.
    can_open: bool,
    /// Null where the twins cannot be validated, or are not the current ones any more.
    offer: Option<TrustOffer>,
    /// Why there is no offer.
    #[schema(example = json!(null))]
    why: Option<String>,
}

/// How far a run's answers can be trusted
#[utoipa::path(
    get, path = "", operation_id = "show_run_trust",
    responses(
        (
            status = 200,
            description = "The newest validation that speaks of it, or what one would take",
            body = RunTrust
        ),
        (status = 429, description = "Twelve such calls of the caller are under way; see Retry-After")
    )
)]
pub async fn show(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let seen = rules::simulation(&mut conn, &caller, *id, Right::See).await?;
    let run = runs::load(&conn, seen.id).await?;
    let (set_id, asked) = (run.facts.persona_set_id, &run.parameters);
    let found = validations::newest(&mut conn, set_id, asked.persona_variant, &asked.model, asked.temperature).await?;
    let can_open = match &found {
        Some(study) => rules::study(&mut conn, &caller, study.study_id, Right::See).await.is_ok(),
        None => false,
    };
    let (offer, why) = match personas::current_set(&mut conn).await?.filter(|set| set.id == set_id) {
        None => (None, Some("The twins of this run are not the current ones any more.".to_owned())),
        Some(set) => match Validatable::of(&mut conn, set).await? {
            Err((_, reason)) => (None, Some(reason)),
            Ok(of) => {
                let people = held_out::people(&mut conn, set_id).await?;
                let (credits, quick_credits) = usual_prices(&mut conn, &of).await?;
                (Some(TrustOffer { set_id, people, credits, quick_credits }), None)
            }
        },
    };
    drop(conn);
    let arm = found.as_ref().map(|_| asked.persona_variant.name().to_owned());
    let validation = match found {
        Some(study) => Some(of_study(&app, &caller, study).await?),
        None => None,
    };
    Ok(HttpResponse::Ok().json(RunTrust { validation, arm, can_open, offer, why }))
}
