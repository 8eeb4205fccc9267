//! Whom a design is dealt to.

use std::collections::{BTreeMap, BTreeSet};

use super::condition::{Known, Left};
use super::given::Given;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Twin {
    /// The persona's id.
    pub id: i32,
    pub attributes: BTreeMap<String, String>,
    /// Questions that the person answered where no twin sees it.
    pub held_out: BTreeSet<String>,
}

impl Twin {
    /// Of itself only: nothing is known here of answers and fields.
    pub(super) fn look(&self, left: &Left) -> Known {
        let text = match left {
            Left::Twin(attribute) => self.attributes.get(attribute),
            Left::HeldOut(question) => self.held_out.get(question),
            Left::Answer { .. } | Left::Field(_) => None,
        };
        text.filter(|text| !text.is_empty()).map_or(Known::Nothing, |text| Known::Given(Given::text(text)))
    }
}
