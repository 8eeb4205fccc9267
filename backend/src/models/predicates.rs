//! Conditions on rows that several tables' queries share. Depends on the schema alone.

use diesel::dsl::{auto_type, exists, not};
use diesel::prelude::*;

use crate::schema::{group_members, users};

/// Members who may act as such: neither removed nor suspended.
#[auto_type]
pub fn is_active() -> _ {
    group_members::removed_at.is_null().and(group_members::status.eq("active"))
}

/// Accounts that a code or a token opens: neither deleted nor suspended. A user whom every group has suspended is
/// suspended too; administrators are not, as they may own groups.
#[auto_type]
pub fn may_sign_in() -> _ {
    let joined =
        group_members::table.filter(group_members::user_id.eq(users::id)).filter(group_members::removed_at.is_null());
    let active = group_members::table.filter(group_members::user_id.eq(users::id)).filter(is_active());
    let suspended_everywhere = exists(joined).and(not(exists(active))).and(users::role.eq("user"));
    users::deleted_at.is_null().and(users::suspended_at.is_null()).and(not(suspended_everywhere))
}
