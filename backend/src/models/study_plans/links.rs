//! The public page of a frozen plan. Its address stays until it is withdrawn; publishing again makes a new one.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::StudyPlan;
use crate::schema::{frozen_plans, plan_links, study_plans, surveys, users};

/// Returns the address's token. `None`: the plan is not public.
pub async fn token(conn: &mut AsyncPgConnection, plan_id: i64) -> QueryResult<Option<String>> {
    plan_links::table.find(plan_id).select(plan_links::token).first(conn).await.optional()
}

/// Publishes a frozen plan; a public one keeps its token.
pub async fn publish(conn: &mut AsyncPgConnection, plan_id: i64, created_by: i64, token: &str) -> QueryResult<()> {
    diesel::insert_into(plan_links::table)
        .values((plan_links::plan_id.eq(plan_id), plan_links::created_by.eq(created_by), plan_links::token.eq(token)))
        .on_conflict_do_nothing()
        .execute(conn)
        .await
        .map(drop)
}

/// Withdraws the address, which is void at once.
pub async fn withdraw(conn: &mut AsyncPgConnection, plan_id: i64) -> QueryResult<()> {
    diesel::delete(plan_links::table.find(plan_id)).execute(conn).await.map(drop)
}

/// Returns the plan of an address. `None`: it was withdrawn, its creator has left, or the survey was deleted.
pub async fn find(conn: &mut AsyncPgConnection, token: &str) -> QueryResult<Option<StudyPlan>> {
    plan_links::table
        .inner_join(frozen_plans::table.inner_join(study_plans::table.inner_join(surveys::table)))
        .inner_join(users::table.on(users::id.eq(plan_links::created_by)))
        .filter(plan_links::token.eq(token))
        .filter(surveys::deleted_at.is_null())
        .filter(users::deleted_at.is_null().and(users::suspended_at.is_null()))
        .select(StudyPlan::as_select())
        .first(conn)
        .await
        .optional()
}
