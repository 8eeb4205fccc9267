//! Personal access tokens of the caller, for scripts.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::access_token::{self, NewToken};
use crate::auth::rules::{Caller, Scope};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::http::names;
use crate::http::page::{Page, PageQuery};
use crate::models::access_tokens::{self, AccessToken, MAX_TOKENS, NewAccessToken};

/// A new token. It is shown this once.
#[derive(Debug, Serialize, ToSchema)]
struct CreatedToken {
    #[serde(flatten)]
    details: AccessToken,
    /// The token, to be sent as a bearer token.
    #[schema(example = "twl_Xb3kQ9pLm2Nd7Rt5Vw8Yz1Ac4Ef6Gh0JkLmNoPqR")]
    token: String,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenToCreate {
    /// The purpose of the token. Not blank.
    #[schema(example = "My notebook", min_length = 1, max_length = 100)]
    name: String,
    /// `read`: every `GET`. `run`: also changes of surveys and simulations. `manage`: everything. At least one; each
    /// includes the ones before it.
    #[schema(example = json!(["run"]), min_items = 1)]
    scopes: Vec<Scope>,
    /// Expiry in the future; without it, the token does not expire.
    #[serde(default, alias = "expires_at")]
    #[schema(example = json!(null))]
    expires_at: Option<DateTime<Utc>>,
}

/// Creates a personal access token
///
/// The answer holds the token; it cannot be had again. A token may create others only if its scope is `manage`.
#[utoipa::path(
    post, path = "", operation_id = "create_token",
    responses(
        (status = 201, description = "The token", body = CreatedToken),
        (status = 409, description = "The caller has 50 tokens")
    )
)]
pub async fn create(app: Data<App>, caller: Caller, Json(new): Json<TokenToCreate>) -> Result<HttpResponse> {
    let name = new.name.trim();
    if name.is_empty() || name.chars().count() > 100 {
        return Err(ApiError::invalid("name is required, with at most 100 characters"));
    }
    names::check("name", name)?;
    let mut scopes = new.scopes;
    scopes.sort_unstable();
    scopes.dedup();
    if scopes.is_empty() {
        return Err(ApiError::invalid("scopes must hold at least one of read, run and manage"));
    }
    if new.expires_at.is_some_and(|at| at <= Utc::now()) {
        return Err(ApiError::invalid("expiresAt must be in the future"));
    }
    let token = NewToken::make();
    let row = NewAccessToken {
        user_id: caller.id,
        name,
        prefix: token.shown(),
        token_hash: access_token::hash(token.expose()),
        scopes: scopes.into_iter().map(Scope::as_str).collect(),
        expires_at: new.expires_at,
    };
    let mut conn = db::checkout(&app.pool).await?;
    let created = row.create(&mut conn).await?.ok_or_else(|| {
        ApiError::Conflict(format!("You have {MAX_TOKENS} tokens: delete one first")).with_code("too_many_tokens")
    })?;
    Ok(HttpResponse::Created().json(CreatedToken { details: created, token: token.expose().to_owned() }))
}

/// The caller's personal access tokens, newest first
#[utoipa::path(
    get, path = "", operation_id = "list_tokens",
    params(PageQuery),
    responses((status = 200, description = "A page of them", body = Vec<AccessToken>))
)]
pub async fn list(app: Data<App>, caller: Caller, page: PageQuery) -> Result<Page<AccessToken>> {
    let mut conn = db::checkout(&app.pool).await?;
    let (rows, total) = access_tokens::list(&mut conn, caller.id, page.limit, page.offset).await?;
    Ok(Page { rows, total })
}

/// Deletes a personal access token of the caller: it is void at once
#[utoipa::path(delete, path = "", operation_id = "delete_token", responses((status = 204, description = "Deleted")))]
pub async fn remove(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    if access_tokens::revoke(&mut conn, caller.id, *id).await? {
        return Ok(HttpResponse::NoContent().finish());
    }
    Err(ApiError::not_found("Token"))
}
