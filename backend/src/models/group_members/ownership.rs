//! Membership of a group's owner.

use chrono::{DateTime, Utc};
use diesel::dsl::now;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::schema::group_members;

/// Makes a group's owner an active member, with the credits of an earlier membership or none.
pub async fn join_as_owner(conn: &mut AsyncPgConnection, group_id: i64, owner_id: i64) -> QueryResult<()> {
    let member =
        (group_members::group_id.eq(group_id), group_members::user_id.eq(owner_id), group_members::accepted_at.eq(now));
    diesel::insert_into(group_members::table)
        .values(member)
        .on_conflict((group_members::group_id, group_members::user_id))
        .do_update()
        .set((
            group_members::removed_at.eq(None::<DateTime<Utc>>),
            group_members::status.eq("active"),
            group_members::updated_at.eq(now),
            group_members::accepted_at.eq(now),
        ))
        .execute(conn)
        .await?;
    Ok(())
}
