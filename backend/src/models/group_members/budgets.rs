//! Sets several members' budgets at once, without overwriting concurrent changes.

use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};

use crate::models::transactions::{Amount, BudgetGrant, GrantError, ceilings};
use crate::schema::group_members;

/// A new budget, in whole credits.
#[derive(Clone, Copy, Debug)]
pub struct BudgetChange {
    pub user_id: i64,
    pub budget: i64,
    /// The current budget must equal this, so that a concurrent change is not overwritten.
    pub expected: Option<i64>,
}

/// Sets all budgets or none. The error names the member. `owner_default` is the ceiling of an owner without one.
pub async fn set(
    conn: &mut AsyncPgConnection,
    group_id: i64,
    changes: &[BudgetChange],
    by: i64,
    owner_default: i64,
) -> Result<(), RefusedChange> {
    let mut in_order = changes.to_vec();
    // Two calls for the same members must lock their rows in the same order.
    in_order.sort_by_key(|change| change.user_id);
    conn.transaction(async |conn| {
        ceilings::lock_owners(conn, &[group_id]).await?;
        for change in &in_order {
            set_one(conn, group_id, change, by, owner_default)
                .await
                .map_err(|reason| RefusedChange { user_id: change.user_id, reason })?;
        }
        Ok(())
    })
    .await
}

/// The reason why no budget was changed.
#[derive(Debug)]
pub struct RefusedChange {
    /// The member's user id; 0 if the error concerns no member.
    pub user_id: i64,
    pub reason: GrantError,
}

impl From<diesel::result::Error> for RefusedChange {
    fn from(error: diesel::result::Error) -> Self {
        Self { user_id: 0, reason: error.into() }
    }
}

async fn set_one(
    conn: &mut AsyncPgConnection,
    group_id: i64,
    change: &BudgetChange,
    by: i64,
    owner_default: i64,
) -> Result<(), GrantError> {
    let BudgetChange { user_id, budget, expected } = *change;
    let found: Option<i64> = group_members::table
        .find((group_id, user_id))
        .filter(group_members::removed_at.is_null())
        .select(group_members::budget)
        .for_no_key_update()
        .first(conn)
        .await
        .optional()?;
    match (found, expected) {
        (None, _) => return Err(GrantError::NotAMember),
        (Some(found), Some(expected)) if found != expected => return Err(GrantError::Changed { found }),
        _ => {}
    }
    let description = format!("Budget set to {budget}");
    let amount = Amount::Set(budget);
    BudgetGrant { group_id, user_id, amount, description: &description, created_by: by }
        .book_by_hand(conn, owner_default)
        .await?;
    Ok(())
}
