//! Credits of a member that runs set aside.

use diesel::dsl::now;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::models::groups;
use crate::models::predicates::is_active;
use crate::schema::group_members;

/// The result of holding credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldOutcome {
    /// The credits are held.
    Held,
    /// Nothing was held: only `available` credits are free.
    TooFew { available: i64 },
    /// Nothing was held: the user is no active member of the group.
    NotAMember,
    /// Nothing was held: the group is closed.
    GroupClosed,
}

/// Sets aside `needed` credits of an active member, if that many are available.
pub async fn hold_credits(
    conn: &mut AsyncPgConnection,
    group_id: i64,
    user_id: i64,
    needed: i64,
) -> QueryResult<HoldOutcome> {
    let member = group_members::table.find((group_id, user_id)).filter(is_active());
    let available: Option<i64> =
        member.select(group_members::budget - group_members::held).for_no_key_update().first(conn).await.optional()?;
    // Checked under the member's lock, because deleting a group locks its members first.
    let group = groups::find(conn, group_id).await?;
    let (Some(available), Some(group)) = (available, group) else { return Ok(HoldOutcome::NotAMember) };
    if !group.is_open() {
        return Ok(HoldOutcome::GroupClosed);
    }
    if available < needed {
        return Ok(HoldOutcome::TooFew { available });
    }
    diesel::update(group_members::table.find((group_id, user_id)))
        .set((group_members::held.eq(group_members::held + needed), group_members::updated_at.eq(now)))
        .execute(conn)
        .await?;
    Ok(HoldOutcome::Held)
}

/// Returns the credits that an active member can spend. `None`: the user is no active member.
pub async fn available(conn: &mut AsyncPgConnection, group_id: i64, user_id: i64) -> QueryResult<Option<i64>> {
    let member = group_members::table.find((group_id, user_id)).filter(is_active());
    member.select(group_members::budget - group_members::held).first(conn).await.optional()
}

/// Whether the user may act as a member of the group.
pub async fn is_active_member(conn: &mut AsyncPgConnection, group_id: i64, user_id: i64) -> QueryResult<bool> {
    let member = group_members::table.find((group_id, user_id)).filter(is_active());
    diesel::select(diesel::dsl::exists(member)).get_result(conn).await
}
