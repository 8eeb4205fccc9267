//! Members as their group's owner sees them: account, budget and spending.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text, Timestamptz};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Member;
use crate::models::user_photos as photos;
use crate::models::users::{Role, User};
use crate::schema::{group_members, user_photos, users as people};

/// A member with the account.
#[derive(Clone, Debug)]
pub struct MemberAccount {
    pub member: Member,
    pub user: User,
    pub photo_url: Option<String>,
}

impl MemberAccount {
    /// `photo` is the name of the user's photo. A user who has not signed in since they were added looks like a new
    /// account.
    pub fn new(member: Member, user: User, photo: Option<Uuid>) -> Self {
        if member.accepted_at.is_none() {
            let user = User { name: None, role: Role::User.as_str().to_owned(), is_verified: false, ..user };
            return Self { member, user, photo_url: None };
        }
        Self { member, user, photo_url: photo.map(photos::address) }
    }
}

/// Returns a group's members, newest first, and how many there are; `only` selects one user.
pub async fn list(
    conn: &mut AsyncPgConnection,
    group_id: i64,
    only: Option<i64>,
    limit: i64,
    offset: i64,
) -> QueryResult<(Vec<MemberAccount>, i64)> {
    let wanted = || {
        let members = group_members::table
            .filter(group_members::group_id.eq(group_id))
            .filter(group_members::removed_at.is_null())
            .into_boxed::<diesel::pg::Pg>();
        match only {
            Some(user_id) => members.filter(group_members::user_id.eq(user_id)),
            None => members,
        }
    };
    let members: Vec<Member> = wanted()
        .order(group_members::id.desc())
        .limit(limit)
        .offset(offset)
        .select(Member::as_select())
        .load(conn)
        .await?;
    let total = wanted().count().get_result(conn).await?;
    Ok((accounts(conn, members).await?, total))
}

/// Returns the members in the given order, with their accounts.
pub async fn accounts(conn: &mut AsyncPgConnection, members: Vec<Member>) -> QueryResult<Vec<MemberAccount>> {
    let ids: Vec<i64> = members.iter().map(|member| member.user_id).collect();
    let users: Vec<(User, Option<Uuid>)> = people::table
        .left_join(user_photos::table)
        .filter(people::id.eq_any(ids))
        .select((User::as_select(), user_photos::name.nullable()))
        .load(conn)
        .await?;
    let users: HashMap<i64, (User, Option<Uuid>)> =
        users.into_iter().map(|(user, photo)| (user.id, (user, photo))).collect();
    let accounts = members.into_iter().filter_map(|member| {
        let (user, photo) = users.get(&member.user_id)?.clone();
        Some(MemberAccount::new(member, user, photo))
    });
    Ok(accounts.collect())
}

/// Returns the memberships of these pairs of group and user, including ended ones.
pub async fn of_pairs(conn: &mut AsyncPgConnection, pairs: &[(i64, i64)]) -> QueryResult<Vec<Member>> {
    let (groups, users): (Vec<i64>, Vec<i64>) = pairs.iter().copied().unzip();
    group_members::table
        .filter(group_members::group_id.eq_any(groups))
        .filter(group_members::user_id.eq_any(users))
        .select(Member::as_select())
        .load(conn)
        .await
}

/// A member's budget and spending in a group, in whole credits.
#[derive(Clone, Debug, QueryableByName, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberSpending {
    #[diesel(sql_type = BigInt)]
    #[schema(example = 7)]
    pub user_id: i64,
    #[diesel(sql_type = Text)]
    #[schema(example = "ada@example.org")]
    pub email: String,
    #[diesel(sql_type = Nullable<Text>)]
    #[schema(example = "Ada Lovelace")]
    pub name: Option<String>,
    /// `active` or `suspended`.
    #[diesel(sql_type = Text)]
    #[schema(example = "active")]
    pub status: String,
    #[diesel(sql_type = BigInt)]
    #[schema(example = 500)]
    pub budget: i64,
    /// Credits that active runs have set aside.
    #[diesel(sql_type = BigInt)]
    #[schema(example = 80)]
    pub held: i64,
    /// Credits that all runs so far have used, one for each answer.
    #[diesel(sql_type = BigInt)]
    #[schema(example = 1200)]
    pub spent: i64,
    /// Runs started in the group.
    #[diesel(sql_type = BigInt)]
    #[schema(example = 3)]
    pub runs: i64,
    /// Start of the latest run.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub last_run_at: Option<DateTime<Utc>>,
}

/// Returns the spending of a group's members, in the order of [`list`].
pub async fn usage(
    conn: &mut AsyncPgConnection,
    group_id: i64,
    limit: i64,
    offset: i64,
) -> QueryResult<(Vec<MemberSpending>, i64)> {
    let rows = diesel::sql_query(
        "WITH page AS (
            SELECT * FROM group_members WHERE group_id = $1 AND removed_at IS NULL
            ORDER BY id DESC LIMIT $2 OFFSET $3
        ), of_members AS (
            SELECT user_id, count(*) AS runs, sum(successful_requests)::bigint AS spent,
                max(created_at) AS last_run_at
            FROM simulations WHERE group_id = $1 GROUP BY user_id
        )
        SELECT m.user_id, u.email, CASE WHEN m.accepted_at IS NOT NULL THEN u.name END AS name, m.status, m.budget, m.held, coalesce(spent, 0) AS spent,
            coalesce(runs, 0) AS runs, last_run_at
        FROM page m JOIN users u ON u.id = m.user_id LEFT JOIN of_members ON of_members.user_id = m.user_id
        ORDER BY m.id DESC",
    )
    .bind::<BigInt, _>(group_id)
    .bind::<BigInt, _>(limit)
    .bind::<BigInt, _>(offset)
    .load(conn)
    .await?;
    let members =
        group_members::table.filter(group_members::group_id.eq(group_id)).filter(group_members::removed_at.is_null());
    Ok((rows, members.count().get_result(conn).await?))
}
