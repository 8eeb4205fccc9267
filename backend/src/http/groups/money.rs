//! Budgets and spending of a group's members.

use std::collections::HashMap;

use actix_web::web::{Data, Path};
use serde::Serialize;
use simulation::money::Money;
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
use crate::models::simulations::costs::{self, RunCosts};

/// A member's budget, spending and costs in a group.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MemberUsage {
    #[serde(flatten)]
    spending: MemberSpending,
    /// Cost of the calls of all runs so far whose price is known, one amount for each currency.
    cost: Vec<Money>,
    /// The part of `cost` that was asked with keys of the group.
    #[serde(rename = "costByGroupKeys")]
    cost_by_group_keys: Vec<Money>,
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
    let mut costs: HashMap<i64, RunCosts> = costs::of_group(&mut conn, *group_id).await?.into_iter().collect();
    let with_cost = |spending: MemberSpending| {
        let RunCosts { all, by_group_keys } = costs.remove(&spending.user_id).unwrap_or_default();
        MemberUsage { spending, cost: all, cost_by_group_keys: by_group_keys }
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
