//! What a personal access token may do of what its owner may.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AccessRefusal, Caller, Credential};

/// What a token is good for. Each scope includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Reading: every `GET`.
    Read,
    /// Changing surveys, starting and controlling simulations, freezing and publishing plans, and making read-only links to
    /// results, too.
    Run,
    /// Everything: also members, budgets, the profile and tokens.
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

    /// `None`: this version does not know the scope.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Read, Self::Run, Self::Manage].into_iter().find(|scope| scope.as_str() == name)
    }
}

impl Caller {
    /// Whoever has signed in by a code has every scope.
    pub fn must_have_scope(&self, needed: Scope) -> Result<(), AccessRefusal> {
        match self.credential {
            Credential::Token { scope, .. } if scope < needed => Err(AccessRefusal::Scope(needed)),
            _ => Ok(()),
        }
    }
}
