//! Members of groups and their credits.

use chrono::{DateTime, Utc};
use diesel::dsl::now;
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::email::Email;
use crate::models::audit_log;
use crate::models::groups::Group;
use crate::models::mails;
use crate::models::simulations::control;
use crate::models::transactions::{Amount, BudgetGrant, GrantError, ceilings};
use crate::models::users::{self, Role, User};
use crate::schema::{group_members, simulations};

pub mod budgets;
mod credits;
pub mod invitations;
pub mod lists;
mod ownership;

pub use self::credits::{HoldOutcome, available, hold_credits, is_active_member};
pub use self::invitations::NotAdded;
pub use self::ownership::join_as_owner;

/// A user's membership of a group.
#[derive(Clone, Debug, Queryable, Selectable, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Membership)]
#[diesel(table_name = group_members, check_for_backend(diesel::pg::Pg))]
pub struct Member {
    #[schema(example = 12)]
    pub id: i64,
    #[schema(example = 4)]
    pub group_id: i64,
    #[schema(example = 7)]
    pub user_id: i64,
    /// Whole credits, those held by runs included.
    #[schema(example = 500)]
    pub budget: i64,
    /// Credits that active runs have set aside.
    #[schema(example = 80)]
    pub held: i64,
    /// `active`, `suspended` or `removed`; the last is found in the ledger only.
    #[schema(example = "active")]
    pub status: String,
    #[serde(skip)]
    pub removed_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    /// When the member first signed in after they were added. `None`: others see nothing of them but the e-mail.
    #[serde(skip)]
    pub accepted_at: Option<DateTime<Utc>>,
}

impl Member {
    /// Finds a member who was not removed.
    pub async fn find(connection: &mut AsyncPgConnection, group_id: i64, user_id: i64) -> QueryResult<Option<Self>> {
        group_members::table
            .find((group_id, user_id))
            .filter(group_members::removed_at.is_null())
            .select(Self::as_select())
            .first(connection)
            .await
            .optional()
    }
}

#[derive(Clone, Copy, Debug)]
pub struct NewMember {
    pub group_id: i64,
    pub user_id: i64,
    /// The initial budget, in whole credits.
    pub budget: i64,
    /// The user who adds the member.
    pub created_by: i64,
}

impl NewMember {
    /// Adds the member. A removed member returns under the same row. `None`: the user is a member already, and nothing
    /// was changed.
    pub async fn admit(self, connection: &mut AsyncPgConnection) -> Result<Option<Member>, GrantError> {
        self.admit_within(connection, None).await
    }

    /// Like [`admit`](Self::admit), with the ceiling of an owner without one.
    pub async fn admit_within(
        self,
        connection: &mut AsyncPgConnection,
        owner_default: Option<i64>,
    ) -> Result<Option<Member>, GrantError> {
        connection
            .transaction(async |connection| {
                ceilings::lock_owners(connection, &[self.group_id]).await?;
                if !self.join(connection).await? {
                    return Ok(None);
                }
                let Self { group_id, user_id, budget, created_by } = self;
                let amount = Amount::Set(budget);
                BudgetGrant { group_id, user_id, amount, description: "Initial budget", created_by }
                    .book_within(connection, owner_default)
                    .await?;
                Ok(Member::find(connection, group_id, user_id).await?)
            })
            .await
    }

    async fn join(self, connection: &mut AsyncPgConnection) -> QueryResult<bool> {
        use diesel::query_dsl::methods::FilterDsl;

        let joined = diesel::insert_into(group_members::table)
            .values((
                group_members::group_id.eq(self.group_id),
                group_members::user_id.eq(self.user_id),
                group_members::accepted_at.eq((self.created_by == self.user_id).then(Utc::now)),
            ))
            .on_conflict((group_members::group_id, group_members::user_id))
            .do_update()
            .set((
                group_members::removed_at.eq(None::<DateTime<Utc>>),
                group_members::status.eq("active"),
                group_members::updated_at.eq(now),
            ))
            .filter(group_members::removed_at.is_not_null())
            .execute(connection)
            .await?;
        Ok(joined == 1)
    }
}

