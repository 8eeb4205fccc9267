//! The ledger's lists. Each holds what the caller sees: their own entries, and those of the groups that they own.

use actix_web::web::{Data, Path};
use chrono::NaiveDate;
use serde::Deserialize;
use uuid::Uuid;

use super::TransactionView;
use crate::app::App;
use crate::auth::rules::{self, Caller, EntryVisibility, Right};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Query;
use crate::http::page::{Page, PageQuery};
use crate::models::transactions::lists::{self as entries, EntryFilter, EntryOrder, Sort};

/// Filter and order of a list of entries.
#[derive(Clone, Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LedgerQuery {
    /// Only of this group.
    #[serde(default, alias = "groupId")]
    #[param(example = 4)]
    group: Option<i64>,
    /// `ADD`, `MINES` or `SET`; all of them where it is empty.
    #[serde(default, rename = "type")]
    #[param(example = "ADD", pattern = "^(ADD|MINES|SET)?$")]
    type_: Option<String>,
    /// Only of this day and later, in UTC.
    #[serde(default)]
    #[param(example = "2026-01-31")]
    from: Option<NaiveDate>,
    /// Only of this day and earlier, in UTC.
    #[serde(default)]
    #[param(example = "2026-12-31")]
    to: Option<NaiveDate>,
    /// Text in the description, the user's name or e-mail, or the group's name, in letters of either case.
    #[serde(default, alias = "search")]
    #[param(example = "funds", max_length = 200)]
    q: Option<String>,
    /// Field that decides the order; by default the date.
    #[serde(default)]
    #[param(inline)]
    pub sort: Sort,
    /// Descending without it.
    #[serde(default)]
    #[param(inline)]
    pub order: EntryOrder,
}

impl LedgerQuery {
    pub fn filter(&self) -> Result<EntryFilter> {
        let type_ = match self.type_.as_deref() {
            None | Some("") => None,
            Some("ADD") => Some("ADD"),
            Some("MINES") => Some("MINES"),
            Some("SET") => Some("SET"),
            Some(_) => return Err(ApiError::invalid("type must be ADD, MINES or SET")),
        };
        let q = self.q.as_deref().map(str::trim).filter(|q| !q.is_empty());
        if q.is_some_and(|q| q.chars().count() > 200) {
            return Err(ApiError::invalid("q must have at most 200 characters"));
        }
        let (from, to) = (self.from, self.to);
        Ok(EntryFilter { group_id: self.group, type_, from, to, q: q.map(str::to_owned), ..EntryFilter::default() })
    }

    /// The entries of one group that the caller sees. Fails if the caller does not see the group.
    pub async fn of_group(&self, app: &App, caller: &Caller, id: i64) -> Result<(EntryVisibility, EntryFilter)> {
        let mut conn = db::checkout(&app.pool).await?;
        rules::group(&mut conn, caller, id, Right::See).await?;
        let filter = EntryFilter { group_id: Some(id), ..self.filter()? };
        Ok((EntryVisibility::load(&mut conn, caller).await?, filter))
    }

    /// The entries of one user that the caller sees. Fails if the caller does not see the user.
    pub async fn of_user(&self, app: &App, caller: &Caller, id: i64) -> Result<(EntryVisibility, EntryFilter)> {
        let mut conn = db::checkout(&app.pool).await?;
        rules::person_of_ledger(&mut conn, caller, id).await?;
        let filter = EntryFilter { user_id: Some(id), ..self.filter()? };
        Ok((EntryVisibility::load(&mut conn, caller).await?, filter))
    }
}

/// A page of the entries that the caller sees.
pub async fn answer(
    app: &App,
    caller: &Caller,
    visible: &EntryVisibility,
    filter: &EntryFilter,
    query: &LedgerQuery,
    page: PageQuery,
) -> Result<Page<TransactionView>> {
    let mut conn = db::checkout(&app.pool).await?;
    let order = (query.sort, query.order);
    let seen = (|| visible.entries(), visible.accounts());
    let (ids, total) = entries::page(&mut conn, seen, filter, order, (page.limit, page.offset)).await?;
    Ok(Page { rows: TransactionView::of(&mut conn, caller, &ids).await?, total })
}

