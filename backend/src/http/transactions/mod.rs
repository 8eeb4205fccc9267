//! The ledger: what was granted to members, and what their runs used.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use diesel_async::AsyncPgConnection;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::error::{ApiError, Result};
use crate::app::App;
use crate::auth::rules::{self, Caller};
use crate::db;
use crate::http::groups::members::GroupMember;
use crate::models::transactions::Transaction;
use crate::models::transactions::lists::{self as entries, LedgerEntry};

pub mod export;
pub mod grants;
pub mod lists;
pub mod sums;

/// One entry of the ledger, with the run that it pays for and the member whose budget it changes.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Transaction)]
pub struct TransactionView {
    #[serde(flatten)]
    pub entry: Transaction,
    /// The member's budget after this entry and all before it, in whole credits.
    #[schema(example = 750)]
    pub balance: i64,
    /// The run that the entry pays for, if it does.
    pub simulation_id: Option<Uuid>,
    /// The member whose budget it is, as it is now.
    pub group_user: Option<GroupMember>,
}

impl From<LedgerEntry> for TransactionView {
    fn from(shown: LedgerEntry) -> Self {
        let LedgerEntry { transaction: entry, simulation_id, balance, account, group } = shown;
        Self { entry, balance, simulation_id, group_user: Some(GroupMember::new(account, group)) }
    }
}

impl TransactionView {
    /// The entries with these ids in this order.
    pub async fn of(conn: &mut AsyncPgConnection, caller: &Caller, ids: &[i64]) -> Result<Vec<Self>> {
        let shown = entries::show(conn, ids, caller.id).await?;
        Ok(shown.into_iter().map(Self::from).collect())
    }

    pub async fn one(conn: &mut AsyncPgConnection, caller: &Caller, id: i64) -> Result<Self> {
        let view = Self::of(conn, caller, &[id]).await?.pop();
        view.ok_or_else(|| ApiError::internal("the entry is not shown"))
    }
}

/// An entry of the ledger
#[utoipa::path(
    get, path = "", operation_id = "show_transaction",
    responses((status = 200, description = "The entry", body = TransactionView))
)]
pub async fn show(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let transaction = rules::transaction(&mut conn, &caller, *id).await?;
    Ok(HttpResponse::Ok().json(TransactionView::one(&mut conn, &caller, transaction.id).await?))
}