/// Notes that the user has signed in: from now on the groups that added them see their account.
pub async fn accept(conn: &mut AsyncPgConnection, user_id: i64) -> QueryResult<()> {
    let added = group_members::table
        .filter(group_members::user_id.eq(user_id))
        .filter(group_members::removed_at.is_null())
        .filter(group_members::accepted_at.is_null());
    diesel::update(added).set(group_members::accepted_at.eq(now)).execute(conn).await.map(drop)
}

/// Adds the user with the e-mail as a member. An unknown e-mail becomes a new user, who is mailed an invitation.
/// `owner_default` is the ceiling of an owner without one.
pub async fn invite(
    conn: &mut AsyncPgConnection,
    group: &Group,
    email: &Email,
    budget: i64,
    by: &User,
    owner_default: i64,
) -> Result<Member, NotAdded> {
    conn.transaction(async |conn| {
        let (user, is_new) = users::find_or_create(conn, email, Role::User).await?;
        if is_new {
            invitations::count(conn, by.id, &subject(group.id, user.id)).await?;
            mails::enqueue_invitation(conn, &user, &group.group_name, by).await?;
        }
        let new = NewMember { group_id: group.id, user_id: user.id, budget, created_by: by.id };
        new.admit_within(conn, Some(owner_default)).await?.ok_or(NotAdded::AlreadyAMember)
    })
    .await
}

/// Sets the budget to 0 and removes the member. Errors: `BelowHeld` while active runs hold credits.
pub async fn remove(conn: &mut AsyncPgConnection, group_id: i64, user_id: i64, by: i64) -> Result<(), GrantError> {
    conn.transaction(async |conn| {
        let (amount, description) = (Amount::Set(0), "Removed from the group");
        BudgetGrant { group_id, user_id, amount, description, created_by: by }.book(conn).await?;
        diesel::update(group_members::table.find((group_id, user_id)))
            .set((group_members::removed_at.eq(now), group_members::updated_at.eq(now)))
            .execute(conn)
            .await?;
        audit_log::note(conn, by, "remove", &subject(group_id, user_id), json!({})).await?;
        Ok(())
    })
    .await
}

fn subject(group_id: i64, user_id: i64) -> String {
    format!("group {group_id}, user {user_id}")
}

/// Suspends or reinstates a member; `status` is `active` or `suspended`. `None`: the user is no member. The simulations
/// of a suspended member are paused.
pub async fn set_status(
    conn: &mut AsyncPgConnection,
    group_id: i64,
    user_id: i64,
    status: &str,
    by: i64,
) -> QueryResult<Option<Member>> {
    let member = conn.transaction(async |conn| {
        let changed = diesel::update(group_members::table.find((group_id, user_id)))
            .filter(group_members::removed_at.is_null())
            .filter(group_members::status.ne(status))
            .set((group_members::status.eq(status), group_members::updated_at.eq(now)))
            .execute(conn)
            .await?;
        if changed == 1 {
            let action = if status == "suspended" { "suspend" } else { "reinstate" };
            audit_log::note(conn, by, action, &subject(group_id, user_id), json!({})).await?;
        }
        Member::find(conn, group_id, user_id).await
    });
    let member = member.await?;
    // Done after the commit, because a simulation is locked before its member; no further one can start now.
    if status == "suspended" && member.is_some() {
        pause_simulations(conn, group_id, user_id).await?;
    }
    Ok(member)
}

async fn pause_simulations(conn: &mut AsyncPgConnection, group_id: i64, user_id: i64) -> QueryResult<()> {
    let active: Vec<i64> = simulations::table
        .filter(simulations::user_id.eq(user_id))
        .filter(simulations::group_id.eq(group_id))
        .filter(simulations::status.eq_any(["QUEUED", "RUNNING"]))
        .order(simulations::id)
        .select(simulations::id)
        .load(conn)
        .await?;
    for id in active {
        let message = "The member who started the simulation is suspended";
        control::pause_because(conn, id, control::MEMBER_SUSPENDED, message).await?;
    }
    Ok(())
}
