//! Runs: who sees their survey sees them, their group's owner controls them, who started them owns them.

use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::{Caller, Condition, Refusal, Right, group};
use crate::models::simulations::Simulation;
use crate::models::users::{Role, User};
use crate::schema::{group_members, groups, simulations, surveys, users};
use crate::session::Claims;

/// The run by the id that the API shows, with the right asked for.
pub async fn simulation(
    conn: &mut AsyncPgConnection,
    caller: &Caller,
    simulation_id: Uuid,
    right: Right,
) -> Result<Simulation, Refusal> {
    let me = caller.id;
    let owned = groups::table.filter(groups::id.eq(simulations::group_id)).filter(groups::owner_id.eq(me));
    let found: Option<(Simulation, bool, bool)> = simulations::table
        .inner_join(surveys::table)
        .filter(simulations::simulation_id.eq(simulation_id))
        .filter(sees_run(caller))
        .select((Simulation::as_select(), simulations::user_id.eq(me), exists(owned)))
        .first(conn)
        .await
        .optional()?;
    let (run, started, owns_group) = found.ok_or(Refusal::NotThere("Simulation"))?;
    let holds = match (started || caller.is_super_admin(), owns_group) {
        (true, _) => Right::Own,
        (false, true) => Right::Control,
        (false, false) => Right::See,
    };
    if right <= holds {
        return Ok(run);
    }
    Err(Refusal::Forbidden("Only the owner of the simulation may do this"))
}

/// Which run is watched.
#[derive(Clone, Copy, Debug)]
pub enum WatchedRun {
    /// The id that the API shows.
    ById(Uuid),
    /// The id of the survey.
    LatestOf(i64),
}

/// The run by its row's id, for who the token speaks of, if it still holds and they see the run. One statement, prepared
/// once, for the token and the run: everyone who watches asks it every second.
pub async fn watched_run(conn: &mut AsyncPgConnection, claims: &Claims, run: WatchedRun) -> QueryResult<Option<i64>> {
    let Some(me) = claims.user_id() else { return Ok(None) };
    let signed_in = || User::signed_in(me, claims.ver);
    let seen = simulations::table
        .inner_join(surveys::table)
        .filter(exists(signed_in()))
        .filter(sees_run_as_member(me).or(exists(signed_in().filter(users::role.eq(Role::SuperAdmin.as_str())))))
        .select(simulations::id)
        .into_boxed();
    let wanted = match run {
        WatchedRun::ById(id) => seen.filter(simulations::simulation_id.eq(id)),
        WatchedRun::LatestOf(survey_id) => seen
            .filter(simulations::survey_id.eq(survey_id))
            .order((simulations::created_at.desc(), simulations::id.desc()))
            .limit(1),
    };
    wanted.first(conn).await.optional()
}

/// The latest run of a survey, by both its ids, to be seen.
pub async fn latest_run(conn: &mut AsyncPgConnection, caller: &Caller, survey_id: i64) -> Result<(i64, Uuid), Refusal> {
    simulations::table
        .inner_join(surveys::table)
        .filter(simulations::survey_id.eq(survey_id))
        .filter(sees_run(caller))
        .order((simulations::created_at.desc(), simulations::id.desc()))
        .select((simulations::id, simulations::simulation_id))
        .first(conn)
        .await
        .optional()?
        .ok_or(Refusal::NotThere("Simulation"))
}

/// Whose runs a list shows the caller: their own, or everybody's (`None`) in a group that they own.
pub async fn runs_of(
    conn: &mut AsyncPgConnection,
    caller: &Caller,
    group_id: Option<i64>,
) -> Result<Option<i64>, Refusal> {
    if caller.is_super_admin() {
        return Ok(None);
    }
    if let Some(group_id) = group_id {
        let of_group = group(conn, caller, group_id, Right::See).await?;
        if of_group.owner_id == caller.id {
            return Ok(None);
        }
    }
    Ok(Some(caller.id))
}

type Runs = diesel::dsl::InnerJoinQuerySource<simulations::table, surveys::table>;

/// The rows of `simulations` with their surveys that the caller sees.
fn sees_run(caller: &Caller) -> Condition<Runs> {
    if caller.is_super_admin() { Box::new(simulations::id.is_not_null()) } else { sees_run_as_member(caller.id) }
}

fn sees_run_as_member(me: i64) -> Condition<Runs> {
    let owned = groups::table.filter(groups::id.eq(simulations::group_id)).filter(groups::owner_id.eq(me));
    let member = group_members::table
        .filter(group_members::group_id.eq(surveys::group_id))
        .filter(group_members::user_id.eq(me))
        .filter(group_members::removed_at.is_null())
        .filter(group_members::status.eq("active"));
    Box::new(
        simulations::user_id
            .eq(me)
            .or(surveys::user_id.eq(me))
            .or(exists(owned))
            .or(surveys::visibility.eq("PUBLIC").and(surveys::deleted_at.is_null()).and(exists(member))),
    )
}
