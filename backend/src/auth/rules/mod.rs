//! Who may do what. This is the only place that decides: every call gets the object that it names from here.
//!
//! What the caller may not see is [`Refusal::NotThere`], as if it did not exist; what they see but may not change is
//! [`Refusal::Forbidden`]. Ownership is part of each query, not a comparison after it.
//!
//! | | sees | controls | owns |
//! |---|---|---|---|
//! | group | its active members | – | its owner |
//! | survey | its author, its group's owner, and its group's active members if it is public | – | its author |
//! | run | who sees its survey | who started it, its group's owner | who started it |
//! | transaction | the member it is about, its group's owner | – | – |
//!
//! A super administrator owns everything.

mod groups;
mod ledger;
mod people;
mod simulations;
mod surveys;

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::AsyncPgConnection;

use crate::models::users::{Role, User};

pub use groups::{group, is_in_group, membership, owns_group, sees_group};
pub use ledger::{VisibleEntries, transaction};
pub use people::person;
pub use simulations::{SeenRun, latest_run, runs_of, simulation};
pub use surveys::{SeenSurveys, seen_survey, survey};

/// Who calls, as the database has them now.
#[derive(Clone, Debug)]
pub struct Caller {
    pub id: i64,
    pub role: Role,
    pub user: User,
}

/// What the caller wants to do with an object. Each right includes the ones before it.
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
    /// It does not exist, or the caller may not see it. The kind, e.g. "Survey".
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
    /// The user whom a token names, unless the account is gone or suspended, or its token version is another.
    pub async fn find(conn: &mut AsyncPgConnection, id: i64, token_version: i32) -> QueryResult<Option<Self>> {
        let user = User::find_signed_in(conn, id, token_version).await?;
        Ok(user.and_then(|user| Some(Self { id, role: user.role()?, user })))
    }

    pub fn is_super_admin(&self) -> bool {
        self.role == Role::SuperAdmin
    }

    /// The object, if the caller has the right. `found` is the object and whether the caller owns it, which gives every
    /// right; others may only see it. `kind` is for [`Refusal::NotThere`], `owners_only` for [`Refusal::Forbidden`].
    fn granted<T>(
        &self,
        right: Right,
        found: Option<(T, bool)>,
        kind: &'static str,
        owners_only: &'static str,
    ) -> Result<T, Refusal> {
        let (object, owns) = found.ok_or(Refusal::NotThere(kind))?;
        if right == Right::See || owns || self.is_super_admin() {
            return Ok(object);
        }
        Err(Refusal::Forbidden(owners_only))
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
