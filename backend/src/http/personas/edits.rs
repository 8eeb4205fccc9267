//! Adding, changing and deleting twins. Finished runs keep the twins that they asked.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::models::persona_edits::{self, PersonaChange};
use crate::models::persona_lists::PersonaProfile;
use crate::models::personas::NewPersona;

/// Characters of a name or an attribute value, as in imported files.
const MAX_LENGTH: usize = 200;

/// Adds a twin to the current ones (super admin)
#[utoipa::path(
    post, path = "", operation_id = "create_persona",
    responses(
        (status = 201, description = "Added", body = PersonaProfile),
        (status = 409, description = "The pid is another twin's")
    )
)]
pub async fn add(app: Data<App>, caller: Caller, Json(body): Json<NewPersona>) -> Result<HttpResponse> {
    caller.must_be_super_admin()?;
    let name = name(&body.name)?;
    check(&body.attributes)?;
    let pid = body.pid.trim().to_owned();
    if pid.chars().count() > MAX_LENGTH {
        return Err(ApiError::Invalid(format!("pid must have at most {MAX_LENGTH} characters")));
    }
    let text = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let full_text = text(body.full_text);
    let summary = text(body.summary).or_else(|| text(Some(body.description.clone())).filter(|_| full_text.is_none()));
    if summary.is_none() && full_text.is_none() {
        return Err(ApiError::invalid("summary is required where there is no description"));
    }
    let description = body.description.trim().to_owned();
    let new = NewPersona { pid, name, description, summary, full_text, ..body };
    let mut conn = db::checkout(&app.pool).await?;
    Ok(HttpResponse::Created().json(persona_edits::add(&mut conn, new).await?))
}

fn name(name: &str) -> Result<String> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > MAX_LENGTH {
        return Err(ApiError::Invalid(format!("name is required, with at most {MAX_LENGTH} characters")));
    }
    Ok(name.to_owned())
}

fn check(attributes: &BTreeMap<String, String>) -> Result<()> {
    let too_long = |text: &String| text.chars().count() > MAX_LENGTH;
    match attributes.iter().find(|(label, value)| label.trim().is_empty() || too_long(label) || too_long(value)) {
        Some(_) => {
            Err(ApiError::Invalid(format!("attributes take labels and values of up to {MAX_LENGTH} characters")))
        }
        None => Ok(()),
    }
}

/// Changes a twin (super admin)
#[utoipa::path(
    patch, path = "", operation_id = "update_persona",
    responses((status = 200, description = "The twin as it is now", body = PersonaProfile))
)]
pub async fn change(
    app: Data<App>,
    caller: Caller,
    id: Path<i32>,
    Json(body): Json<PersonaChange>,
) -> Result<HttpResponse> {
    caller.must_be_super_admin()?;
    body.attributes.as_ref().map_or(Ok(()), check)?;
    for (field, text) in [("summary", &body.summary), ("fullText", &body.full_text)] {
        if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
            return Err(ApiError::Invalid(format!("{field} must not be blank")));
        }
    }
    let wanted = PersonaChange {
        name: body.name.as_deref().map(name).transpose()?,
        description: body.description.map(|text| text.trim().to_owned()),
        ..body
    };
    let mut conn = db::checkout(&app.pool).await?;
    let changed = persona_edits::change(&mut conn, *id, wanted).await?;
    Ok(HttpResponse::Ok().json(changed.ok_or_else(|| ApiError::not_found("Persona"))?))
}

/// Deletes a twin (super admin)
#[utoipa::path(delete, path = "", operation_id = "delete_persona", responses((status = 204, description = "Deleted")))]
pub async fn remove(app: Data<App>, caller: Caller, id: Path<i32>) -> Result<HttpResponse> {
    caller.must_be_super_admin()?;
    let mut conn = db::checkout(&app.pool).await?;
    if persona_edits::remove(&mut conn, *id).await? {
        return Ok(HttpResponse::NoContent().finish());
    }
    Err(ApiError::not_found("Persona"))
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
struct Deleted {
    /// How many there were.
    #[schema(example = 2058)]
    deleted: i64,
}

/// Deletes all twins (super admin)
#[utoipa::path(
    delete, path = "", operation_id = "delete_personas",
    responses((status = 200, description = "Deleted", body = Deleted))
)]
pub async fn remove_all(app: Data<App>, caller: Caller) -> Result<HttpResponse> {
    caller.must_be_super_admin()?;
    let mut conn = db::checkout(&app.pool).await?;
    let deleted = persona_edits::remove_all(&mut conn).await?;
    Ok(HttpResponse::Ok().json(Deleted { deleted }))
}
