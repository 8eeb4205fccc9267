//! What a group's members have, and where it went.

use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, get};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::rules::{self, Caller, Right, SeenEntries};
use crate::db;
use crate::http::error::Result;
use crate::http::extract::Query;
use crate::http::page::{Counted, Page};
use crate::http::transactions::TransactionView;
use crate::http::transactions::lists::{LedgerQuery, answer};
use crate::models::group_members::lists::{self, Usage};

resource!("Groups": all, ledger, member_usage);

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
}

impl From<Usage> for MemberUsage {
    fn from(usage: Usage) -> Self {
        let Usage { user_id, email, name, status, budget, held, spent, runs } = usage;
        Self { user_id, email, name, status, budget, held, spent, runs }
    }
}

/// Budget, holds, spending and runs of each member (the group's owner, super admin)
#[utoipa::path(
    operation_id = "group_usage",
    params(("groupId" = i64, Path), Page),
    responses((status = 200, description = "A page of members, newest first", body = Vec<MemberUsage>))
)]
#[get("/groups/{groupId}/usage")]
async fn member_usage(app: Data<App>, caller: Caller, group_id: Path<i64>, page: Page) -> Result<HttpResponse> {
    rules::group(&mut *db::checkout(&app.pool).await?, &caller, *group_id, Right::Own).await?;
    let found = app.lists.usage.ask(format!("{group_id} {page:?}"), async || {
        let mut conn = db::checkout(&app.pool).await?;
        let (rows, total) = lists::usage(&mut conn, *group_id, page.limit, page.offset).await?;
        Counted { rows: rows.into_iter().map(MemberUsage::from).collect::<Vec<_>>(), total }.write()
    });
    Ok(found.await?.answer())
}

/// The entries of a group that the caller sees: all for its owner, a member's own
#[utoipa::path(
    operation_id = "list_group_ledger",
    params(("groupId" = i64, Path), LedgerQuery, Page),
    responses((status = 200, description = "A page of entries", body = Vec<TransactionView>))
)]
#[get("/groups/{groupId}/transactions")]
async fn ledger(
    app: Data<App>,
    caller: Caller,
    group_id: Path<i64>,
    Query(query): Query<LedgerQuery>,
    page: Page,
) -> Result<HttpResponse> {
    let (seen, filter) = query.of_group(&app, &caller, *group_id).await?;
    answer(&app, &caller, &seen, &filter, &query, page).await
}

/// The entries of all groups that the caller sees
#[utoipa::path(
    operation_id = "list_all_group_ledgers",
    params(LedgerQuery, Page),
    responses((status = 200, description = "A page of entries", body = Vec<TransactionView>))
)]
#[get("/groups/transactions/all")]
async fn all(app: Data<App>, caller: Caller, Query(query): Query<LedgerQuery>, page: Page) -> Result<HttpResponse> {
    let seen = SeenEntries::of(&mut *db::checkout(&app.pool).await?, &caller).await?;
    answer(&app, &caller, &seen, &query.filter()?, &query, page).await
}
