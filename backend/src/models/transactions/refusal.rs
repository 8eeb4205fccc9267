//! Refusals of grants.

/// Upper limit of a member's credits.
pub const MAX_CREDITS: i64 = 1_000_000_000_000;

/// The reason why a grant changed nothing.
#[derive(Debug, thiserror::Error)]
pub enum GrantError {
    #[error("the amount must be between 0 and {MAX_CREDITS} credits")]
    Amount,
    #[error("the user is not a member of the group")]
    NotAMember,
    #[error("the budget cannot be less than the {held} credits that running simulations hold")]
    BelowHeld { held: i64 },
    #[error("the budget cannot be more than {MAX_CREDITS} credits")]
    TooMuch,
    #[error("the group may be granted {ceiling} credits in all: {left} are left")]
    OverCeiling { ceiling: i64, left: i64 },
    #[error("the group's owner may grant {ceiling} credits over all their groups: {left} are left")]
    OverOwnersCeiling { ceiling: i64, left: i64 },
    #[error("the budget was changed to {found} credits meanwhile")]
    Changed { found: i64 },
    #[error("database: {0}")]
    Database(#[from] diesel::result::Error),
}
