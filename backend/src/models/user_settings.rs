//! Users' preferences: mails, and the defaults of new runs. A user without a row has the table's defaults.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::schema::user_settings;

#[derive(
    Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable, AsChangeset, Serialize, Deserialize, ToSchema,
)]
#[diesel(table_name = user_settings, check_for_backend(diesel::pg::Pg))]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Whether to send mails other than codes, invitations and decisions.
    pub email_notifications: bool,
    /// Whether to send a mail when a run ends or an error pauses it.
    pub simulation_complete: bool,
    /// Whether to send a mail when fewer than 100 credits are left.
    pub low_budget: bool,
    pub new_features: bool,
    /// Allowed: 50, 100, 200, 500, 1000.
    pub default_digital_twins: i32,
    pub auto_save: bool,
    /// Allowed: `csv`, `excel`, `json`.
    pub export_format: String,
    /// Allowed: `light`, `dark`, `system`.
    pub theme: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            email_notifications: true,
            simulation_complete: true,
            low_budget: true,
            new_features: false,
            default_digital_twins: 100,
            auto_save: true,
            export_format: "csv".to_owned(),
            theme: "light".to_owned(),
        }
    }
}

impl Settings {
    pub async fn load(conn: &mut AsyncPgConnection, user_id: i64) -> QueryResult<Self> {
        let kept = user_settings::table.find(user_id).select(Self::as_select()).first(conn).await.optional()?;
        Ok(kept.unwrap_or_default())
    }

    pub async fn keep(&self, conn: &mut AsyncPgConnection, user_id: i64) -> QueryResult<()> {
        diesel::insert_into(user_settings::table)
            .values((user_settings::user_id.eq(user_id), self))
            .on_conflict(user_settings::user_id)
            .do_update()
            .set(self)
            .execute(conn)
            .await?;
        Ok(())
    }
}
