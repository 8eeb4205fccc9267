//! A twin as a design sees it.

use std::collections::{BTreeMap, BTreeSet};

use super::condition::{Known, Left};
use super::given::Given;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Twin {
    /// Id of the persona.
    pub id: i32,
    pub attributes: BTreeMap<String, String>,
    /// Questions that the person answered in the part of their survey that is hidden from twins.
    pub held_out: BTreeSet<String>,
}

impl Twin {
    /// Looks up a value of the twin itself. Answers and fields are unknown here.
    pub(super) fn look(&self, left: &Left) -> Known {
        let text = match left {
            Left::Twin(attribute) => self.attributes.get(attribute),
            Left::HeldOut(question) => self.held_out.get(question),
            Left::Answer { .. } | Left::Field(_) => None,
        };
        text.filter(|text| !text.is_empty()).map_or(Known::Nothing, |text| Known::Given(Given::text(text)))
    }
}
