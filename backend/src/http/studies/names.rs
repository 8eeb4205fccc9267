//! Changes of a study: its name and its note.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Deserialize;
use simulation::json_objects::given;
use utoipa::ToSchema;
use uuid::Uuid;

use super::StudyOverview;
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::Result;
use crate::http::extract::Json;
use crate::http::simulations::names::checked;
use crate::models::studies;

/// A change of a study. A field that is left out stays; null or an empty text removes it.
#[derive(Debug, Deserialize, ToSchema)]
pub struct StudyNames {
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, example = "Baselines", max_length = 120)]
    name: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, example = "What the profile adds", max_length = 2000)]
    note: Option<Option<String>>,
}

/// Names a study, or notes something down of it; its runs keep their names
#[utoipa::path(
    patch, path = "",
    responses((status = 200, description = "The study as it is now", body = StudyOverview))
)]
pub async fn name_study(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    Json(asked): Json<StudyNames>,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let study = rules::study(&mut conn, &caller, *id, Right::Control).await?;
    studies::rename(&mut conn, study, &checked(asked.name, asked.note)?).await?;
    Ok(HttpResponse::Ok().json(StudyOverview::find(&mut conn, study).await?))
}
