//! The twins that a run asked, as they were.

use actix_web::web::{Data, Path};
use serde::{Deserialize, Serialize};
use simulation::answers::AskedPersona;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::rules::{self, AccessRefusal, Caller, Right};
use crate::db;
use crate::http::error::Result;
use crate::http::extract::Query;
use crate::http::page::{Page, PageQuery};
use crate::models::simulation_personas;
use crate::results::runs;

/// A twin that a run asked.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TwinOfSimulation)]
pub struct AskedTwin {
    #[serde(flatten)]
    persona: AskedPersona,
    /// The text that it was asked with; only for those who may control the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Gender: Female\nAge: 30-49\n…")]
    text: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AskedQuery {
    /// Only this twin.
    #[serde(default, rename = "personaId")]
    #[param(example = 17)]
    persona_id: Option<i32>,
}

/// The twins that a run asks, by id
///
/// With pid and attributes as they were when the run started, whatever was imported or changed since.
#[utoipa::path(
    get, path = "", operation_id = "list_simulation_personas",
    params(AskedQuery, PageQuery),
    responses((status = 200, description = "A page of them", body = Vec<AskedTwin>))
)]
pub async fn asked_personas(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    Query(AskedQuery { persona_id }): Query<AskedQuery>,
    page: PageQuery,
) -> Result<Page<AskedTwin>> {
    let mut conn = db::checkout(&app.pool).await?;
    let seen = rules::simulation(&mut conn, &caller, *id, Right::See).await?;
    let with_text = match rules::simulation(&mut conn, &caller, *id, Right::Control).await {
        Ok(_) => true,
        Err(AccessRefusal::Forbidden(_)) => false,
        Err(refusal) => return Err(refusal.into()),
    };
    let run = runs::load(&conn, seen.id).await?;
    let variant = run.parameters.persona_variant;
    let (rows, total) = match persona_id {
        Some(id) => {
            let one = simulation_personas::with_text(&mut conn, seen.id, variant, id).await?;
            let total = i64::from(one.is_some());
            (one.into_iter().skip(usize::try_from(page.offset).unwrap_or(usize::MAX)).collect(), total)
        }
        None => {
            let page = simulation_personas::page(&mut conn, seen.id, variant, page.limit, page.offset).await?;
            (page, run.facts.persona_count.into())
        }
    };
    let rows = rows.into_iter().map(|(persona, text)| AskedTwin { persona, text: text.filter(|_| with_text) });
    Ok(Page { rows: rows.collect(), total })
}
