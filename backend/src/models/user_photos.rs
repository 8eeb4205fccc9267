//! Photos of users, reduced in size and without metadata.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::schema::user_photos;

#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = user_photos, check_for_backend(diesel::pg::Pg))]
pub struct Photo {
    pub user_id: i64,
    pub media_type: String,
    pub bytes: Vec<u8>,
}

impl Photo {
    pub async fn find(conn: &mut AsyncPgConnection, user_id: i64) -> QueryResult<Option<Self>> {
        user_photos::table.find(user_id).select(Self::as_select()).first(conn).await.optional()
    }

    /// Returns the photo with this name, which cannot be guessed.
    pub async fn named(conn: &mut AsyncPgConnection, name: Uuid) -> QueryResult<Option<Self>> {
        user_photos::table.filter(user_photos::name.eq(name)).select(Self::as_select()).first(conn).await.optional()
    }

    /// Replaces the user's photo and gives it a new name.
    pub async fn keep(conn: &mut AsyncPgConnection, user_id: i64, media_type: &str, bytes: &[u8]) -> QueryResult<()> {
        let photo = (
            user_photos::media_type.eq(media_type),
            user_photos::bytes.eq(bytes),
            user_photos::name.eq(Uuid::new_v4()),
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

    /// Returns the URL of the user's photo. `None`: the user has none.
    pub async fn address(conn: &mut AsyncPgConnection, user_id: i64) -> QueryResult<Option<String>> {
        let name: Option<Uuid> =
            user_photos::table.find(user_id).select(user_photos::name).first(conn).await.optional()?;
        Ok(name.map(address))
    }
}

/// Builds the URL of the photo with this name. It changes with the photo, so that the photo can be cached.
pub fn address(name: Uuid) -> String {
    format!("/api/auth/photo/{name}")
}
