//! Access to groups: active members see them, owners own them.

use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::{AccessRefusal, Caller, Right, RowCondition};
use crate::models::groups::Group;
use crate::models::predicates::is_active;
use crate::schema::{group_members, groups};

/// Returns the group, if the caller has the right.
pub async fn group(
    conn: &mut AsyncPgConnection,
    caller: &Caller,
    id: i64,
    right: Right,
) -> Result<Group, AccessRefusal> {
    let found = groups::table
        .find(id)
        .filter(groups::deleted_at.is_null())
        .filter(sees_group(caller))
        .select((Group::as_select(), groups::owner_id.eq(caller.id)))
        .first(conn)
        .await
        .optional()?;
    let found = found
        .map(|(group, owns): (Group, bool)| (group, owns && (right <= Right::Oversee || caller.may_manage_groups())));
    caller.granted(right, found, "Group", "Only the owner of the group may do this")
}

impl Caller {
    /// Whether the caller sees all members of a group, not only themselves.
    pub fn oversees(&self, group: &Group) -> bool {
        self.is_super_admin() || group.owner_id == self.id
    }
}

/// The rows of `groups` that the caller sees.
pub fn sees_group(caller: &Caller) -> RowCondition<groups::table> {
    if caller.is_super_admin() {
        return Box::new(groups::id.is_not_null());
    }
    is_in_group(caller)
}

/// The rows of `groups` that the caller owns or is an active member of, even as a super administrator.
pub fn is_in_group(caller: &Caller) -> RowCondition<groups::table> {
    // Two indexes find the ids; an OR of conditions would be checked for every group.
    let owned = diesel::alias!(groups as owned);
    let owned = owned.filter(owned.field(groups::owner_id).eq(caller.id)).select(owned.field(groups::id));
    let joined = group_members::table.filter(group_members::user_id.eq(caller.id)).filter(is_active());
    Box::new(groups::id.eq_any(owned.union_all(joined.select(group_members::group_id))))
}

/// Returns the group if the caller is an active member and the group is open, for a survey of their own in it.
pub async fn membership(conn: &mut AsyncPgConnection, caller: &Caller, group_id: i64) -> Result<Group, AccessRefusal> {
    let group = group(conn, caller, group_id, Right::See).await?;
    let member = group_members::table.find((group_id, caller.id)).filter(is_active());
    if diesel::select(exists(member)).get_result(conn).await? {
        return if group.is_open() { Ok(group) } else { Err(AccessRefusal::GroupClosed) };
    }
    Err(AccessRefusal::Forbidden("Only active members of the group have surveys in it"))
}
