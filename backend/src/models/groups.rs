//! Research groups.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};
use serde_json::json;
use simulation::json_objects::given;
use utoipa::ToSchema;

use crate::email::Email;
use crate::models::audit_log;
use crate::models::group_members;
use crate::models::group_model_keys;
use crate::models::mails;
use crate::models::predicates::is_active;
use crate::models::transactions::ceilings;
use crate::models::users::{self, Promotion, User};
use crate::schema::{group_members as members, groups, users as people};

/// A research group.
#[derive(Clone, Debug, Queryable, Selectable, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GroupRow)]
#[diesel(table_name = groups, check_for_backend(Pg))]
pub struct Group {
    #[schema(example = 4)]
    pub id: i64,
    #[schema(example = "Consumer research")]
    pub group_name: String,
    #[schema(example = 7)]
    pub owner_id: i64,
    /// `open` or `closed`.
    #[schema(example = "open")]
    pub status: String,
    /// Whole credits that a new member starts with by default.
    #[serde(rename = "initialBudgetPerUser")]
    #[schema(example = 500)]
    pub default_budget_per_user: i64,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Simulations in it may read the digital twins' full texts.
    #[schema(example = true)]
    pub allow_full_personas: bool,
    /// Simulations in it may ask few questions in a call, down to one.
    #[schema(example = true)]
    pub allow_single_question_calls: bool,
    /// The most credits that its members may have been granted in all, spent ones included; left out if there is no
    /// ceiling.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 100_000)]
    pub credit_ceiling: Option<i64>,
}

impl Group {
    /// A closed group takes no new surveys and starts no simulations.
    pub fn is_open(&self) -> bool {
        self.status == "open"
    }
}

/// A research group, as the caller sees it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Group)]
pub struct ShownGroup {
    #[serde(flatten)]
    pub group: Group,
    #[schema(example = "ada@example.org")]
    pub owner_email: String,
    /// The caller owns it.
    #[schema(example = true)]
    pub is_owner: bool,
    /// Credits that the caller may spend in it; null if they are no active member.
    #[schema(example = 420)]
    pub available: Option<i64>,
    /// Credits that its members were granted in all, spent ones included; left out if there is no ceiling.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 60_000)]
    pub credits_granted: Option<i64>,
    /// The most credits that its owner may have granted over all their groups, spent ones included; for its owner and super
    /// admins, in answers about one group; left out if there is no ceiling.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 10_000_000)]
    pub owner_credit_ceiling: Option<i64>,
    /// Credits that its owner has granted over all their groups, spent ones included; beside `ownerCreditCeiling`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 60_000)]
    pub owner_credits_granted: Option<i64>,
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
    let granted = if limited.is_empty() { HashMap::new() } else { ceilings::granted(conn, &limited).await? };
    let shown = groups.into_iter().map(|group| {
        let (owner_email, available) = beside.remove(&group.id).unwrap_or_default();
        let granted = group.credit_ceiling.map(|_| granted.get(&group.id).copied().unwrap_or(0));
        let is_owner = group.owner_id == viewer_id;
        ShownGroup {
            group,
            owner_email,
            is_owner,
            available,
            credits_granted: granted,
            owner_credit_ceiling: None,
            owner_credits_granted: None,
        }
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
pub async fn create(
    conn: &mut AsyncPgConnection,
    new: NewGroup<'_>,
    new_owner: Option<&Email>,
    change: GroupChange,
    by: &User,
) -> QueryResult<Group> {
    conn.transaction(async |conn| {
        let owner_id = match new_owner {
            Some(email) => find_or_make_owner(conn, email, new.group_name, by).await?,
            None => new.owner_id,
        };
        let group = NewGroup { owner_id, ..new }.create(conn).await?;
        change.apply(conn, group.id, None, by).await
    })
    .await
}

/// A change to a group. A field that is left out stays as it is.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct GroupChange {
    #[serde(default, alias = "groupName", alias = "name")]
    #[schema(example = "Consumer research", min_length = 1, max_length = 200)]
    pub group_name: Option<String>,
    #[serde(default, alias = "defaultBudgetPerUser", alias = "initialBudgetPerUser")]
    #[schema(example = 500, minimum = 0, maximum = 1_000_000_000_000_i64)]
    pub default_budget_per_user: Option<i64>,
    /// A new owner, from a super admin alone.
    #[serde(default, alias = "ownerEmail")]
    #[schema(example = "ada@example.org", format = "email")]
    pub owner_email: Option<String>,
    /// `open` or `closed`. A closed group takes no new surveys and starts no simulations; it may be opened again.
    #[serde(default)]
    #[schema(example = "open", pattern = "^(open|closed)$")]
    pub status: Option<String>,
    /// Simulations may read the digital twins' full texts.
    #[serde(default, alias = "allow_full_personas", rename = "allowFullPersonas")]
    #[schema(example = true)]
    pub allow_full_personas: Option<bool>,
    /// Simulations may ask few questions in a call, down to one.
    #[serde(default, alias = "allow_single_question_calls", rename = "allowSingleQuestionCalls")]
    #[schema(example = true)]
    pub allow_single_question_calls: Option<bool>,
    /// The most credits that its members may have been granted in all, spent ones included, from a super admin alone;
    /// null: no ceiling.
    #[serde(default, alias = "credit_ceiling", rename = "creditCeiling", deserialize_with = "given")]
    #[schema(value_type = Option<i64>, example = 100_000, minimum = 0, maximum = 1_000_000_000_000_i64)]
    pub credit_ceiling: Option<Option<i64>>,
    /// The most credits that its owner may have granted over all their groups, spent ones included, from a super admin alone;
    /// null: the configuration's `CREDIT_CEILING`.
    #[serde(default, alias = "owner_credit_ceiling", rename = "ownerCreditCeiling", deserialize_with = "given")]
    #[schema(value_type = Option<i64>, example = 20_000_000, minimum = 0, maximum = 1_000_000_000_000_i64)]
    pub owner_credit_ceiling: Option<Option<i64>>,
}

impl GroupChange {
    /// Makes the change, with `new_owner` for its `owner_email`: a user becomes an administrator, and an unknown e-mail a new
    /// administrator, who is mailed an invitation. Errors: `NotFound` for a deleted group.
    pub async fn apply(
        self,
        conn: &mut AsyncPgConnection,
        id: i64,
        new_owner: Option<&Email>,
        by: &User,
    ) -> QueryResult<Group> {
        conn.transaction(async |conn| {
            let before: Group = groups::table
                .find(id)
                .filter(groups::deleted_at.is_null())
                .select(Group::as_select())
                .for_no_key_update()
                .first(conn)
                .await?;
            let name = self.group_name.as_deref().unwrap_or(&before.group_name);
            let owner_id = match new_owner {
                Some(email) => find_or_make_owner(conn, email, name, by).await?,
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
                    groups::status.eq(self.status.as_deref().unwrap_or(&before.status)),
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
async fn find_or_make_owner(
    conn: &mut AsyncPgConnection,
    email: &Email,
    group_name: &str,
    by: &User,
) -> QueryResult<i64> {
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
        group_model_keys::remove_all(conn, id).await?;
        audit_log::note(conn, by, "delete", &format!("group {id}"), json!({})).await?;
        Ok(true)
    })
    .await
}
