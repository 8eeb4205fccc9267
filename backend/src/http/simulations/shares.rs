//! Read-only links to a run's results: made, listed and revoked by who controls the run.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::access_token::{self, NewToken};
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::OptionalJson;
use crate::http::page::{Page, PageQuery};
use crate::models::share_links::{self, MAX_LINKS, NewShareLink, ShareLink};

/// Days until a link without an expiry of its own expires.
const DEFAULT_DAYS: i64 = 30;
const MAX_DAYS: i64 = 366;

/// A new link. Its token is shown this once.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CreatedShare {
    #[serde(flatten)]
    details: ShareLink,
    /// Token of `GET /shared/{token}`.
    #[schema(example = "Xb3kQ9pLm2Nd7Rt5Vw8Yz1Ac4Ef6Gh0JkLmNoPqR")]
    token: String,
    /// The page for people, without the address of the server.
    #[schema(example = "/shared/Xb3kQ9pLm2Nd7Rt5Vw8Yz1Ac4Ef6Gh0JkLmNoPqR")]
    path: String,
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShareToCreate {
    /// Expiry in the future, at most 366 days ahead; without it, in 30 days.
    #[serde(default, alias = "expires_at")]
    #[schema(example = json!(null))]
    expires_at: Option<DateTime<Utc>>,
}

/// Makes a read-only link to a run's results (who started it, the owner of its group, super admin)
///
/// Everybody who has the link sees the run's facts and summary, without an account, until it expires or is revoked. The answer
/// holds the token; it cannot be had again.
#[utoipa::path(
    post, path = "", operation_id = "share_simulation",
    request_body = Option<ShareToCreate>,
    responses(
        (status = 201, description = "The link", body = CreatedShare),
        (status = 409, description = "The run has 50 links")
    )
)]
pub async fn share(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    OptionalJson(new): OptionalJson<ShareToCreate>,
) -> Result<HttpResponse> {
    let now = Utc::now();
    let expires_at = new.unwrap_or_default().expires_at.unwrap_or(now + TimeDelta::days(DEFAULT_DAYS));
    if expires_at <= now || expires_at > now + TimeDelta::days(MAX_DAYS) {
        let message = format!("expiresAt must be in the future, at most {MAX_DAYS} days ahead");
        return Err(ApiError::Invalid(message));
    }
    let mut conn = db::checkout(&app.pool).await?;
    let run = rules::simulation(&mut conn, &caller, *id, Right::Control).await?;
    let token = NewToken::for_link();
    let row = NewShareLink {
        simulation_id: run.id,
        created_by: caller.id,
        prefix: token.shown(),
        token_hash: access_token::hash(token.expose()),
        expires_at,
    };
    let created = row.create(&mut conn).await?.ok_or_else(|| {
        ApiError::Conflict(format!("The simulation has {MAX_LINKS} links: revoke one first"))
            .with_code("too_many_links")
    })?;
    let token = token.expose().to_owned();
    let path = format!("/shared/{token}");
    Ok(HttpResponse::Created().json(CreatedShare { details: created, token, path }))
}

/// The read-only links to a run's results, newest first (who started it, the owner of its group, super admin)
#[utoipa::path(
    get, path = "", operation_id = "list_shares",
    params(PageQuery),
    responses((status = 200, description = "A page of them", body = Vec<ShareLink>))
)]
pub async fn list(app: Data<App>, caller: Caller, id: Path<Uuid>, page: PageQuery) -> Result<Page<ShareLink>> {
    let mut conn = db::checkout(&app.pool).await?;
    let run = rules::simulation(&mut conn, &caller, *id, Right::Control).await?;
    let (rows, total) = share_links::list(&mut conn, run.id, page.limit, page.offset).await?;
    Ok(Page { rows, total })
}

/// Revokes a read-only link: it leads nowhere at once (who started the run, the owner of its group, super admin)
#[utoipa::path(delete, path = "", operation_id = "revoke_share", responses((status = 204, description = "Revoked")))]
pub async fn revoke(app: Data<App>, caller: Caller, path: Path<(Uuid, i64)>) -> Result<HttpResponse> {
    let (id, share_id) = *path;
    let mut conn = db::checkout(&app.pool).await?;
    let run = rules::simulation(&mut conn, &caller, id, Right::Control).await?;
    if share_links::revoke(&mut conn, run.id, share_id).await? {
        return Ok(HttpResponse::NoContent().finish());
    }
    Err(ApiError::not_found("Link"))
}
