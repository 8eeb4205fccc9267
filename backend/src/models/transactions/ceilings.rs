//! Ceilings on granted credits, in a group and over all groups of an owner. Credits that were spent since count.

use std::collections::HashMap;

use diesel::dsl;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::refusal::GrantError;
use crate::models::users::Role;
use crate::schema::{groups, transactions, users};

/// An owner's ceiling, and the credits granted to the members of their groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnerCeiling {
    /// Ceiling in whole credits. `None`: none.
    pub ceiling: Option<i64>,
    /// Credits granted in all groups that the owner has now, including deleted ones.
    pub granted: i64,
}

impl OwnerCeiling {
    /// Reads an owner's ceiling. `default` applies to an owner without one who is no super administrator. `None`: no
    /// ceiling.
    pub async fn load(conn: &mut AsyncPgConnection, owner_id: i64, default: Option<i64>) -> QueryResult<Self> {
        let owner = users::table.find(owner_id).select((users::role, users::credit_ceiling));
        let (role, own): (String, Option<i64>) = owner.first(conn).await?;
        let ceiling = own.or(default.filter(|_| role != Role::SuperAdmin.as_str()));
        let owned: Vec<i64> = groups::table.filter(groups::owner_id.eq(owner_id)).select(groups::id).load(conn).await?;
        Ok(Self { ceiling, granted: granted(conn, &owned).await?.values().sum() })
    }
}

/// Returns the credits granted to the members of each group, including spent ones. Groups without entries are left out.
pub async fn granted(conn: &mut AsyncPgConnection, groups: &[i64]) -> QueryResult<HashMap<i64, i64>> {
    let sums: Vec<(i64, i64)> = transactions::table
        .filter(transactions::group_id.eq_any(groups))
        .filter(transactions::type_.ne("MINES"))
        .group_by(transactions::group_id)
        .select((transactions::group_id, dsl::sql::<BigInt>("sum(effect)::bigint")))
        .load(conn)
        .await?;
    Ok(sums.into_iter().collect())
}

/// Locks the rows of the groups' owners until the transaction ends, so that each grant counts those before it. Call it
/// before any member's row is locked; otherwise two calls for the same members could deadlock.
pub async fn lock_owners(conn: &mut AsyncPgConnection, group_ids: &[i64]) -> QueryResult<()> {
    let owners = groups::table.filter(groups::id.eq_any(group_ids)).select(groups::owner_id);
    let rows = users::table.filter(users::id.eq_any(owners)).order(users::id).select(users::id);
    rows.for_no_key_update().execute(conn).await.map(drop)
}

/// Fails if a grant of `credits`, which is in the ledger already, exceeds the ceiling of its group or of the group's
/// owner. Call it in the transaction of the grant, after [`lock_owners`].
pub async fn check(
    conn: &mut AsyncPgConnection,
    group_id: i64,
    credits: i64,
    owner_default: Option<i64>,
) -> Result<(), GrantError> {
    let left = |ceiling: i64, granted: i64| (ceiling - (granted - credits)).max(0);
    let group = groups::table.find(group_id).select((groups::owner_id, groups::credit_ceiling));
    let (owner_id, ceiling): (i64, Option<i64>) = group.first(conn).await?;
    if let Some(ceiling) = ceiling {
        let granted = granted(conn, &[group_id]).await?.remove(&group_id).unwrap_or(0);
        if granted > ceiling {
            return Err(GrantError::OverCeiling { ceiling, left: left(ceiling, granted) });
        }
    }
    match OwnerCeiling::load(conn, owner_id, owner_default).await? {
        OwnerCeiling { ceiling: Some(ceiling), granted } if granted > ceiling => {
            Err(GrantError::OverOwnersCeiling { ceiling, left: left(ceiling, granted) })
        }
        _ => Ok(()),
    }
}
