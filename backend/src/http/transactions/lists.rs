//! The ledger's lists. Each holds what the caller sees: their own entries, and those of the groups that they own.

use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, get};
use serde::Deserialize;
use uuid::Uuid;

use super::TransactionView;
use crate::app::App;
use crate::auth::rules::{self, Caller, Right, SeenEntries};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Query;
use crate::http::page::{Counted, Page};
use crate::models::transactions::lists::{Filter, Order, Sort};

resource!("Transactions": all, of_own_groups, of_group, of_user, of_simulation, list);

/// Which entries of a list are wanted, and in what order.
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
    /// Text in the description, the user's name or e-mail, or the group's name, in letters of either case.
    #[serde(default, alias = "search")]
    #[param(example = "funds", max_length = 200)]
    q: Option<String>,
    /// What decides the order; the date without it.
    #[serde(default)]
    #[param(inline)]
    sort: Sort,
    /// Descending without it.
    #[serde(default)]
    #[param(inline)]
    order: Order,
}

impl LedgerQuery {
    pub fn filter(&self) -> Result<Filter> {
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
        Ok(Filter { group_id: self.group, type_, q: q.map(str::to_owned), ..Filter::default() })
    }

    /// What the caller sees of one group's entries; they must see the group.
    pub async fn of_group(&self, app: &App, caller: &Caller, id: i64) -> Result<(SeenEntries, Filter)> {
        let mut conn = db::checkout(&app.pool).await?;
        rules::group(&mut conn, caller, id, Right::See).await?;
        let filter = Filter { group_id: Some(id), ..self.filter()? };
        Ok((SeenEntries::of(&mut conn, caller).await?, filter))
    }

    /// What the caller sees of one user's entries; they must see the user.
    pub async fn of_user(&self, app: &App, caller: &Caller, id: i64) -> Result<(SeenEntries, Filter)> {
        let mut conn = db::checkout(&app.pool).await?;
        rules::person(&mut conn, caller, id).await?;
        let filter = Filter { user_id: Some(id), ..self.filter()? };
        Ok((SeenEntries::of(&mut conn, caller).await?, filter))
    }
}

/// A page of the entries that the caller sees.
pub async fn answer(
    app: &App,
    caller: &Caller,
    seen: &SeenEntries,
    filter: &Filter,
    query: &LedgerQuery,
    page: Page,
) -> Result<HttpResponse> {
    let order = (query.sort, query.order);
    // Beside an entry stands what its group is to the caller.
    let question = format!("{} {seen:?} {filter:?} {order:?} {page:?}", caller.id);
    let found = app.lists.ledger.ask(question, async || {
        let mut conn = db::checkout(&app.pool).await?;
        let (ids, total) = app.ledger.page(&mut conn, seen, filter, order, (page.limit, page.offset)).await?;
        Counted { rows: TransactionView::of(&mut conn, caller, &ids).await?, total }.write()
    });
    Ok(found.await?.answer())
}

/// The entries that the caller sees: their own and those of groups that they own; all for a super admin
#[utoipa::path(
    operation_id = "list_transactions",
    params(LedgerQuery, Page),
    responses((status = 200, description = "A page of entries", body = Vec<TransactionView>))
)]
#[get("/transactions")]
async fn list(app: Data<App>, caller: Caller, Query(query): Query<LedgerQuery>, page: Page) -> Result<HttpResponse> {
    let seen = SeenEntries::of(&mut *db::checkout(&app.pool).await?, &caller).await?;
    answer(&app, &caller, &seen, &query.filter()?, &query, page).await
}

/// The same as `GET /transactions`
#[utoipa::path(
    operation_id = "list_all_transactions",
    params(LedgerQuery, Page),
    responses((status = 200, description = "A page of entries", body = Vec<TransactionView>))
)]
#[get("/transactions/all")]
async fn all(app: Data<App>, caller: Caller, Query(query): Query<LedgerQuery>, page: Page) -> Result<HttpResponse> {
    let seen = SeenEntries::of(&mut *db::checkout(&app.pool).await?, &caller).await?;
    answer(&app, &caller, &seen, &query.filter()?, &query, page).await
}

/// The entries that the caller sees of the groups that they own or belong to
#[utoipa::path(
    operation_id = "list_transactions_of_own_groups",
    params(LedgerQuery, Page),
    responses((status = 200, description = "A page of entries", body = Vec<TransactionView>))
)]
#[get("/transactions/user-groups")]
async fn of_own_groups(
    app: Data<App>,
    caller: Caller,
    Query(query): Query<LedgerQuery>,
    page: Page,
) -> Result<HttpResponse> {
    let seen = SeenEntries::of_own_groups(&mut *db::checkout(&app.pool).await?, &caller).await?;
    answer(&app, &caller, &seen, &query.filter()?, &query, page).await
}

/// The entries of a group that the caller sees: all for its owner, a member's own
#[utoipa::path(
    operation_id = "list_transactions_of_group",
    params(("groupId" = i64, Path), LedgerQuery, Page),
    responses((status = 200, description = "A page of entries", body = Vec<TransactionView>))
)]
#[get("/transactions/group/{groupId}")]
async fn of_group(
    app: Data<App>,
    caller: Caller,
    group_id: Path<i64>,
    Query(query): Query<LedgerQuery>,
    page: Page,
) -> Result<HttpResponse> {
    let (seen, filter) = query.of_group(&app, &caller, *group_id).await?;
    answer(&app, &caller, &seen, &filter, &query, page).await
}

/// The entries of a user that the caller sees: the caller's own, or those in groups that the caller owns
#[utoipa::path(
    operation_id = "list_transactions_of_user",
    params(("userId" = i64, Path), LedgerQuery, Page),
    responses((status = 200, description = "A page of entries", body = Vec<TransactionView>))
)]
#[get("/transactions/user/{userId}")]
async fn of_user(
    app: Data<App>,
    caller: Caller,
    user_id: Path<i64>,
    Query(query): Query<LedgerQuery>,
    page: Page,
) -> Result<HttpResponse> {
    let (seen, filter) = query.of_user(&app, &caller, *user_id).await?;
    answer(&app, &caller, &seen, &filter, &query, page).await
}

/// What a run has cost: one entry for its first pass, and one for each retry
#[utoipa::path(
    operation_id = "list_transactions_of_simulation",
    params(("simulationId" = Uuid, Path), LedgerQuery, Page),
    responses((status = 200, description = "A page of entries", body = Vec<TransactionView>))
)]
#[get("/transactions/simulation/{simulationId}")]
async fn of_simulation(
    app: Data<App>,
    caller: Caller,
    simulation_id: Path<Uuid>,
    Query(query): Query<LedgerQuery>,
    page: Page,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let run = rules::simulation(&mut conn, &caller, *simulation_id, Right::See).await?;
    let seen = SeenEntries::of(&mut conn, &caller).await?;
    drop(conn);
    let filter = Filter { simulation_id: Some(run.id), ..query.filter()? };
    answer(&app, &caller, &seen, &filter, &query, page).await
}
