//! Members of groups, and the credits that are theirs to spend.

use chrono::{DateTime, Utc};
use diesel::dsl::now;
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};

use crate::models::transactions::{Amount, Grant, GrantError};
use crate::schema::group_members;

#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = group_members, check_for_backend(diesel::pg::Pg))]
pub struct Member {
    pub group_id: i64,
    pub user_id: i64,
    /// Whole credits, the held ones included.
    pub budget: i64,
    /// What active runs have set aside.
    pub held: i64,
    /// `active` or `suspended`.
    pub status: String,
    pub created_at: DateTime<Utc>,
}

impl Member {
    /// Nobody who was removed.
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
    /// The first budget, in whole credits.
    pub budget: i64,
    /// Who admits.
    pub created_by: i64,
}

impl NewMember {
    /// One who was removed comes back under the same row. `None`: already a member, and nothing was changed.
    pub async fn admit(self, connection: &mut AsyncPgConnection) -> Result<Option<Member>, GrantError> {
        connection
            .transaction(async |connection| {
                if !self.join(connection).await? {
                    return Ok(None);
                }
                let Self { group_id, user_id, budget, created_by } = self;
                let amount = Amount::Set(budget);
                Grant { group_id, user_id, amount, description: "Initial budget", created_by }.book(connection).await?;
                Ok(Member::find(connection, group_id, user_id).await?)
            })
            .await
    }

    async fn join(self, connection: &mut AsyncPgConnection) -> QueryResult<bool> {
        use diesel::query_dsl::methods::FilterDsl;

        let joined = diesel::insert_into(group_members::table)
            .values((group_members::group_id.eq(self.group_id), group_members::user_id.eq(self.user_id)))
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
