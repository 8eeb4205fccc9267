//! Counts and sums of the ledger, made by the database.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Serialize;
use simulation::money::Money;
use utoipa::ToSchema;

use super::lists::LedgerQuery;
use crate::app::App;
use crate::auth::rules::{Caller, EntryVisibility};
use crate::db;
use crate::http::error::Result;
use crate::http::extract::Query;
use crate::models::transactions::lists::{self as ledger, EntryFilter};

/// Sums of the entries asked for that the caller sees, in whole credits. Reversals count against what they undo.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LedgerStats {
    /// Entries.
    #[schema(example = 12)]
    count: i64,
    /// Credits added by entries of type `ADD`.
    #[schema(example = 750)]
    total_added: i64,
    /// Credits used by runs.
    #[schema(example = 420)]
    total_used: i64,
    /// Change of budgets by entries of type `SET`: negative if they took credits.
    #[schema(example = 500)]
    total_set: i64,
    /// Change of budgets by all entries: `totalAdded + totalSet − totalUsed`.
    #[schema(example = 830)]
    net: i64,
    /// Cost in money of the runs that these entries pay for, one amount for each currency: each run as a whole, and only
    /// those whose price is known.
    cost: Vec<Money>,
    /// The part of `cost` that was asked with keys of groups.
    cost_by_group_keys: Vec<Money>,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
struct LedgerCount {
    #[schema(example = 12)]
    count: i64,
}

async fn stats(app: &App, visible: &EntryVisibility, filter: &EntryFilter) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let ledger::Sums { count, added, used, set } = ledger::sums(&mut conn, visible.entries(), filter).await?;
    let net = added + set - used;
    let costs = ledger::cost(&mut conn, visible.entries(), filter).await?;
    let sums = LedgerStats {
        count,
        total_added: added,
        total_used: used,
        total_set: set,
        net,
        cost: costs.all,
        cost_by_group_keys: costs.by_group_keys,
    };
    Ok(HttpResponse::Ok().json(sums))
}

async fn count(app: &App, visible: &EntryVisibility, filter: &EntryFilter) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let seen = (visible.entries(), visible.accounts());
    Ok(HttpResponse::Ok().json(LedgerCount { count: ledger::count(&mut conn, seen, filter).await? }))
}

/// Sums of the entries that the caller sees
#[utoipa::path(
    get, path = "", operation_id = "sum_all_transactions",
    params(LedgerQuery),
    responses((status = 200, description = "The sums", body = LedgerStats))
)]
pub async fn all_stats(app: Data<App>, caller: Caller, Query(query): Query<LedgerQuery>) -> Result<HttpResponse> {
    let visible = EntryVisibility::load(&mut *db::checkout(&app.pool).await?, &caller).await?;
    stats(&app, &visible, &query.filter()?).await
}

/// Sums of the entries that the caller sees of the groups that they own or belong to
#[utoipa::path(
    get, path = "", operation_id = "sum_transactions_of_own_groups",
    params(LedgerQuery),
    responses((status = 200, description = "The sums", body = LedgerStats))
)]
pub async fn own_groups_stats(
    app: Data<App>,
    caller: Caller,
    Query(query): Query<LedgerQuery>,
) -> Result<HttpResponse> {
    let visible = EntryVisibility::of_own_groups(&mut *db::checkout(&app.pool).await?, &caller).await?;
    stats(&app, &visible, &query.filter()?).await
}

/// Sums of a group's entries that the caller sees
#[utoipa::path(
    get, path = "",
    params(LedgerQuery),
    responses((status = 200, description = "The sums", body = LedgerStats))
)]
pub async fn group_stats(
    app: Data<App>,
    caller: Caller,
    group_id: Path<i64>,
    Query(query): Query<LedgerQuery>,
) -> Result<HttpResponse> {
    let (visible, filter) = query.of_group(&app, &caller, *group_id).await?;
    stats(&app, &visible, &filter).await
}

/// How many of a group's entries the caller sees
#[utoipa::path(
    get, path = "",
    params(LedgerQuery),
    responses((status = 200, description = "The count", body = LedgerCount))
)]
pub async fn group_count(
    app: Data<App>,
    caller: Caller,
    group_id: Path<i64>,
    Query(query): Query<LedgerQuery>,
) -> Result<HttpResponse> {
    let (visible, filter) = query.of_group(&app, &caller, *group_id).await?;
    count(&app, &visible, &filter).await
}

/// Sums of a user's entries that the caller sees
#[utoipa::path(
    get, path = "",
    params(LedgerQuery),
    responses((status = 200, description = "The sums", body = LedgerStats))
)]
pub async fn user_stats(
    app: Data<App>,
    caller: Caller,
    user_id: Path<i64>,
    Query(query): Query<LedgerQuery>,
) -> Result<HttpResponse> {
    let (visible, filter) = query.of_user(&app, &caller, *user_id).await?;
    stats(&app, &visible, &filter).await
}

/// How many of a user's entries the caller sees
#[utoipa::path(
    get, path = "",
    params(LedgerQuery),
    responses((status = 200, description = "The count", body = LedgerCount))
)]
pub async fn user_count(
    app: Data<App>,
    caller: Caller,
    user_id: Path<i64>,
    Query(query): Query<LedgerQuery>,
) -> Result<HttpResponse> {
    let (visible, filter) = query.of_user(&app, &caller, *user_id).await?;
    count(&app, &visible, &filter).await
}
