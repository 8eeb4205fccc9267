//! Access to runs: everybody who sees the survey sees them, the group's owner controls them, the user who started them
//! owns them.

use diesel::dsl::{auto_type, exists};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::{AccessRefusal, Caller, Right, group};
use crate::models::predicates::is_active;
use crate::models::studies;
use crate::models::users::Role;
use crate::schema::{group_members, groups, simulations, surveys, users};

/// A run that the caller may see, by its row id, with its survey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenRun {
    pub id: i64,
    pub survey_id: i64,
}

/// Returns the run with the id that the API shows, if the caller has the right.
pub async fn simulation(
    conn: &mut AsyncPgConnection,
    caller: &Caller,
    simulation_id: Uuid,
    right: Right,
) -> Result<SeenRun, AccessRefusal> {
    let me = caller.id;
    let owned = groups::table.filter(groups::id.eq(simulations::group_id)).filter(groups::owner_id.eq(me));
    let found: Option<(i64, i64, bool, bool)> = seen_by(me)
        .filter(simulations::simulation_id.eq(simulation_id))
        .select((simulations::id, simulations::survey_id, simulations::user_id.eq(me), exists(owned)))
        .first(conn)
        .await
        .optional()?;
    let (id, survey_id, started, owns_group) = found.ok_or(AccessRefusal::NotThere("Simulation"))?;
    let holds = match (started || caller.is_super_admin(), owns_group && caller.may_manage_groups()) {
        (true, _) => Right::Own,
        (false, true) => Right::Control,
        (false, false) => Right::See,
    };
    if right <= holds {
        return Ok(SeenRun { id, survey_id });
    }
    Err(AccessRefusal::Forbidden("Only the owner of the simulation may do this"))
}

/// Returns the row id of the study with the id that the API shows, if the caller has the right to its runs.
pub async fn study(
    conn: &mut AsyncPgConnection,
    caller: &Caller,
    study_id: Uuid,
    right: Right,
) -> Result<i64, AccessRefusal> {
    let missing = AccessRefusal::NotThere("Study");
    let (id, run) = studies::first_run(conn, study_id).await?.ok_or(missing)?;
    match simulation(conn, caller, run, right).await {
        Ok(_) => Ok(id),
        Err(AccessRefusal::NotThere(_)) => Err(AccessRefusal::NotThere("Study")),
        Err(AccessRefusal::Forbidden(_)) => Err(AccessRefusal::Forbidden("Only the owner of the study may do this")),
        Err(refusal) => Err(refusal),
    }
}

/// Returns both ids of a survey's latest run, if the caller sees it.
pub async fn latest_run(
    conn: &mut AsyncPgConnection,
    caller: &Caller,
    survey_id: i64,
) -> Result<(i64, Uuid), AccessRefusal> {
    seen_by(caller.id)
        .filter(simulations::survey_id.eq(survey_id))
        .order((simulations::created_at.desc(), simulations::id.desc()))
        .select((simulations::id, simulations::simulation_id))
        .first(conn)
        .await
        .optional()?
        .ok_or(AccessRefusal::NotThere("Simulation"))
}

/// The user whose runs a list shows the caller: the caller, or everybody (`None`) in a group that they own.
pub async fn runs_of(
    conn: &mut AsyncPgConnection,
    caller: &Caller,
    group_id: Option<i64>,
) -> Result<Option<i64>, AccessRefusal> {
    if caller.is_super_admin() {
        return Ok(None);
    }
    if let Some(group_id) = group_id {
        let of_group = group(conn, caller, group_id, Right::See).await?;
        if caller.oversees(&of_group) {
            return Ok(None);
        }
    }
    Ok(Some(caller.id))
}

/// The runs that a user sees: rows of `simulations` and `surveys`, each joined with the user.
#[auto_type]
fn seen_by(user_id: i64) -> _ {
    simulations::table.inner_join(surveys::table).inner_join(users::table.on(users::id.eq(user_id))).filter(sees_run())
}

/// Whether the user of `users` sees the run of `simulations`, whose survey is the one of `surveys`.
#[auto_type]
fn sees_run() -> _ {
    let super_admin: &'static str = Role::SuperAdmin.as_str();
    let owned = groups::table.filter(groups::id.eq(simulations::group_id)).filter(groups::owner_id.eq(users::id));
    let joined = group_members::table
        .filter(group_members::group_id.eq(surveys::group_id))
        .filter(group_members::user_id.eq(users::id))
        .filter(is_active());
    users::role
        .eq(super_admin)
        .or(simulations::user_id.eq(users::id))
        .or(surveys::user_id.eq(users::id))
        .or(exists(owned))
        .or(surveys::visibility.eq("PUBLIC").and(surveys::deleted_at.is_null()).and(exists(joined)))
}
