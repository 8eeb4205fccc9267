//! Access to accounts: users see themselves, and the owner of a group its members.

use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::{AccessRefusal, Caller, RowCondition};
use crate::schema::{group_members, groups, users};

/// Fails unless the caller may see the user's account: their own, or that of a member of a group that they own who has
/// signed in since they were added.
pub async fn person(conn: &mut AsyncPgConnection, caller: &Caller, id: i64) -> Result<(), AccessRefusal> {
    let known = group_members::removed_at.is_null().and(group_members::accepted_at.is_not_null());
    seen(conn, caller, id, Box::new(known)).await
}

/// Fails unless the caller may see the user's ledger: their own, or that of a present or former member of a group that
/// they own.
pub async fn person_of_ledger(conn: &mut AsyncPgConnection, caller: &Caller, id: i64) -> Result<(), AccessRefusal> {
    seen(conn, caller, id, Box::new(group_members::user_id.eq(id))).await
}

/// Fails unless the user is the caller, the caller is a super administrator, or the user has such a membership in a
/// group of the caller.
async fn seen(
    conn: &mut AsyncPgConnection,
    caller: &Caller,
    id: i64,
    membership: RowCondition<group_members::table>,
) -> Result<(), AccessRefusal> {
    if caller.id == id {
        return Ok(());
    }
    let found: bool = if caller.is_super_admin() {
        diesel::select(exists(users::table.find(id).filter(users::deleted_at.is_null()))).get_result(conn).await?
    } else {
        let owned = groups::table.filter(groups::id.eq(group_members::group_id)).filter(groups::owner_id.eq(caller.id));
        let members =
            group_members::table.filter(group_members::user_id.eq(id)).filter(membership).filter(exists(owned));
        diesel::select(exists(members)).get_result(conn).await?
    };
    if found { Ok(()) } else { Err(AccessRefusal::NotThere("User")) }
}
