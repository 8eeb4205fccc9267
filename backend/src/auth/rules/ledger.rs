//! Access to the ledger: an entry is visible to its member and the group's owner.

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::{AccessRefusal, Caller, RowCondition, is_in_group};
use crate::models::transactions::Transaction;
use crate::schema::{group_members, groups, transactions};

/// Returns the ledger entry if the caller sees it. Only super administrators reverse one.
pub async fn transaction(conn: &mut AsyncPgConnection, caller: &Caller, id: i64) -> Result<Transaction, AccessRefusal> {
    let visible = EntryVisibility::load(conn, caller).await?;
    transactions::table
        .find(id)
        .filter(visible.entries())
        .select(Transaction::as_select())
        .first(conn)
        .await
        .optional()?
        .ok_or(AccessRefusal::NotThere("Transaction"))
}

/// Builds the condition for either table: both have the columns `user_id` and `group_id`.
macro_rules! visible_rows {
    ($visibility:expr, $table:ident) => {{
        let seen: RowCondition<$table::table> = match &$visibility.whose {
            // The condition has no column, so that counting may use the smallest index.
            Whose::Everybodys => Box::new(sql::<Bool>("true")),
            Whose::OfMemberAndGroups { user_id, owned } if owned.is_empty() => Box::new($table::user_id.eq(*user_id)),
            Whose::OfMemberAndGroups { user_id, owned } => {
                Box::new($table::user_id.eq(*user_id).or($table::group_id.eq_any(owned.clone())))
            }
        };
        match &$visibility.within {
            None => seen,
            Some(groups) => Box::new(seen.and($table::group_id.eq_any(groups.clone()))),
        }
    }};
}

/// The rows of `transactions` that the caller sees. It holds group ids, so that the planner can choose the index by
/// their number of entries.
#[derive(Clone, Debug)]
pub struct EntryVisibility {
    whose: Whose,
    /// Restriction to these groups.
    within: Option<Vec<i64>>,
}

#[derive(Clone, Debug)]
enum Whose {
    Everybodys,
    OfMemberAndGroups { user_id: i64, owned: Vec<i64> },
}

impl EntryVisibility {
    pub async fn load(conn: &mut AsyncPgConnection, caller: &Caller) -> QueryResult<Self> {
        let whose = if caller.is_super_admin() {
            Whose::Everybodys
        } else {
            let owned = groups::table.filter(groups::owner_id.eq(caller.id)).select(groups::id).load(conn).await?;
            Whose::OfMemberAndGroups { user_id: caller.id, owned }
        };
        Ok(Self { whose, within: None })
    }

    /// The entries in the groups that the caller owns or is an active member of.
    pub async fn of_own_groups(conn: &mut AsyncPgConnection, caller: &Caller) -> QueryResult<Self> {
        let groups = groups::table.filter(is_in_group(caller)).select(groups::id).load(conn).await?;
        Ok(Self { within: Some(groups), ..Self::load(conn, caller).await? })
    }

    /// The entries, as a condition of a query.
    pub fn entries(&self) -> RowCondition<transactions::table> {
        visible_rows!(self, transactions)
    }

    /// The members of these entries, as a condition of a query.
    pub fn accounts(&self) -> RowCondition<group_members::table> {
        visible_rows!(self, group_members)
    }
}
