//! Changes to a survey. The texts of a survey with runs cannot change.

use diesel::dsl::{exists, now};
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};

use super::{Survey, SurveyRefusal};
use crate::models::human_samples;
use crate::schema::{simulations, surveys};

/// A change to a survey; `None` leaves a field as it is.
#[derive(Clone, Debug, Default, AsChangeset)]
#[diesel(table_name = surveys)]
pub struct Changes {
    pub title: Option<String>,
    pub description: Option<String>,
    /// Name of a [`Visibility`](super::Visibility).
    pub visibility: Option<&'static str>,
}

impl Changes {
    /// Applies the change. The visibility may change at any time, the texts only while the survey is not locked.
    pub async fn make(self, conn: &mut AsyncPgConnection, id: i64) -> Result<(), SurveyRefusal> {
        conn.transaction(async |conn| {
            if self.title.is_some() || self.description.is_some() {
                open(conn, id).await?;
            }
            diesel::update(surveys::table.find(id)).set((self, surveys::updated_at.eq(now))).execute(conn).await?;
            Ok(())
        })
        .await
    }
}

/// Returns the survey's row, locked until the transaction ends, so that no run starts meanwhile.
async fn lock(conn: &mut AsyncPgConnection, id: i64) -> Result<Survey, SurveyRefusal> {
    surveys::table
        .find(id)
        .filter(surveys::deleted_at.is_null())
        .select(Survey::as_select())
        .for_no_key_update()
        .first(conn)
        .await
        .optional()?
        .ok_or(SurveyRefusal::NotFound)
}

/// Returns the survey's row, locked for an edit of its texts or questions until the transaction ends. Fails if the
/// survey has simulations or is locked by hand.
pub async fn open(conn: &mut AsyncPgConnection, id: i64) -> Result<Survey, SurveyRefusal> {
    let survey = lock(conn, id).await?;
    if has_simulations(conn, id).await? {
        return Err(SurveyRefusal::HasSimulations);
    }
    if survey.is_locked {
        return Err(SurveyRefusal::LockedByHand);
    }
    Ok(survey)
}

async fn has_simulations(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<bool> {
    let runs = simulations::table.filter(simulations::survey_id.eq(id));
    diesel::select(exists(runs)).get_result(conn).await
}

/// Locks by hand, or unlocks. A survey with simulations stays locked.
pub async fn toggle_lock(conn: &mut AsyncPgConnection, id: i64) -> Result<(), SurveyRefusal> {
    conn.transaction(async |conn| {
        let survey = lock(conn, id).await?;
        if has_simulations(conn, id).await? {
            return Err(SurveyRefusal::HasSimulations);
        }
        diesel::update(surveys::table.find(id))
            .set((surveys::is_locked.eq(!survey.is_locked), surveys::updated_at.eq(now)))
            .execute(conn)
            .await?;
        Ok(())
    })
    .await
}

/// Toggles between `PRIVATE` and `PUBLIC`.
pub async fn toggle_visibility(conn: &mut AsyncPgConnection, id: i64) -> Result<(), SurveyRefusal> {
    conn.transaction(async |conn| {
        let survey = lock(conn, id).await?;
        let other = if survey.visibility == "PUBLIC" { "PRIVATE" } else { "PUBLIC" };
        diesel::update(surveys::table.find(id))
            .set((surveys::visibility.eq(other), surveys::updated_at.eq(now)))
            .execute(conn)
            .await?;
        Ok(())
    })
    .await
}

/// Marks the survey deleted. Its runs, their answers and their ledger entries stay; people's answers are deleted.
pub async fn delete(conn: &mut AsyncPgConnection, id: i64) -> Result<(), SurveyRefusal> {
    conn.transaction(async |conn| {
        lock(conn, id).await?;
        let active = simulations::table
            .filter(simulations::survey_id.eq(id))
            .filter(simulations::status.eq_any(["PENDING", "QUEUED", "RUNNING", "PAUSED"]));
        if diesel::select(exists(active)).get_result(conn).await? {
            return Err(SurveyRefusal::Active);
        }
        human_samples::remove_all(conn, id).await?;
        diesel::update(surveys::table.find(id))
            .set((surveys::deleted_at.eq(now), surveys::updated_at.eq(now)))
            .execute(conn)
            .await?;
        Ok(())
    })
    .await
}
