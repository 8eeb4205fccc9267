//! Sessions that were signed out of. A row is kept until the session would have expired.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::schema::ended_sessions;

pub async fn end(conn: &mut AsyncPgConnection, id: Uuid, expires_at: DateTime<Utc>) -> QueryResult<()> {
    diesel::insert_into(ended_sessions::table)
        .values((ended_sessions::id.eq(id), ended_sessions::expires_at.eq(expires_at)))
        .on_conflict_do_nothing()
        .execute(conn)
        .await?;
    Ok(())
}
