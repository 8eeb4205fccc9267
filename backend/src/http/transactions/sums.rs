//! Counts and sums of the ledger, made by the database.

use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, get};
use serde::Serialize;
use utoipa::ToSchema;

use super::lists::LedgerQuery;
use crate::app::App;
use crate::auth::rules::{Caller, SeenEntries};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Query;
use crate::models::transactions::lists::{self as ledger, Filter};
use crate::models::transactions::memory::Seen;

resource!("Transactions": group_stats, group_count, user_stats, user_count);

/// Sums of the entries asked for that the caller sees, in whole credits. Reversals count against what they undo.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LedgerStats {
    /// Entries.
    #[schema(example = 12)]
    count: i64,
    /// By entries of type `ADD`.
    #[schema(example = 750)]
    total_added: i64,
    /// By runs.
    #[schema(example = 420)]
    total_used: i64,
    /// What entries of type `SET` did to budgets: negative where they took.
    #[schema(example = 500)]
    total_set: i64,
    /// What all of them did to budgets: `totalAdded + totalSet − totalUsed`.
    #[schema(example = 830)]
    net: i64,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
struct LedgerCount {
    #[schema(example = 12)]
    count: i64,
}

async fn stats(app: &App, seen: &SeenEntries, filter: &Filter) -> Result<HttpResponse> {
    let sums = app.lists.ledger_sums.ask(format!("{seen:?} {filter:?}"), async || {
        let mut conn = db::checkout(&app.pool).await?;
        Ok::<_, ApiError>(ledger::sums(&mut conn, seen.entries(), filter).await?)
    });
    let ledger::Sums { count, added, used, set } = sums.await?;
    let net = added + set - used;
    Ok(HttpResponse::Ok().json(LedgerStats { count, total_added: added, total_used: used, total_set: set, net }))
}

async fn count(app: &App, seen: &SeenEntries, filter: &Filter) -> Result<HttpResponse> {
    let count = app.lists.ledger_counts.ask(format!("{seen:?} {filter:?}"), async || {
        Ok::<_, ApiError>(app.ledger.count(&mut *db::checkout(&app.pool).await?, seen, filter).await?)
    });
    Ok(HttpResponse::Ok().json(LedgerCount { count: count.await? }))
}

/// Sums of a group's entries that the caller sees
#[utoipa::path(
    params(("groupId" = i64, Path), LedgerQuery),
    responses((status = 200, description = "The sums", body = LedgerStats))
)]
#[get("/transactions/group/{groupId}/stats")]
async fn group_stats(
    app: Data<App>,
    caller: Caller,
    group_id: Path<i64>,
    Query(query): Query<LedgerQuery>,
) -> Result<HttpResponse> {
    let (seen, filter) = query.of_group(&app, &caller, *group_id).await?;
    stats(&app, &seen, &filter).await
}

/// How many of a group's entries the caller sees
#[utoipa::path(
    params(("groupId" = i64, Path), LedgerQuery),
    responses((status = 200, description = "The count", body = LedgerCount))
)]
#[get("/transactions/group/{groupId}/count")]
async fn group_count(
    app: Data<App>,
    caller: Caller,
    group_id: Path<i64>,
    Query(query): Query<LedgerQuery>,
) -> Result<HttpResponse> {
    let (seen, filter) = query.of_group(&app, &caller, *group_id).await?;
    count(&app, &seen, &filter).await
}

/// Sums of a user's entries that the caller sees
#[utoipa::path(
    params(("userId" = i64, Path), LedgerQuery),
    responses((status = 200, description = "The sums", body = LedgerStats))
)]
#[get("/transactions/user/{userId}/stats")]
async fn user_stats(
    app: Data<App>,
    caller: Caller,
    user_id: Path<i64>,
    Query(query): Query<LedgerQuery>,
) -> Result<HttpResponse> {
    let (seen, filter) = query.of_user(&app, &caller, *user_id).await?;
    stats(&app, &seen, &filter).await
}

/// How many of a user's entries the caller sees
#[utoipa::path(
    params(("userId" = i64, Path), LedgerQuery),
    responses((status = 200, description = "The count", body = LedgerCount))
)]
#[get("/transactions/user/{userId}/count")]
async fn user_count(
    app: Data<App>,
    caller: Caller,
    user_id: Path<i64>,
    Query(query): Query<LedgerQuery>,
) -> Result<HttpResponse> {
    let (seen, filter) = query.of_user(&app, &caller, *user_id).await?;
    count(&app, &seen, &filter).await
}
