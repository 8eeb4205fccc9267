//! Granting credits, and taking a grant back.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use diesel_async::AsyncPgConnection;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use utoipa::openapi::Object;

use super::TransactionView;
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::http::idempotency::IdempotencyKey;
use crate::http::int_or_string::IntOrString;
use crate::models::transactions::reversal::{self, Irreversible};
use crate::models::transactions::{Amount, BudgetGrant, MAX_CREDITS, Transaction, ceilings};

/// Grants that one call may make.
const MAX_GRANTS: usize = 1_000;
const MAX_DESCRIPTION: usize = 500;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
enum GrantType {
    /// So much more than it was.
    #[serde(rename = "ADD")]
    Add,
    /// So much, whatever it was; not below what runs hold.
    #[serde(rename = "SET")]
    Set,
}

/// Credits for a member. Runs book what they use themselves: that cannot be sent.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewTransaction {
    #[schema(example = 4)]
    group_id: i64,
    #[schema(example = 7)]
    user_id: i64,
    #[serde(rename = "type")]
    #[schema(inline, example = "ADD")]
    type_: GrantType,
    #[schema(schema_with = amount_schema)]
    amount: IntOrString,
    /// Purpose of the entry.
    #[serde(default)]
    #[schema(example = "Funds added", max_length = 500)]
    description: Option<String>,
}

fn amount_schema() -> Object {
    IntOrString::schema(&[])
        .description(Some("Whole credits, as a number or, as answers have it, in digits."))
        .minimum(Some(0))
        .maximum(Some(MAX_CREDITS))
        .examples([json!(250)])
        .build()
}

impl NewTransaction {
    fn check(&self) -> Result<()> {
        let too_long = |text: &String| text.chars().count() > MAX_DESCRIPTION;
        if self.description.as_ref().is_some_and(too_long) {
            return Err(ApiError::Invalid(format!("description must have at most {MAX_DESCRIPTION} characters")));
        }
        Ok(())
    }

    async fn book(&self, conn: &mut AsyncPgConnection, created_by: i64, ceiling: i64) -> Result<Transaction> {
        let IntOrString(credits) = self.amount;
        let (amount, usual) = match self.type_ {
            GrantType::Add => (Amount::Add(credits), "Funds added".to_owned()),
            GrantType::Set => (Amount::Set(credits), format!("Budget set to {credits}")),
        };
        let given = self.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let description = given.unwrap_or(&usual);
        let grant = BudgetGrant { group_id: self.group_id, user_id: self.user_id, amount, description, created_by };
        Ok(grant.book_by_hand(conn, ceiling).await?)
    }
}

/// Adds to or sets a member's budget (the group's owner, super admin)
#[utoipa::path(
    post, path = "", operation_id = "create_transaction",
    params(IdempotencyKey),
    responses(
        (status = 201, description = "Booked", body = TransactionView),
        (status = 404, description = "No such group or member, or not the caller's to see"),
        (status = 409, description = "Out of range, above a ceiling, or the key was used for another request")
    )
)]
pub async fn book(
    app: Data<App>,
    caller: Caller,
    key: IdempotencyKey,
    Json(new): Json<NewTransaction>,
) -> Result<HttpResponse> {
    new.check()?;
    let mut conn = db::checkout(&app.pool).await?;
    rules::group(&mut conn, &caller, new.group_id, Right::Own).await?;
    let work = async |conn: &mut AsyncPgConnection| {
        let booked = new.book(conn, caller.id, app.config.credit_ceiling).await?;
        TransactionView::one(conn, &caller, booked.id).await
    };
    key.once(&mut conn, caller.id, &new, StatusCode::CREATED, work).await
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct NewTransactions {
    /// One to a thousand.
    #[schema(min_items = 1, max_items = 1_000)]
    transactions: Vec<NewTransaction>,
}

/// Adds to or sets several members' budgets: all of them, or none (their groups' owner, super admin)
#[utoipa::path(
    post, path = "", operation_id = "create_transactions",
    params(IdempotencyKey),
    responses(
        (status = 201, description = "Booked, in the order asked for", body = Vec<TransactionView>),
        (status = 404, description = "No such group or member, or not the caller's to see"),
        (status = 409, description = "Out of range, above a ceiling, or the key was used for another request")
    )
)]
pub async fn book_several(
    app: Data<App>,
    caller: Caller,
    key: IdempotencyKey,
    Json(new): Json<NewTransactions>,
) -> Result<HttpResponse> {
    if !(1..=MAX_GRANTS).contains(&new.transactions.len()) {
        return Err(ApiError::Invalid(format!("transactions must hold 1 to {MAX_GRANTS} entries")));
    }
    let mut conn = db::checkout(&app.pool).await?;
    let mut groups: Vec<i64> = new.transactions.iter().map(|transaction| transaction.group_id).collect();
    groups.sort_unstable();
    groups.dedup();
    for &group_id in &groups {
        rules::group(&mut conn, &caller, group_id, Right::Own).await?;
    }
    for (at, transaction) in new.transactions.iter().enumerate() {
        transaction.check().map_err(|refused| refused.of(&format!("transactions[{at}]")))?;
    }
    let work = async |conn: &mut AsyncPgConnection| {
        ceilings::lock_owners(conn, &groups).await?;
        // Calls lock members' rows in the same order, so that they cannot deadlock.
        let mut order: Vec<usize> = (0..new.transactions.len()).collect();
        order.sort_by_key(|&at| (new.transactions[at].group_id, new.transactions[at].user_id));
        let mut booked = Vec::with_capacity(order.len());
        for at in order {
            let grant = new.transactions[at].book(conn, caller.id, app.config.credit_ceiling).await;
            booked.push((at, grant.map_err(|refused| refused.of(&format!("transactions[{at}]")))?));
        }
        booked.sort_unstable_by_key(|(at, _)| *at);
        let ids: Vec<i64> = booked.iter().map(|(_, booked)| booked.id).collect();
        TransactionView::of(conn, &caller, &ids).await
    };
    key.once(&mut conn, caller.id, &new, StatusCode::CREATED, work).await
}

/// Reverses an entry by another one (super admin)
///
/// Nothing is erased: the entry is marked, and the one that undoes it is the answer. What runs used stays used.
#[utoipa::path(
    delete, path = "", operation_id = "reverse_transaction",
    responses(
        (status = 200, description = "The entry that undoes it", body = TransactionView),
        (status = 409, description = "Used by a run, reversed already, a reversal itself, or spent or held meanwhile")
    )
)]
pub async fn reverse(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    rules::transaction(&mut conn, &caller, *id).await?;
    caller.must_be_super_admin()?;
    let reversal = reversal::reverse(&mut conn, *id, caller.id).await.map_err(|reason| match reason {
        Irreversible::NotFound => ApiError::not_found("Transaction"),
        Irreversible::Database(error) => error.into(),
        other => ApiError::conflict(other.to_string()).with_code("irreversible"),
    })?;
    Ok(HttpResponse::Ok().json(TransactionView::one(&mut conn, &caller, reversal.id).await?))
}
