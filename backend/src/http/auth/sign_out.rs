//! Signing out: the session of the call, or all of them.

use actix_web::HttpResponse;
use actix_web::web::Data;

use crate::app::App;
use crate::auth::rules::{Caller, Credential};
use crate::db;
use crate::http::error::Result;
use crate::models::users::User;
use crate::models::{access_tokens, ended_sessions};

/// Ends the session, or the personal access token, that the call is made with
#[utoipa::path(post, path = "", responses((status = 204, description = "Signed out: the token is void")))]
pub async fn logout(app: Data<App>, caller: Caller) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    match caller.credential {
        Credential::Session { id, expires_at } => ended_sessions::end(&mut conn, id, expires_at).await?,
        Credential::Token { id, .. } => {
            access_tokens::revoke(&mut conn, caller.id, id).await?;
        }
    }
    Ok(HttpResponse::NoContent().finish())
}

/// Ends all sessions of the caller
///
/// Personal access tokens stay until they are deleted.
#[utoipa::path(post, path = "", responses((status = 204, description = "Signed out on every device")))]
pub async fn logout_everywhere(app: Data<App>, caller: Caller) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    User::end_sessions(&mut conn, caller.id).await?;
    Ok(HttpResponse::NoContent().finish())
}
