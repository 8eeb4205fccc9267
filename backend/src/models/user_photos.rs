//! Photos of users, reduced in size and without metadata.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::schema::user_photos;

#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = user_photos, check_for_backend(diesel::pg::Pg))]
pub struct Photo {
    pub user_id: i64,
    pub media_type: String,
    pub bytes: Vec<u8>,
    pub updated_at: DateTime<Utc>,
}

impl Photo {
    pub async fn of(conn: &mut AsyncPgConnection, user_id: i64) -> QueryResult<Option<Self>> {
        user_photos::table.find(user_id).select(Self::as_select()).first(conn).await.optional()
    }

    pub async fn keep(conn: &mut AsyncPgConnection, user_id: i64, media_type: &str, bytes: &[u8]) -> QueryResult<()> {
        let photo = (
            user_photos::media_type.eq(media_type),
            user_photos::bytes.eq(bytes),
            user_photos::updated_at.eq(diesel::dsl::now),
        );
        diesel::insert_into(user_photos::table)
            .values((user_photos::user_id.eq(user_id), photo))
            .on_conflict(user_photos::user_id)
            .do_update()
            .set(photo)
            .execute(conn)
            .await?;
        Ok(())
    }

    /// Its URL, which changes with the photo so that it can be cached. `None`: no photo.
    pub async fn address(conn: &mut AsyncPgConnection, user_id: i64) -> QueryResult<Option<String>> {
        let updated: Option<DateTime<Utc>> =
            user_photos::table.find(user_id).select(user_photos::updated_at).first(conn).await.optional()?;
        Ok(updated.map(|at| address(user_id, at)))
    }
}

/// The URL of the photo that was set at this time.
pub fn address(user_id: i64, updated_at: DateTime<Utc>) -> String {
    format!("/api/auth/photo/{user_id}?v={}", updated_at.timestamp_millis())
}
