//! Keys of groups for model servers. The table has them encrypted alone.

use chrono::{DateTime, Utc};
use diesel::dsl;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde_json::json;
use simulation::key_owner::KeyOwner;
use simulation::parameters::{DEFAULT_SERVER, Parameters};

use crate::models::{audit_log, queue};
use crate::schema::{group_model_keys, users};

/// A group's key for a model server, as far as it is shown.
#[derive(Clone, Debug, Queryable)]
pub struct ShownKey {
    pub server: String,
    pub last_four: String,
    pub set_by: String,
    pub set_at: DateTime<Utc>,
    /// The key, encrypted.
    pub sealed: Vec<u8>,
}

/// A group's key for a model server, encrypted.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = group_model_keys, check_for_backend(Pg))]
pub struct SealedKey {
    pub group_id: i64,
    pub server: String,
    pub sealed: Vec<u8>,
    /// Another key of the same group and server was set at another time.
    pub set_at: DateTime<Utc>,
}

/// A key to be stored.
#[derive(Clone, Debug, Insertable, AsChangeset)]
#[diesel(table_name = group_model_keys)]
pub struct NewSealedKey<'a> {
    pub group_id: i64,
    pub server: &'a str,
    pub sealed: Vec<u8>,
    pub last_four: &'a str,
    pub set_by: i64,
}

/// The group's keys, by the names of their servers.
pub async fn list(conn: &mut AsyncPgConnection, group_id: i64) -> QueryResult<Vec<ShownKey>> {
    group_model_keys::table
        .inner_join(users::table)
        .filter(group_model_keys::group_id.eq(group_id))
        .order(group_model_keys::server)
        .select((
            group_model_keys::server,
            group_model_keys::last_four,
            users::email,
            group_model_keys::set_at,
            group_model_keys::sealed,
        ))
        .load(conn)
        .await
}

/// The group's key for this server. `None`: it has none.
pub async fn find(conn: &mut AsyncPgConnection, group_id: i64, server: &str) -> QueryResult<Option<SealedKey>> {
    let found = group_model_keys::table.find((group_id, server)).select(SealedKey::as_select());
    found.first(conn).await.optional()
}

/// The keys of all groups.
pub async fn all(conn: &mut AsyncPgConnection) -> QueryResult<Vec<SealedKey>> {
    let order = (group_model_keys::group_id, group_model_keys::server);
    group_model_keys::table.order(order).select(SealedKey::as_select()).load(conn).await
}

/// Notes in the parameters of a run that starts whose key it asks with. `is_demo`: the demo model answers where no server is
/// named.
pub async fn choose(
    conn: &mut AsyncPgConnection,
    group_id: i64,
    parameters: &mut Parameters,
    is_demo: bool,
) -> QueryResult<()> {
    let server = parameters.server().to_owned();
    let may_have = !(is_demo && server == DEFAULT_SERVER);
    let has_key = may_have && find(conn, group_id, &server).await?.is_some();
    parameters.key_owner = if has_key { KeyOwner::Group } else { KeyOwner::Instance };
    Ok(())
}

impl NewSealedKey<'_> {
    /// Stores the key, in the place of an earlier one. Workers look at once whether runs can go on with it.
    pub async fn put(self, conn: &mut AsyncPgConnection) -> QueryResult<()> {
        conn.transaction(async |conn| {
            let (group_id, server, by) = (self.group_id, self.server, self.set_by);
            let replaces = find(conn, group_id, server).await?.is_some();
            let detail = json!({ "server": server, "change": if replaces { "replaced" } else { "set" } });
            diesel::insert_into(group_model_keys::table)
                .values(&self)
                .on_conflict((group_model_keys::group_id, group_model_keys::server))
                .do_update()
                .set((&self, group_model_keys::set_at.eq(dsl::now)))
                .execute(conn)
                .await?;
            audit_log::note(conn, by, "model_key", &format!("group {group_id}"), detail).await?;
            queue::notify_workers(conn).await
        })
        .await
    }
}

/// Removes the group's key for this server. `false`: it had none.
pub async fn remove(conn: &mut AsyncPgConnection, group_id: i64, server: &str, by: i64) -> QueryResult<bool> {
    conn.transaction(async |conn| {
        let removed = diesel::delete(group_model_keys::table.find((group_id, server))).execute(conn).await?;
        if removed > 0 {
            let detail = json!({ "server": server, "change": "removed" });
            audit_log::note(conn, by, "model_key", &format!("group {group_id}"), detail).await?;
            queue::notify_workers(conn).await?;
        }
        Ok(removed > 0)
    })
    .await
}

/// Removes all keys of a group that is deleted.
pub async fn remove_all(conn: &mut AsyncPgConnection, group_id: i64) -> QueryResult<()> {
    let of_group = group_model_keys::table.filter(group_model_keys::group_id.eq(group_id));
    diesel::delete(of_group).execute(conn).await.map(drop)
}
