//! Reversal of an entry: a further entry with the opposite effect is added, and the first one refers to it. Nothing is
//! erased.

use chrono::{DateTime, Utc};
use diesel::dsl::now;
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde_json::json;

use super::{MAX_CREDITS, Transaction, mail_if_low};
use crate::models::audit_log;
use crate::schema::{group_members, transactions};

/// The reason why an entry was not reversed; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum Irreversible {
    #[error("Transaction not found")]
    NotFound,
    #[error("Credits that a simulation used cannot be given back by a reversal")]
    Used,
    #[error("A reversal cannot be reversed")]
    Reversal,
    #[error("The transaction is reversed already")]
    ReversedBefore,
    #[error("The member was removed from the group")]
    Removed,
    /// The budget would fall below the held credits or zero, or exceed the maximum.
    #[error(
        "The budget is {budget} credits, of which simulations hold {held}: the reversal would change it by {effect}"
    )]
    OutOfRange { budget: i64, held: i64, effect: i64 },
    #[error("database: {0}")]
    Database(#[from] diesel::result::Error),
}

/// Adds the entry that reverses the one with this id, and returns it. If two calls arrive at once, one succeeds.
pub async fn reverse(conn: &mut AsyncPgConnection, id: i64, by: i64) -> Result<Transaction, Irreversible> {
    conn.transaction(async |conn| {
        let original = transactions::table.find(id).select(Transaction::as_select()).first(conn).await.optional()?;
        let original = original.ok_or(Irreversible::NotFound)?;
        match original {
            Transaction { ref type_, .. } if type_ == "MINES" => return Err(Irreversible::Used),
            Transaction { reverses: Some(_), .. } => return Err(Irreversible::Reversal),
            _ => {}
        }
        let marked = diesel::update(transactions::table.find(id).filter(transactions::reversed_at.is_null()))
            .set((transactions::reversed_at.eq(now), transactions::updated_at.eq(now)));
        if marked.execute(conn).await? == 0 {
            return Err(Irreversible::ReversedBefore);
        }
        let budget = take_back(conn, &original).await?;
        // The amount of a SET is the budget after it.
        let amount = if original.type_ == "SET" { budget } else { -original.amount };
        let reversal: Transaction = diesel::insert_into(transactions::table)
            .values((
                transactions::group_id.eq(original.group_id),
                transactions::user_id.eq(original.user_id),
                transactions::type_.eq(&original.type_),
                transactions::amount.eq(amount),
                transactions::effect.eq(-original.effect),
                transactions::description.eq(format!("Reversal of transaction {id}")),
                transactions::created_by.eq(by),
                transactions::reverses.eq(id),
            ))
            .returning(Transaction::as_returning())
            .get_result(conn)
            .await?;
        mail_if_low(conn, &reversal).await?;
        let detail = json!({"effect": reversal.effect});
        audit_log::note(conn, by, "reverse", &format!("transaction {id}"), detail).await?;
        Ok(reversal)
    })
    .await
}

/// Takes the entry's effect back from the member's budget and returns the new budget.
async fn take_back(conn: &mut AsyncPgConnection, entry: &Transaction) -> Result<i64, Irreversible> {
    let member = group_members::table.find((entry.group_id, entry.user_id));
    let (budget, held, removed_at): (i64, i64, Option<DateTime<Utc>>) = member
        .select((group_members::budget, group_members::held, group_members::removed_at))
        .for_no_key_update()
        .first(conn)
        .await?;
    if removed_at.is_some() {
        return Err(Irreversible::Removed);
    }
    let after = budget - entry.effect;
    if !(held..=MAX_CREDITS).contains(&after) {
        return Err(Irreversible::OutOfRange { budget, held, effect: -entry.effect });
    }
    diesel::update(member)
        .set((group_members::budget.eq(after), group_members::updated_at.eq(now)))
        .execute(conn)
        .await?;
    Ok(after)
}
