//! Who may do what: the only place that decides. Every call asks here for the object that it names.
//!
//! What someone may not see is [`Refusal::NotThere`], as if it did not exist; what they see but may not change is
//! [`Refusal::Forbidden`]. Ownership is part of each query, never a comparison after it.
//!
//! | | sees | controls | owns |
//! |---|---|---|---|
//! | group | its active members | – | its owner |
//! | survey | its author, its group's owner, and its group's active members if it is public | – | its author |
//! | run | who sees its survey | who started it, its group's owner | who started it |
//! | transaction | the member it is about, its group's owner | – | – |
//!
//! A super administrator owns everything.

use diesel::dsl::{exists, sql};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::models::groups::Group;
use crate::models::simulations::Simulation;
use crate::models::surveys::Survey;
use crate::models::transactions::Transaction;
use crate::models::users::{Role, User};
use crate::schema::{group_members, groups, simulations, surveys, transactions, users};
use crate::session::Claims;

/// Who calls, as the database knows them now.
#[derive(Clone, Debug)]
pub struct Caller {
    pub id: i64,
    pub role: Role,
    pub user: User,
}

/// How much of an object the caller asks for; each right holds the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    See,
    /// Pause, resume, stop and retry a run.
    Control,
    /// Change and delete.
    Own,
}

