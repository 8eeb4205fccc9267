//! People: everybody themselves, and the owner of a group its members.

use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::{AccessRefusal, Caller};
use crate::schema::{group_members, groups, users};

/// The person, if the caller may look at their account: it is the caller's own, or one of a group that they own.
pub async fn person(conn: &mut AsyncPgConnection, caller: &Caller, id: i64) -> Result<(), AccessRefusal> {
    if caller.id == id {
        return Ok(());
    }
    let found: bool = if caller.is_super_admin() {
        diesel::select(exists(users::table.find(id).filter(users::deleted_at.is_null()))).get_result(conn).await?
    } else {
        let member = group_members::table
            .inner_join(groups::table.on(groups::id.eq(group_members::group_id)))
            .filter(group_members::user_id.eq(id))
            .filter(groups::owner_id.eq(caller.id));
        diesel::select(exists(member)).get_result(conn).await?
    };
    if found { Ok(()) } else { Err(AccessRefusal::NotThere("User")) }
}
