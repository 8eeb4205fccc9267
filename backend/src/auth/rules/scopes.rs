//! Scopes of personal access tokens, which limit the rights of their owners.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AccessRefusal, Caller, Credential};

/// A token's scope. Each includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Every `GET`.
    Read,
    /// Change surveys, start and control simulations, freeze and publish plans, and make read-only links to
    /// results.
    Run,
    /// Everything, including members, budgets, the profile and tokens.
    Manage,
}

impl Scope {
    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Run => "run",
            Self::Manage => "manage",
        }
    }

    /// Parses a scope's name. `None`: this version does not know it.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Read, Self::Run, Self::Manage].into_iter().find(|scope| scope.as_str() == name)
    }
}

impl Caller {
    /// Fails if the caller's token lacks the scope. A caller who signed in by code has every scope.
    pub fn must_have_scope(&self, needed: Scope) -> Result<(), AccessRefusal> {
        match self.credential {
            Credential::Token { scope, .. } if scope < needed => Err(AccessRefusal::Scope(needed)),
            _ => Ok(()),
        }
    }
}
