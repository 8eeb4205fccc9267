//! Access rules. This is the only place that decides on access: every call gets its object from here.
//!
//! An object that the caller may not see is [`AccessRefusal::NotThere`], as if it did not exist; one that they see but
//! may not change is [`AccessRefusal::Forbidden`]. Ownership is part of each query, not a comparison after it.
//!
//! | | sees | controls | owns |
//! |---|---|---|---|
//! | group | its active members, its owner | – | its owner, while an administrator |
//! | survey | its author, its group's owner, and its group's active members if it is public | – | its author |
//! | plan | who sees its survey | – | its survey's author |
//! | human sample | its survey's author; what follows from it: who sees the run | – | its survey's author |
//! | people's rows | its survey's author | – | – |
//! | run | who sees its survey | who started it, its group's owner while an administrator | who started it |
//! | transaction | the member it is about, its group's owner | – | – |
//!
//! A super administrator owns everything but people's rows.

mod groups;
mod human_samples;
mod ledger;
mod people;
mod plans;
mod scopes;
mod simulations;
mod surveys;

use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::AsyncPgConnection;
use uuid::Uuid;

use crate::auth::access_token;
use crate::auth::token::Claims;
use crate::models::access_tokens;
use crate::models::users::{Role, User};

pub use groups::{group, is_in_group, membership, sees_group};
pub use human_samples::{human_sample, peoples_rows};
pub use ledger::{EntryVisibility, transaction};
pub use people::{person, person_of_ledger};
pub use plans::plan;
pub use scopes::Scope;
pub use simulations::{SeenRun, latest_run, runs_of, simulation, study};
pub use surveys::{SeenSurveys, seen_survey, survey};

/// The user who calls, as the database has them now.
#[derive(Clone, Debug)]
pub struct Caller {
    pub id: i64,
    pub role: Role,
    pub user: User,
    pub credential: Credential,
}

/// The credential that a caller presented.
#[derive(Clone, Copy, Debug)]
pub enum Credential {
    /// A session after a sign-in by code.
    Session { id: Uuid, expires_at: DateTime<Utc> },
    /// A personal access token.
    Token { id: i64, scope: Scope },
}

/// A right to an object. Each includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    See,
    /// See what only the owner of a group sees, for example all its members.
    Oversee,
    /// Pause, resume, stop and retry a run.
    Control,
    /// Change and delete.
    Own,
}

#[derive(Debug, thiserror::Error)]
pub enum AccessRefusal {
    /// The object does not exist, or the caller may not see it. Holds its kind, for example "Survey".
    #[error("{0} not found")]
    NotThere(&'static str),
    #[error("{0}")]
    Forbidden(&'static str),
    /// The token lacks this scope.
    #[error("The token's scopes do not allow this: it takes {}", .0.as_str())]
    Scope(Scope),
    /// The group takes no new surveys and starts no simulations.
    #[error("The group is closed: it takes no new surveys and starts no simulations")]
    GroupClosed,
    #[error("database: {0}")]
    Database(#[from] diesel::result::Error),
}

/// A condition on the rows of a query.
pub type RowCondition<Table> = Box<dyn BoxableExpression<Table, Pg, SqlType = Bool>>;

impl Caller {
    /// Returns the user of a session, unless the account is deleted or suspended, its token version has changed, or the
    /// session has ended.
    pub async fn of_session(conn: &mut AsyncPgConnection, claims: &Claims) -> QueryResult<Option<Self>> {
        let (Some(id), Some(expires_at)) = (claims.user_id(), DateTime::from_timestamp(claims.exp, 0)) else {
            return Ok(None);
        };
        let credential = Credential::Session { id: claims.jti, expires_at };
        let user = User::of_session(conn, id, claims.ver, claims.jti).await?;
        Ok(user.and_then(|user| Self::new(user, credential)))
    }

    /// Returns the owner of a personal access token, unless the account is deleted or suspended, or the token has
    /// expired or was revoked.
    pub async fn of_token(conn: &mut AsyncPgConnection, token: &str) -> QueryResult<Option<Self>> {
        let Some(token) = access_tokens::use_one(conn, &access_token::hash(token)).await? else { return Ok(None) };
        let scope = token.scopes.iter().filter_map(|name| Scope::parse(name)).max();
        let user = User::find_signed_in(conn, token.user_id).await?;
        let (Some(scope), Some(user)) = (scope, user) else { return Ok(None) };
        Ok(Self::new(user, Credential::Token { id: token.id, scope }))
    }

    fn new(user: User, credential: Credential) -> Option<Self> {
        Some(Self { id: user.id, role: user.role()?, user, credential })
    }

    /// Reads the caller again. `None`: no longer signed in.
    pub async fn again(&self, conn: &mut AsyncPgConnection) -> QueryResult<Option<Self>> {
        let user = match self.credential {
            Credential::Session { id, .. } => User::of_session(conn, self.id, self.user.token_version, id).await?,
            Credential::Token { id, .. } if access_tokens::exists(conn, id).await? => {
                User::find_signed_in(conn, self.id).await?
            }
            Credential::Token { .. } => None,
        };
        Ok(user.and_then(|user| Self::new(user, self.credential)))
    }

    /// Id of a caller on whose behalf something may be written. `None`: the caller's token may only read.
    pub fn writer(&self) -> Option<i64> {
        match self.credential {
            Credential::Token { scope: Scope::Read, .. } => None,
            Credential::Token { .. } | Credential::Session { .. } => Some(self.id),
        }
    }

    pub fn is_super_admin(&self) -> bool {
        self.role == Role::SuperAdmin
    }

    /// Returns the object if the caller has the right. `found` has the object and whether the caller owns it, which
    /// gives every right; others may only see it. `kind` is for [`AccessRefusal::NotThere`], `owners_only` for
    /// [`AccessRefusal::Forbidden`].
    fn granted<T>(
        &self,
        right: Right,
        found: Option<(T, bool)>,
        kind: &'static str,
        owners_only: &'static str,
    ) -> Result<T, AccessRefusal> {
        let (object, owns) = found.ok_or(AccessRefusal::NotThere(kind))?;
        if right == Right::See || owns || self.is_super_admin() {
            return Ok(object);
        }
        Err(AccessRefusal::Forbidden(owners_only))
    }

    /// Fails unless the caller is a super administrator: only they handle access requests, the queue and changes of
    /// personas.
    pub fn must_be_super_admin(&self) -> Result<(), AccessRefusal> {
        if self.is_super_admin() { Ok(()) } else { Err(AccessRefusal::Forbidden("Only a super admin may do this")) }
    }

    /// Fails for super administrators, who have no surveys of their own and so no runs.
    pub fn must_have_surveys(&self) -> Result<(), AccessRefusal> {
        if self.is_super_admin() {
            return Err(AccessRefusal::Forbidden("Super admins have no surveys of their own"));
        }
        Ok(())
    }

    /// Whether the caller has an owner's rights in the groups that they own. A former administrator only sees these
    /// groups.
    pub fn may_manage_groups(&self) -> bool {
        self.role != Role::User
    }

    /// Fails unless the caller is an administrator, who may create groups.
    pub fn must_create_groups(&self) -> Result<(), AccessRefusal> {
        match self.role {
            Role::SuperAdmin | Role::Admin => Ok(()),
            Role::User => Err(AccessRefusal::Forbidden("Only an admin may create groups")),
        }
    }
}
