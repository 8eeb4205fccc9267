//! Everything about the caller, and the end of the account.

use actix_web::HttpResponse;
use actix_web::web::Data;

use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::download::attach;
use crate::http::error::{ApiError, Result};
use crate::models::{erasure, groups, personal_data};

/// Everything about the caller, as JSON
///
/// Profile, settings, memberships, surveys with their questions, runs with their answers, transactions and requests for
/// access.
#[utoipa::path(
    get, path = "", operation_id = "download_my_data",
    responses((status = 200, description = "A file of JSON", body = serde_json::Value))
)]
pub async fn download(app: Data<App>, caller: Caller) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let data = personal_data::export(&mut conn, caller.id).await?;
    Ok(attach(&mut HttpResponse::Ok(), "my-data.json").body(data))
}

/// Deletes the caller's account
///
/// Who owns an open group closes it first, or has it handed over. Active runs stop, sessions end at once, and the personal data is erased within a day.
#[utoipa::path(
    delete, path = "", operation_id = "delete_account",
    responses((status = 204, description = "Deleted"), (status = 409, description = "The caller owns an open group"))
)]
pub async fn remove(app: Data<App>, caller: Caller) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    if groups::owns_open_group(&mut conn, caller.id).await? {
        let message =
            "You own an open group: close it, or have a super admin hand it over, before you delete your account";
        return Err(ApiError::conflict(message).with_code("owns_open_group"));
    }
    erasure::delete_account(&mut conn, caller.id).await?;
    tracing::info!(user = caller.id, "an account was deleted by its owner");
    Ok(HttpResponse::NoContent().finish())
}
