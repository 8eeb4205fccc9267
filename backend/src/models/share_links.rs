//! Read-only links to runs' results, for people without an account.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use utoipa::ToSchema;

use crate::schema::{share_links, simulations, surveys, users};

/// Upper limit of links for each run.
pub const MAX_LINKS: i64 = 50;

/// A read-only link to a run's results, without its token.
#[derive(Clone, Debug, Queryable, Selectable, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[diesel(table_name = share_links, check_for_backend(diesel::pg::Pg))]
pub struct ShareLink {
    #[schema(example = 3)]
    pub id: i64,
    /// The token's first characters.
    #[schema(example = "Xb3kQ9pLm2Nd")]
    pub prefix: String,
    pub expires_at: DateTime<Utc>,
    /// How often it was opened.
    #[schema(example = 12)]
    pub views: i64,
    /// Null until it is opened.
    pub last_viewed_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = share_links)]
pub struct NewShareLink<'a> {
    pub simulation_id: i64,
    pub created_by: i64,
    pub prefix: &'a str,
    pub token_hash: Vec<u8>,
    pub expires_at: DateTime<Utc>,
}

impl NewShareLink<'_> {
    /// Stores the link. `None`: the run has [`MAX_LINKS`].
    pub async fn create(self, conn: &mut AsyncPgConnection) -> QueryResult<Option<ShareLink>> {
        conn.transaction(async |conn| {
            // The lock makes parallel calls wait, so that each is counted.
            let run = simulations::table.find(self.simulation_id).select(simulations::id);
            let _: i64 = run.for_no_key_update().first(conn).await?;
            let of_run = share_links::table.filter(share_links::simulation_id.eq(self.simulation_id));
            let has: i64 = of_run.count().get_result(conn).await?;
            if has >= MAX_LINKS {
                return Ok(None);
            }
            let created = diesel::insert_into(share_links::table).values(self);
            created.returning(ShareLink::as_returning()).get_result(conn).await.map(Some)
        })
        .await
    }
}

/// Returns a run's links, newest first, and how many there are.
pub async fn list(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    limit: i64,
    offset: i64,
) -> QueryResult<(Vec<ShareLink>, i64)> {
    let of_run = || share_links::table.filter(share_links::simulation_id.eq(simulation_id));
    let rows = of_run().order(share_links::id.desc()).limit(limit).offset(offset);
    let rows = rows.select(ShareLink::as_select()).load(conn).await?;
    Ok((rows, of_run().count().get_result(conn).await?))
}

/// Deletes a link, which is void at once. `false`: the run has no such link.
pub async fn revoke(conn: &mut AsyncPgConnection, simulation_id: i64, id: i64) -> QueryResult<bool> {
    let link = share_links::table.find(id).filter(share_links::simulation_id.eq(simulation_id));
    Ok(diesel::delete(link).execute(conn).await? == 1)
}

/// Returns the run of the link with this hash and the link's expiry. `None`: the link has expired or was revoked, its
/// creator has left, or the run's survey was deleted.
pub async fn find(conn: &mut AsyncPgConnection, token_hash: &[u8]) -> QueryResult<Option<(i64, DateTime<Utc>)>> {
    share_links::table
        .inner_join(simulations::table.inner_join(surveys::table))
        .inner_join(users::table.on(users::id.eq(share_links::created_by)))
        .filter(share_links::token_hash.eq(token_hash))
        .filter(share_links::expires_at.gt(diesel::dsl::now))
        .filter(surveys::deleted_at.is_null())
        .filter(users::deleted_at.is_null().and(users::suspended_at.is_null()))
        .select((share_links::simulation_id, share_links::expires_at))
        .first(conn)
        .await
        .optional()
}

/// Counts a view.
pub async fn count(conn: &mut AsyncPgConnection, token_hash: &[u8]) -> QueryResult<()> {
    diesel::update(share_links::table.filter(share_links::token_hash.eq(token_hash)))
        .set((share_links::views.eq(share_links::views + 1), share_links::last_viewed_at.eq(diesel::dsl::now)))
        .execute(conn)
        .await?;
    Ok(())
}
