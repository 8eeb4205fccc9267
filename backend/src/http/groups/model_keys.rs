//! Keys of a group for the model servers. They go in and never come out.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use serde::{Deserialize, Serialize};
use simulation::key_owner::KeyOwner;
use simulation::wire::Wire;
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::key_vault::{checked_key, last_characters};
use crate::auth::rules::{self, Caller, Right};
use crate::config::{ModelConfig, ModelServers};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::models::group_model_keys::{self, NewSealedKey, ShownKey};

/// The key of a group for a model server: whether there is one, not the key itself.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ModelKey {
    #[schema(example = "openai")]
    server: String,
    /// The API that the server speaks; null: the installation does not name this server any more.
    wire: Option<Wire>,
    #[schema(example = json!(["gpt-4.1-mini"]))]
    models: Vec<String>,
    /// The last characters of the group's key; null: the group has none for this server.
    #[schema(example = "a1B2")]
    last_four: Option<String>,
    /// E-mail of the user who set the key.
    #[schema(example = "ada@example.org")]
    set_by: Option<String>,
    set_at: Option<DateTime<Utc>>,
    /// The key was stored under another session secret, so that runs cannot use it: it has to be set again.
    must_be_set_again: bool,
    /// Owner of the key that new runs ask with; null: there is none, so they cannot ask this server.
    new_runs_use: Option<KeyOwner>,
}

impl ModelKey {
    fn new(name: &str, server: Option<&ModelConfig>, stored: Option<ShownKey>, is_readable: bool) -> Self {
        let of_instance = server.filter(|server| server.missing_key().is_none()).map(|_| KeyOwner::Instance);
        let of_group = stored.as_ref().and(server).map(|_| KeyOwner::Group);
        Self {
            server: name.to_owned(),
            wire: server.map(|server| server.wire),
            models: server.map(|server| server.models.clone()).unwrap_or_default(),
            last_four: stored.as_ref().map(|key| key.last_four.clone()),
            set_by: stored.as_ref().map(|key| key.set_by.clone()),
            must_be_set_again: stored.is_some() && !is_readable,
            set_at: stored.map(|key| key.set_at),
            new_runs_use: of_group.or(of_instance),
        }
    }
}

/// The model servers that take a key: the built-in demo model does not.
fn with_keys(models: &ModelServers) -> impl Iterator<Item = &ModelConfig> {
    models.iter().filter(|server| !server.is_demo())
}

/// A line for each model server that takes a key, and for each key whose server is not named any more.
async fn lines(conn: &mut AsyncPgConnection, app: &App, group_id: i64) -> Result<Vec<ModelKey>> {
    let mut stored = group_model_keys::list(conn, group_id).await?;
    let line = |name: &str, server: Option<&ModelConfig>, key: Option<ShownKey>| {
        let opens = |key: &ShownKey| app.key_vault.open(group_id, name, &key.sealed).is_some();
        let is_readable = key.as_ref().is_some_and(opens);
        ModelKey::new(name, server, key, is_readable)
    };
    let mut lines = Vec::new();
    for server in with_keys(&app.config.models) {
        let place = stored.iter().position(|key| key.server == server.name);
        lines.push(line(&server.name, Some(server), place.map(|place| stored.remove(place))));
    }
    lines.extend(stored.into_iter().map(|key| line(&key.server.clone(), None, Some(key))));
    Ok(lines)
}

/// The owner of the key that new runs of a group use at each model server (the group's owner, super admin)
///
/// Keys themselves are never shown.
#[utoipa::path(
    get, path = "", operation_id = "list_model_keys",
    responses((status = 200, description = "A line for each model server, in the order of the file", body = Vec<ModelKey>))
)]
pub async fn list(app: Data<App>, caller: Caller, group_id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    rules::group(&mut conn, &caller, *group_id, Right::Own).await?;
    Ok(HttpResponse::Ok().json(lines(&mut conn, &app, *group_id).await?))
}

#[derive(Deserialize, ToSchema)]
pub struct ModelKeyBody {
    /// The key. It is stored encrypted, and no call shows it.
    #[schema(example = "sk-0123456789", min_length = 8, max_length = 1000)]
    key: String,
}

/// Sets or replaces the group's key for a model server (the group's owner, super admin)
///
/// New runs of the group ask this server with it. Runs that began with the earlier key of the group go on with this one.
#[utoipa::path(
    put, path = "", operation_id = "set_model_key",
    responses(
        (status = 200, description = "The line of the server, without the key", body = ModelKey),
        (status = 404, description = "No group, or no model server that takes a key")
    )
)]
pub async fn put(
    app: Data<App>,
    caller: Caller,
    ids: Path<(i64, String)>,
    Json(ModelKeyBody { key }): Json<ModelKeyBody>,
) -> Result<HttpResponse> {
    let (group_id, name) = ids.into_inner();
    let mut conn = db::checkout(&app.pool).await?;
    rules::group(&mut conn, &caller, group_id, Right::Own).await?;
    let server = with_keys(&app.config.models).find(|server| server.name == name);
    let server = server.ok_or_else(|| ApiError::not_found("Model server"))?;
    let key = checked_key(&key).map_err(|reason| ApiError::Invalid(format!("key {reason}")))?;
    let new = NewSealedKey {
        group_id,
        server: &server.name,
        sealed: app.key_vault.seal(group_id, &server.name, &key),
        last_four: last_characters(&key),
        set_by: caller.id,
    };
    new.put(&mut conn).await?;
    let line = lines(&mut conn, &app, group_id).await?.into_iter().find(|line| line.server == name);
    Ok(HttpResponse::Ok().json(line.ok_or_else(|| ApiError::not_found("Model key"))?))
}

/// Removes the group's key for a model server (the group's owner, super admin)
///
/// Runs that began with it pause. New runs use the key of the instance, if it has one.
#[utoipa::path(
    delete, path = "", operation_id = "remove_model_key",
    responses((status = 204, description = "Removed"), (status = 404, description = "The group has no key for it"))
)]
pub async fn remove(app: Data<App>, caller: Caller, ids: Path<(i64, String)>) -> Result<HttpResponse> {
    let (group_id, server) = ids.into_inner();
    let mut conn = db::checkout(&app.pool).await?;
    rules::group(&mut conn, &caller, group_id, Right::Own).await?;
    if group_model_keys::remove(&mut conn, group_id, &server, caller.id).await? {
        return Ok(HttpResponse::NoContent().finish());
    }
    Err(ApiError::not_found("Model key"))
}
