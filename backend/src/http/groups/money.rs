//! What a group's members have, and where it went.

use std::collections::HashMap;

use actix_web::web::{Data, Path};
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::rules::{self, Caller, EntryVisibility, Right};
use crate::db;
use crate::http::error::Result;
use crate::http::extract::Query;
use crate::http::page::{Page, PageQuery};
use crate::http::transactions::TransactionView;
use crate::http::transactions::lists::{LedgerQuery, answer};
use crate::models::group_members::lists::{self, MemberSpending};
use crate::models::simulations::costs;
use crate::money::Money;

/// What a member has and has spent in a group, in whole credits.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberUsage {
    #[schema(example = 7)]
    pub user_id: i64,
    #[schema(example = "ada@example.org")]
    pub email: String,
    #[schema(example = "Ada Lovelace")]
    pub name: Option<String>,
    /// `active` or `suspended`.
    #[schema(example = "active")]
    pub status: String,
    #[schema(example = 500)]
    pub budget: i64,
    /// Set aside by active runs.
    #[schema(example = 80)]
    pub held: i64,
    /// By all runs so far.
    #[schema(example = 1200)]
    pub spent: i64,
    /// Runs started in the group.
    #[schema(example = 3)]
    pub runs: i64,
    /// When the last of them was started.
    pub last_run_at: Option<DateTime<Utc>>,
    /// What the calls of all runs so far have cost, an amount a currency: of the runs whose price is known.
    pub cost: Vec<Money>,
}

impl MemberUsage {
    fn new(usage: MemberSpending, cost: Vec<Money>) -> Self {
        let MemberSpending { user_id, email, name, status, budget, held, spent, runs, last_run_at } = usage;
        Self { user_id, email, name, status, budget, held, spent, runs, last_run_at, cost }
    }
}

/// Budget, holds, spending and runs of each member (the group's owner, super admin)
#[utoipa::path(
    get, path = "", operation_id = "group_usage",
    params(PageQuery),
    responses((status = 200, description = "A page of members, newest first", body = Vec<MemberUsage>))
)]
pub async fn member_usage(
    app: Data<App>,
    caller: Caller,
    group_id: Path<i64>,
    page: PageQuery,
) -> Result<Page<MemberUsage>> {
    let mut conn = db::checkout(&app.pool).await?;
    rules::group(&mut conn, &caller, *group_id, Right::Oversee).await?;
    let (rows, total) = lists::usage(&mut conn, *group_id, page.limit, page.offset).await?;
    let mut costs: HashMap<i64, Vec<Money>> = costs::of_group(&mut conn, *group_id).await?.into_iter().collect();
    let with_cost = |usage: MemberSpending| {
        let cost = costs.remove(&usage.user_id).unwrap_or_default();
        MemberUsage::new(usage, cost)
    };
    Ok(Page { rows: rows.into_iter().map(with_cost).collect(), total })
}

/// The entries of a group that the caller sees: all for its owner, a member's own
#[utoipa::path(
    get, path = "", operation_id = "list_group_ledger",
    params(LedgerQuery, PageQuery),
    responses((status = 200, description = "A page of entries", body = Vec<TransactionView>))
)]
pub async fn ledger(
    app: Data<App>,
    caller: Caller,
    group_id: Path<i64>,
    Query(query): Query<LedgerQuery>,
    page: PageQuery,
) -> Result<Page<TransactionView>> {
    let (visible, filter) = query.of_group(&app, &caller, *group_id).await?;
    answer(&app, &caller, &visible, &filter, &query, page).await
}

/// The entries of all groups that the caller sees
#[utoipa::path(
    get, path = "", operation_id = "list_all_group_ledgers",
    params(LedgerQuery, PageQuery),
    responses((status = 200, description = "A page of entries", body = Vec<TransactionView>))
)]
pub async fn all(
    app: Data<App>,
    caller: Caller,
    Query(query): Query<LedgerQuery>,
    page: PageQuery,
) -> Result<Page<TransactionView>> {
    let visible = EntryVisibility::load(&mut *db::checkout(&app.pool).await?, &caller).await?;
    answer(&app, &caller, &visible, &query.filter()?, &query, page).await
}
