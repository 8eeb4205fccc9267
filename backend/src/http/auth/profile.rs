//! Name, e-mail and role of the caller.

use actix_web::HttpResponse;
use actix_web::web::Data;
use diesel::QueryResult;
use diesel_async::AsyncPgConnection;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::http::names;
use crate::models::user_photos::Photo;
use crate::models::users::User;

/// Profile of a user.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    #[serde(flatten)]
    pub user: User,
    /// Address of the photo, if there is one.
    #[schema(example = "/api/auth/photo/0b5c8c5e-5f0a-4a5e-9d3c-2f1b6a7c8d9e")]
    pub photo_url: Option<String>,
}

impl Profile {
    pub async fn load(conn: &mut AsyncPgConnection, user: User) -> QueryResult<Self> {
        let photo_url = Photo::address(conn, user.id).await?;
        Ok(Self::new(user, photo_url))
    }

    pub fn new(user: User, photo_url: Option<String>) -> Self {
        Self { user, photo_url }
    }
}

/// The caller's profile
#[utoipa::path(
    get, path = "", operation_id = "show_profile",
    responses((status = 200, description = "The profile", body = Profile))
)]
pub async fn show(app: Data<App>, caller: Caller) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    Ok(HttpResponse::Ok().json(Profile::load(&mut conn, caller.user).await?))
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct ProfileUpdate {
    /// Not blank, at most 200 characters.
    #[schema(example = "Ada Lovelace")]
    name: String,
}

/// Changes the caller's name
#[utoipa::path(
    put, path = "", operation_id = "update_profile",
    responses((status = 200, description = "The profile as it is now", body = Profile))
)]
pub async fn update(app: Data<App>, caller: Caller, Json(update): Json<ProfileUpdate>) -> Result<HttpResponse> {
    let name = update.name.trim();
    if name.is_empty() {
        return Err(ApiError::invalid("Name cannot be empty."));
    }
    names::check_change("Name", caller.user.name.as_deref(), name)?;
    let mut conn = db::checkout(&app.pool).await?;
    let user = User::rename(&mut conn, caller.id, name).await?;
    Ok(HttpResponse::Ok().json(Profile::load(&mut conn, user).await?))
}
