//! Research groups.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::schema::groups;

#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = groups, check_for_backend(diesel::pg::Pg))]
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
}

#[derive(Clone, Copy, Debug, Insertable)]
#[diesel(table_name = groups)]
pub struct NewGroup<'a> {
    pub group_name: &'a str,
    pub owner_id: i64,
    pub default_budget_per_user: i64,
}

impl NewGroup<'_> {
    /// An open group. Its owner is no member of it by that alone.
    pub async fn create(self, connection: &mut AsyncPgConnection) -> QueryResult<Group> {
        diesel::insert_into(groups::table).values(self).returning(Group::as_returning()).get_result(connection).await
    }
}
