//! Conditions on rows that queries of several tables share.

use diesel::dsl::{auto_type, exists, not};
use diesel::prelude::*;

use crate::schema::{group_members, users};

/// Selects members who may act: neither removed nor suspended.
#[auto_type]
pub fn is_active() -> _ {
    group_members::removed_at.is_null().and(group_members::status.eq("active"))
}

/// Selects accounts that may sign in: neither deleted nor suspended. A user whom every group has suspended counts as
/// suspended; an administrator does not, since they may own groups.
#[auto_type]
pub fn may_sign_in() -> _ {
    let joined =
        group_members::table.filter(group_members::user_id.eq(users::id)).filter(group_members::removed_at.is_null());
    let active = group_members::table.filter(group_members::user_id.eq(users::id)).filter(is_active());
    let suspended_everywhere = exists(joined).and(not(exists(active))).and(users::role.eq("user"));
    users::deleted_at.is_null().and(users::suspended_at.is_null()).and(not(suspended_everywhere))
}