/// The entries that the caller sees: their own and those of groups that they own; all for a super admin
#[utoipa::path(
    get, path = "", operation_id = "list_transactions",
    params(LedgerQuery, PageQuery),
    responses((status = 200, description = "A page of entries", body = Vec<TransactionView>))
)]
pub async fn list(
    app: Data<App>,
    caller: Caller,
    Query(query): Query<LedgerQuery>,
    page: PageQuery,
) -> Result<Page<TransactionView>> {
    let visible = EntryVisibility::load(&mut *db::checkout(&app.pool).await?, &caller).await?;
    answer(&app, &caller, &visible, &query.filter()?, &query, page).await
}

/// Entries as in `GET /transactions`
#[utoipa::path(
    get, path = "", operation_id = "list_all_transactions",
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

/// The entries that the caller sees of the groups that they own or belong to
#[utoipa::path(
    get, path = "", operation_id = "list_transactions_of_own_groups",
    params(LedgerQuery, PageQuery),
    responses((status = 200, description = "A page of entries", body = Vec<TransactionView>))
)]
pub async fn of_own_groups(
    app: Data<App>,
    caller: Caller,
    Query(query): Query<LedgerQuery>,
    page: PageQuery,
) -> Result<Page<TransactionView>> {
    let visible = EntryVisibility::of_own_groups(&mut *db::checkout(&app.pool).await?, &caller).await?;
    answer(&app, &caller, &visible, &query.filter()?, &query, page).await
}

/// The entries of a group that the caller sees: all for its owner, a member's own
#[utoipa::path(
    get, path = "", operation_id = "list_transactions_of_group",
    params(LedgerQuery, PageQuery),
    responses((status = 200, description = "A page of entries", body = Vec<TransactionView>))
)]
pub async fn of_group(
    app: Data<App>,
    caller: Caller,
    group_id: Path<i64>,
    Query(query): Query<LedgerQuery>,
    page: PageQuery,
) -> Result<Page<TransactionView>> {
    let (visible, filter) = query.of_group(&app, &caller, *group_id).await?;
    answer(&app, &caller, &visible, &filter, &query, page).await
}

/// The entries of a user that the caller sees: the caller's own, or those in groups that the caller owns
#[utoipa::path(
    get, path = "", operation_id = "list_transactions_of_user",
    params(LedgerQuery, PageQuery),
    responses((status = 200, description = "A page of entries", body = Vec<TransactionView>))
)]
pub async fn of_user(
    app: Data<App>,
    caller: Caller,
    user_id: Path<i64>,
    Query(query): Query<LedgerQuery>,
    page: PageQuery,
) -> Result<Page<TransactionView>> {
    let (visible, filter) = query.of_user(&app, &caller, *user_id).await?;
    answer(&app, &caller, &visible, &filter, &query, page).await
}

/// Entries that a run has cost: one for its first pass, and one for each retry
#[utoipa::path(
    get, path = "", operation_id = "list_transactions_of_simulation",
    params(LedgerQuery, PageQuery),
    responses((status = 200, description = "A page of entries", body = Vec<TransactionView>))
)]
pub async fn of_simulation(
    app: Data<App>,
    caller: Caller,
    simulation_id: Path<Uuid>,
    Query(query): Query<LedgerQuery>,
    page: PageQuery,
) -> Result<Page<TransactionView>> {
    let mut conn = db::checkout(&app.pool).await?;
    let run = rules::simulation(&mut conn, &caller, *simulation_id, Right::See).await?;
    let visible = EntryVisibility::load(&mut conn, &caller).await?;
    drop(conn);
    let filter = EntryFilter { simulation_id: Some(run.id), ..query.filter()? };
    answer(&app, &caller, &visible, &filter, &query, page).await
}
