//! Limits invitations, because each is a mail to somebody who has not asked for one.

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::BigInt;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::json;

use crate::models::audit_log;
use crate::models::transactions::GrantError;

/// Upper limit of invitations that one user can cause in an hour.
pub const MAX_INVITATIONS: u32 = 200;

/// The reason why a user was not added to a group.
#[derive(Debug, thiserror::Error)]
pub enum NotAdded {
    #[error("The user is a member of the group already")]
    AlreadyAMember,
    #[error("At most {MAX_INVITATIONS} people who are new to the product can be invited in an hour")]
    TooManyInvitations { wait_s: u64 },
    #[error(transparent)]
    Grant(#[from] GrantError),
}

impl From<diesel::result::Error> for NotAdded {
    fn from(error: diesel::result::Error) -> Self {
        Self::Grant(error.into())
    }
}

/// Usage of the limit in the last hour.
#[derive(Clone, Copy, Debug, QueryableByName)]
pub struct InvitationQuota {
    #[diesel(sql_type = BigInt)]
    sent: i64,
    #[diesel(sql_type = BigInt)]
    reset_s: i64,
}

impl InvitationQuota {
    pub async fn load(conn: &mut AsyncPgConnection, user_id: i64) -> QueryResult<Self> {
        sql_query(
            "SELECT count(*) AS sent,
                coalesce(ceil(extract(epoch FROM min(created_at) + interval '1 hour' - now())), 0)::bigint AS reset_s
             FROM audit_log
             WHERE actor_id = $1 AND action = 'invite' AND created_at > now() - interval '1 hour'",
        )
        .bind::<BigInt, _>(user_id)
        .get_result(conn)
        .await
    }

    pub fn remaining(self) -> u32 {
        MAX_INVITATIONS.saturating_sub(u32::try_from(self.sent).unwrap_or(u32::MAX))
    }

    /// Seconds until one more invitation is allowed.
    pub fn reset_s(self) -> u64 {
        self.reset_s.max(0).unsigned_abs()
    }
}

/// Counts an invitation by `user_id`. Call it in the transaction that queues its mail.
pub async fn count(conn: &mut AsyncPgConnection, user_id: i64, subject: &str) -> Result<(), NotAdded> {
    // Makes parallel calls wait, so that each is counted.
    sql_query("SELECT pg_advisory_xact_lock(4, hashint8($1))").bind::<BigInt, _>(user_id).execute(conn).await?;
    let quota = InvitationQuota::load(conn, user_id).await?;
    if quota.remaining() == 0 {
        return Err(NotAdded::TooManyInvitations { wait_s: quota.reset_s().max(1) });
    }
    audit_log::note(conn, user_id, "invite", subject, json!({})).await?;
    Ok(())
}
