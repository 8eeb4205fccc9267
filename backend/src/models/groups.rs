//! Research groups.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde_json::json;

use crate::email::Email;
use crate::models::audit_log;
use crate::models::group_members;
use crate::models::mails;
use crate::models::predicates::is_active;
use crate::models::transactions;
use crate::models::users::{self, Promotion, User};
use crate::schema::{group_members as members, groups, users as people};

#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = groups, check_for_backend(Pg))]
pub struct Group {
    pub id: i64,
    pub group_name: String,
    pub owner_id: i64,
    /// `open` or `closed`.
    pub status: String,
    /// Whole credits that a new member is offered.
    pub default_budget_per_user: i64,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Whether simulations may read the personas' full texts.
    pub allow_full_personas: bool,
    /// Whether simulations may ask fewer questions in a call than the default.
    pub allow_single_question_calls: bool,
    /// Upper limit of whole credits granted to the members, spent ones included. `None`: no limit.
    pub credit_ceiling: Option<i64>,
}

impl Group {
    /// A closed group takes no new surveys and starts no simulations.
    pub fn is_open(&self) -> bool {
        self.status == "open"
    }
}

/// A group as one user sees it.
#[derive(Clone, Debug)]
pub struct ShownGroup {
    pub group: Group,
    pub owner_email: String,
    /// Credits that the user may spend in it; `None`: the user is not an active member.
    pub available: Option<i64>,
    /// Credits granted to the members in all; `None`: the group has no ceiling.
    pub granted: Option<i64>,
}

/// A condition on the rows of `groups`.
pub type VisibleGroups = Box<dyn BoxableExpression<groups::table, Pg, SqlType = Bool>>;

/// The group, unless it was deleted.
pub async fn find(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Option<Group>> {
    groups::table.find(id).filter(groups::deleted_at.is_null()).select(Group::as_select()).first(conn).await.optional()
}

/// Whether the user owns a group that is neither closed nor deleted.
pub async fn owns_open_group(conn: &mut AsyncPgConnection, user_id: i64) -> QueryResult<bool> {
    let open = groups::table
        .filter(groups::owner_id.eq(user_id))
        .filter(groups::status.eq("open"))
        .filter(groups::deleted_at.is_null());
    diesel::select(diesel::dsl::exists(open)).get_result(conn).await
}

/// Returns the groups that `visible` selects, newest first, and how many there are.
pub async fn list(
    conn: &mut AsyncPgConnection,
    visible: impl Fn() -> VisibleGroups,
    limit: i64,
    offset: i64,
) -> QueryResult<(Vec<Group>, i64)> {
    let seen = || groups::table.filter(groups::deleted_at.is_null()).filter(visible());
    let rows: Vec<Group> = seen()
        .order((groups::created_at.desc(), groups::id.desc()))
        .limit(limit)
        .offset(offset)
        .select(Group::as_select())
        .load(conn)
        .await?;
    let total = seen().count().get_result(conn).await?;
    Ok((rows, total))
}

/// Adds to each group, in the given order, what `viewer_id` sees of it.
pub async fn show(conn: &mut AsyncPgConnection, groups: Vec<Group>, viewer_id: i64) -> QueryResult<Vec<ShownGroup>> {
    let ids: Vec<i64> = groups.iter().map(|group| group.id).collect();
    let membership = members::group_id.eq(groups::id).and(members::user_id.eq(viewer_id)).and(is_active());
    let beside: Vec<(i64, String, Option<i64>)> = groups::table
        .inner_join(people::table)
        .left_join(members::table.on(membership))
        .filter(groups::id.eq_any(ids))
        .select((groups::id, people::email, (members::budget - members::held).nullable()))
        .load(conn)
        .await?;
    let mut beside: HashMap<i64, (String, Option<i64>)> =
        beside.into_iter().map(|(id, owner_email, available)| (id, (owner_email, available))).collect();
    let limited: Vec<i64> =
        groups.iter().filter(|group| group.credit_ceiling.is_some()).map(|group| group.id).collect();
    let granted = if limited.is_empty() { HashMap::new() } else { transactions::granted(conn, &limited).await? };
    let shown = groups.into_iter().map(|group| {
        let (owner_email, available) = beside.remove(&group.id).unwrap_or_default();
        let granted = group.credit_ceiling.map(|_| granted.get(&group.id).copied().unwrap_or(0));
        ShownGroup { owner_email, available, granted, group }
    });
    Ok(shown.collect())
}

#[derive(Clone, Copy, Debug, Insertable)]
#[diesel(table_name = groups)]
pub struct NewGroup<'a> {
    pub group_name: &'a str,
    pub owner_id: i64,
    pub default_budget_per_user: i64,
}

impl NewGroup<'_> {
    /// Creates an open group with its owner as a member, who has no credits.
    pub async fn create(self, connection: &mut AsyncPgConnection) -> QueryResult<Group> {
        connection
            .transaction(async |connection| {
                let created = diesel::insert_into(groups::table).values(self).returning(Group::as_returning());
                let group: Group = created.get_result(connection).await?;
                group_members::join_as_owner(connection, group.id, group.owner_id).await?;
                Ok(group)
            })
            .await
    }
}

