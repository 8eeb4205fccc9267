//! The key with which a run asks its model server.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Owner of the key that a run uses at its model server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum KeyOwner {
    #[default]
    Instance,
    /// The group that the run belongs to.
    Group,
}

impl KeyOwner {
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Instance => "the key of the instance",
            Self::Group => "the key of the group",
        }
    }
}
