//! The ledger: what was granted to members, and what their runs used.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::error::{ApiError, Result};
use crate::app::App;
use crate::auth::rules::{self, Caller};
use crate::db;
use crate::http::groups::GroupView;
use crate::http::groups::members::GroupMember;
use crate::models::transactions::Transaction;
use crate::models::transactions::lists::{self as entries, LedgerEntry};

pub mod export;
pub mod grants;
pub mod lists;
pub mod sums;

/// One entry of the ledger.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Transaction)]
pub struct TransactionView {
    #[schema(example = 31)]
    pub id: i64,
    /// `ADD` (funds were added), `MINES` (a run used them) or `SET` (the budget was set).
    #[serde(rename = "type")]
    #[schema(example = "ADD")]
    pub type_: String,
    /// Whole credits in digits. Of a run's entry it grows with its answers; of a reversal it is negative.
    #[schema(example = "250")]
    pub amount: String,
    /// What the entry did to the member's budget, in whole credits.
    #[schema(example = 250)]
    pub effect: i64,
    /// The member's budget after this entry and all before it, in whole credits.
    #[schema(example = 750)]
    pub balance: i64,
    #[schema(example = "Funds added")]
    pub description: String,
    #[schema(example = 4)]
    pub group_id: i64,
    #[schema(example = 7)]
    pub user_id: i64,
    /// The run that the entry pays for, if it does.
    pub simulation_id: Option<Uuid>,
    /// Which pass of the run: retries pay by entries of their own.
    #[schema(example = 1)]
    pub attempt: Option<i32>,
    /// The entry that this one undoes, if it does.
    pub reverses: Option<i64>,
    /// When another entry undid this one, if one did.
    pub reversed_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Whose budget it is, as it stands now.
    pub group_user: Option<GroupMember>,
}

impl TransactionView {
    fn new(entry: LedgerEntry, viewer_id: i64) -> Self {
        let LedgerEntry { transaction, simulation_id, balance, account, group } = entry;
        let group_user = GroupMember::new(account, GroupView::new(group, viewer_id));
        let Transaction { id, group_id, user_id, type_, amount, effect, description, .. } = transaction;
        Self {
            id,
            type_,
            amount: amount.to_string(),
            effect,
            balance,
            description,
            group_id,
            user_id,
            simulation_id,
            attempt: transaction.attempt,
            reverses: transaction.reverses,
            reversed_at: transaction.reversed_at,
            created_at: transaction.created_at,
            updated_at: transaction.updated_at,
            group_user: Some(group_user),
        }
    }

    /// The entries with these ids in this order.
    pub async fn of(conn: &mut AsyncPgConnection, caller: &Caller, ids: &[i64]) -> Result<Vec<Self>> {
        let shown = entries::show(conn, ids, caller.id).await?;
        Ok(shown.into_iter().map(|entry| Self::new(entry, caller.id)).collect())
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