/// Creates a group with this status and owner, in one transaction.
pub async fn found(
    conn: &mut AsyncPgConnection,
    new: NewGroup<'_>,
    change: GroupChange<'_>,
    by: &User,
) -> QueryResult<Group> {
    conn.transaction(async |conn| {
        let owner_id = match change.owner {
            Some(email) => owner(conn, email, new.group_name, by).await?,
            None => new.owner_id,
        };
        let group = NewGroup { owner_id, ..new }.create(conn).await?;
        GroupChange { owner: None, ..change }.apply(conn, group.id, by).await
    })
    .await
}

/// A change to a group; `None` leaves a field as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct GroupChange<'a> {
    pub group_name: Option<&'a str>,
    pub default_budget_per_user: Option<i64>,
    /// `open` or `closed`.
    pub status: Option<&'a str>,
    /// A user becomes an administrator; an unknown e-mail becomes a new administrator, who is mailed an invitation.
    pub owner: Option<&'a Email>,
    pub allow_full_personas: Option<bool>,
    pub allow_single_question_calls: Option<bool>,
    /// `Some(None)` removes the ceiling.
    pub credit_ceiling: Option<Option<i64>>,
    /// The ceiling of the group's owner over all their groups. `Some(None)`: the configured one.
    pub owner_credit_ceiling: Option<Option<i64>>,
}

impl GroupChange<'_> {
    /// Errors: `NotFound` for a deleted group.
    pub async fn apply(self, conn: &mut AsyncPgConnection, id: i64, by: &User) -> QueryResult<Group> {
        conn.transaction(async |conn| {
            let before: Group = groups::table
                .find(id)
                .filter(groups::deleted_at.is_null())
                .select(Group::as_select())
                .for_no_key_update()
                .first(conn)
                .await?;
            let name = self.group_name.unwrap_or(&before.group_name);
            let owner_id = match self.owner {
                Some(email) => owner(conn, email, name, by).await?,
                None => before.owner_id,
            };
            if owner_id != before.owner_id {
                let detail = json!({"from": before.owner_id, "to": owner_id});
                audit_log::note(conn, by.id, "owner", &format!("group {id}"), detail).await?;
                group_members::join_as_owner(conn, id, owner_id).await?;
            }
            if let Some(ceiling) = self.owner_credit_ceiling {
                User::set_credit_ceiling(conn, owner_id, ceiling).await?;
                audit_log::note(conn, by.id, "ceiling", &format!("user {owner_id}"), json!({ "to": ceiling })).await?;
            }
            let ceiling = self.credit_ceiling.unwrap_or(before.credit_ceiling);
            if ceiling != before.credit_ceiling {
                let detail = json!({"from": before.credit_ceiling, "to": ceiling});
                audit_log::note(conn, by.id, "ceiling", &format!("group {id}"), detail).await?;
            }
            diesel::update(groups::table.find(id))
                .set((
                    groups::credit_ceiling.eq(ceiling),
                    groups::group_name.eq(name),
                    groups::default_budget_per_user
                        .eq(self.default_budget_per_user.unwrap_or(before.default_budget_per_user)),
                    groups::status.eq(self.status.unwrap_or(&before.status)),
                    groups::owner_id.eq(owner_id),
                    groups::allow_full_personas.eq(self.allow_full_personas.unwrap_or(before.allow_full_personas)),
                    groups::allow_single_question_calls
                        .eq(self.allow_single_question_calls.unwrap_or(before.allow_single_question_calls)),
                    groups::updated_at.eq(diesel::dsl::now),
                ))
                .returning(Group::as_returning())
                .get_result(conn)
                .await
        })
        .await
    }
}

/// Returns the id of the administrator with this e-mail, who is promoted or created if needed. A new user is mailed an
/// invitation.
pub async fn owner(conn: &mut AsyncPgConnection, email: &Email, group_name: &str, by: &User) -> QueryResult<i64> {
    conn.transaction(async |conn| {
        let (owner, promotion) = users::find_or_make_admin(conn, email).await?;
        if promotion != Promotion::None {
            let from = (promotion == Promotion::Promoted).then_some("user");
            let detail = json!({"from": from, "to": "admin"});
            audit_log::note(conn, by.id, "role", &format!("user {}", owner.id), detail).await?;
        }
        if promotion == Promotion::Created {
            mails::enqueue_invitation(conn, &owner, group_name, by).await?;
        }
        Ok(owner.id)
    })
    .await
}

/// Marks a group deleted; its ledger stays. `false`: active runs hold members' credits, and nothing was changed.
pub async fn delete(conn: &mut AsyncPgConnection, id: i64, by: i64) -> QueryResult<bool> {
    conn.transaction(async |conn| {
        // A run that is being started has locked its member's row: this waits for it and then sees its hold.
        let held: Vec<i64> = members::table
            .filter(members::group_id.eq(id))
            .order(members::user_id)
            .select(members::held)
            .for_no_key_update()
            .load(conn)
            .await?;
        if held.iter().any(|&held| held > 0) {
            return Ok(false);
        }
        diesel::update(groups::table.find(id).filter(groups::deleted_at.is_null()))
            .set((groups::deleted_at.eq(diesel::dsl::now), groups::updated_at.eq(diesel::dsl::now)))
            .execute(conn)
            .await?;
        audit_log::note(conn, by, "delete", &format!("group {id}"), json!({})).await?;
        Ok(true)
    })
    .await
}
