//! Scopes of personal access tokens, which limit the rights of their owners.

use super::{AccessRefusal, Caller, Credential};
pub use crate::models::access_tokens::Scope;

impl Caller {
    /// Fails if the caller's token lacks the scope. A caller who signed in by code has every scope.
    pub fn must_have_scope(&self, needed: Scope) -> Result<(), AccessRefusal> {
        match self.credential {
            Credential::Token { scope, .. } if scope < needed => Err(AccessRefusal::Scope(needed)),
            _ => Ok(()),
        }
    }
}