#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It does not exist, or is none of the caller's business; names the kind, e.g. "Survey".
    #[error("{0} not found")]
    NotThere(&'static str),
    #[error("{0}")]
    Forbidden(&'static str),
    #[error("database: {0}")]
    Database(#[from] diesel::result::Error),
}

/// A condition on the rows of a query.
pub type Condition<Table> = Box<dyn BoxableExpression<Table, Pg, SqlType = Bool>>;

impl Caller {
    /// Who the token speaks of, if it still holds: the account is there, not suspended, and of the token's version.
    pub async fn of(conn: &mut AsyncPgConnection, claims: &Claims) -> QueryResult<Option<Self>> {
        let Some(id) = claims.user_id() else { return Ok(None) };
        let user = User::find_signed_in(conn, id, claims.ver).await?;
        Ok(user.and_then(|user| Some(Self { id, role: user.role()?, user })))
    }

    /// The same caller as the database knows them now, if the token that they came with still holds.
    pub async fn again(&self, conn: &mut AsyncPgConnection) -> QueryResult<Option<Self>> {
        let user = User::find_signed_in(conn, self.id, self.user.token_version).await?;
        Ok(user.and_then(|user| Some(Self { id: self.id, role: user.role()?, user })))
    }

    pub fn is_super_admin(&self) -> bool {
        self.role == Role::SuperAdmin
    }

    /// Access requests, the queue and changes of the personas are the super administrators' alone.
    pub fn must_be_super_admin(&self) -> Result<(), Refusal> {
        if self.is_super_admin() { Ok(()) } else { Err(Refusal::Forbidden("Only a super admin may do this")) }
    }

    /// Super administrators have no surveys of their own, and so no runs.
    pub fn must_have_surveys(&self) -> Result<(), Refusal> {
        if self.is_super_admin() {
            return Err(Refusal::Forbidden("Super admins have no surveys of their own"));
        }
        Ok(())
    }

    /// Groups are created by administrators.
    pub fn must_create_groups(&self) -> Result<(), Refusal> {
        match self.role {
            Role::SuperAdmin | Role::Admin => Ok(()),
            Role::User => Err(Refusal::Forbidden("Only an admin may create groups")),
        }
    }
}

/// The group, with the right asked for.
pub async fn group(conn: &mut AsyncPgConnection, caller: &Caller, id: i64, right: Right) -> Result<Group, Refusal> {
    let found: Option<(Group, bool)> = groups::table
        .find(id)
        .filter(groups::deleted_at.is_null())
        .filter(sees_group(caller))
        .select((Group::as_select(), groups::owner_id.eq(caller.id)))
        .first(conn)
        .await
        .optional()?;
    let (group, owns) = found.ok_or(Refusal::NotThere("Group"))?;
    if right == Right::See || owns || caller.is_super_admin() {
        return Ok(group);
    }
    Err(Refusal::Forbidden("Only the owner of the group may do this"))
}

/// Owns a group that they see.
pub fn owns_group(caller: &Caller, group: &Group) -> bool {
    caller.is_super_admin() || group.owner_id == caller.id
}

/// The rows of `groups` that the caller sees.
pub fn sees_group(caller: &Caller) -> Condition<groups::table> {
    if caller.is_super_admin() {
        return Box::new(groups::id.is_not_null());
    }
    is_in_group(caller)
}

/// The rows of `groups` that the caller owns or is an active member of, be they a super administrator or not.
pub fn is_in_group(caller: &Caller) -> Condition<groups::table> {
    // Ids gathered once, by two indexes: an OR of conditions would be tried on every group there is.
    Box::new(
        sql::<Bool>("groups.id = ANY (ARRAY(SELECT owned.id FROM groups owned WHERE owned.owner_id = ")
            .bind::<BigInt, _>(caller.id)
            .sql(" UNION ALL SELECT joined.group_id FROM group_members joined WHERE joined.user_id = ")
            .bind::<BigInt, _>(caller.id)
            .sql(" AND joined.removed_at IS NULL AND joined.status = 'active'))"),
    )
}

/// The survey, with the right asked for. Nobody controls one: that is asked of its runs.
pub async fn survey(conn: &mut AsyncPgConnection, caller: &Caller, id: i64, right: Right) -> Result<Survey, Refusal> {
    let found: Option<(Survey, bool)> = surveys::table
        .find(id)
        .filter(surveys::deleted_at.is_null())
        .filter(sees_survey(caller))
        .select((Survey::as_select(), surveys::user_id.eq(caller.id)))
        .first(conn)
        .await
        .optional()?;
    let (survey, owns) = found.ok_or(Refusal::NotThere("Survey"))?;
    if right == Right::See || owns || caller.is_super_admin() {
        return Ok(survey);
    }
    Err(Refusal::Forbidden("Only the owner of the survey may do this"))
}

/// The rows of `surveys` that the caller sees.
pub fn sees_survey(caller: &Caller) -> Condition<surveys::table> {
    if caller.is_super_admin() {
        return Box::new(surveys::id.is_not_null());
    }
    let me = caller.id;
    let owned = groups::table.filter(groups::id.eq(surveys::group_id)).filter(groups::owner_id.eq(me));
    let member = group_members::table
        .filter(group_members::group_id.eq(surveys::group_id))
        .filter(group_members::user_id.eq(me))
        .filter(group_members::removed_at.is_null())
        .filter(group_members::status.eq("active"));
    Box::new(surveys::user_id.eq(me).or(exists(owned)).or(surveys::visibility.eq("PUBLIC").and(exists(member))))
}

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

/// The run by its row's id, to be seen: cheap enough to be asked by everyone who watches it, every second.
pub async fn watched_run(conn: &mut AsyncPgConnection, caller: &Caller, simulation_id: Uuid) -> Result<i64, Refusal> {
    simulations::table
        .inner_join(surveys::table)
        .filter(simulations::simulation_id.eq(simulation_id))
        .filter(sees_run(caller))
        .select(simulations::id)
        .first(conn)
        .await
        .optional()?
        .ok_or(Refusal::NotThere("Simulation"))
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

/// The group in which the caller is an active member, for a survey of their own there.
pub async fn membership(conn: &mut AsyncPgConnection, caller: &Caller, group_id: i64) -> Result<Group, Refusal> {
    let group = group(conn, caller, group_id, Right::See).await?;
    let member = group_members::table
        .find((group_id, caller.id))
        .filter(group_members::removed_at.is_null())
        .filter(group_members::status.eq("active"));
    if diesel::select(exists(member)).get_result(conn).await? {
        return Ok(group);
    }
    Err(Refusal::Forbidden("Only active members of the group have surveys in it"))
}

/// The rows of `simulations` with their surveys that the caller sees.
fn sees_run(
    caller: &Caller,
) -> Box<dyn BoxableExpression<diesel::dsl::InnerJoinQuerySource<simulations::table, surveys::table>, Pg, SqlType = Bool>>
{
    if caller.is_super_admin() {
        return Box::new(simulations::id.is_not_null());
    }
    let me = caller.id;
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

/// The ledger entry, to be seen. Only super administrators reverse one.
pub async fn transaction(conn: &mut AsyncPgConnection, caller: &Caller, id: i64) -> Result<Transaction, Refusal> {
    let seen = SeenEntries::of(conn, caller).await?;
    transactions::table
        .find(id)
        .filter(seen.condition())
        .select(Transaction::as_select())
        .first(conn)
        .await
        .optional()?
        .ok_or(Refusal::NotThere("Transaction"))
}

/// Which rows of `transactions` the caller sees. The groups' ids are looked up first and then stand in the query: how
/// many entries they have decides which index is the quick one, and the planner knows that of ids alone.
#[derive(Clone, Debug)]
pub struct SeenEntries {
    whose: Whose,
    /// Of these groups alone.
    within: Option<Vec<i64>>,
}

#[derive(Clone, Debug)]
enum Whose {
    Everybodys,
    OfMemberAndGroups { user_id: i64, owned: Vec<i64> },
}

impl SeenEntries {
    pub async fn of(conn: &mut AsyncPgConnection, caller: &Caller) -> QueryResult<Self> {
        let whose = if caller.is_super_admin() {
            Whose::Everybodys
        } else {
            let owned = groups::table.filter(groups::owner_id.eq(caller.id)).select(groups::id).load(conn).await?;
            Whose::OfMemberAndGroups { user_id: caller.id, owned }
        };
        Ok(Self { whose, within: None })
    }

    /// Those of the groups that the caller owns or is an active member of.
    pub async fn of_own_groups(conn: &mut AsyncPgConnection, caller: &Caller) -> QueryResult<Self> {
        let groups = groups::table.filter(is_in_group(caller)).select(groups::id).load(conn).await?;
        Ok(Self { within: Some(groups), ..Self::of(conn, caller).await? })
    }

    pub fn condition(&self) -> Condition<transactions::table> {
        let seen: Condition<transactions::table> = match &self.whose {
            Whose::Everybodys => Box::new(transactions::id.is_not_null()),
            Whose::OfMemberAndGroups { user_id, owned } if owned.is_empty() => {
                Box::new(transactions::user_id.eq(*user_id))
            }
            Whose::OfMemberAndGroups { user_id, owned } => {
                Box::new(transactions::user_id.eq(*user_id).or(transactions::group_id.eq_any(owned.clone())))
            }
        };
        let Some(groups) = &self.within else { return seen };
        Box::new(seen.and(transactions::group_id.eq_any(groups.clone())))
    }
}

/// The person, if the caller may look at their account: it is the caller's own, or one of a group that they own.
pub async fn person(conn: &mut AsyncPgConnection, caller: &Caller, id: i64) -> Result<(), Refusal> {
    if caller.id == id {
        return Ok(());
    }
    let found: bool = if caller.is_super_admin() {
        diesel::select(exists(users::table.find(id).filter(users::deleted_at.is_null()))).get_result(conn).await?
    } else {
        let member = group_members::table
            .inner_join(groups::table.on(groups::id.eq(group_members::group_id)))
            .filter(group_members::user_id.eq(id))
            .filter(groups::owner_id.eq(caller.id));
        diesel::select(exists(member)).get_result(conn).await?
    };
    if found { Ok(()) } else { Err(Refusal::NotThere("User")) }
}
