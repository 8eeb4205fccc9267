//! The effects of each random node's arms.

use evidence::compare::{ArmTable, Experiment, Item, Respondents, Settings, compare_arms};
use evidence::intervals::Bootstrap;
use serde::Serialize;
use utoipa::ToSchema;

/// The effects of a random node's arms, among people and among twins.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct NodeEffects {
    /// The node of the design; `file.arms` says how its columns were found.
    #[schema(example = "FL_7")]
    pub node: String,
    /// Null if the two sides have fewer than two arms in common.
    pub arms: Option<ArmTable>,
    /// Why there are no effects.
    #[schema(example = "twins have fewer than two of the arms that people have")]
    pub reason: Option<&'static str>,
}

impl NodeEffects {
    /// Compares the arms of a node. The arms of both sides stay as they were.
    pub(super) fn compare(
        node: String,
        design: &Experiment,
        items: &[Item],
        people: &mut Respondents,
        twins: &mut Respondents,
        bootstrap: Bootstrap,
    ) -> Self {
        let before = [people.arms.take(), twins.arms.take()];
        people.take_arms(&node);
        twins.take_arms(&node);
        let arms = compare_arms(items, people, twins, design, Settings { bootstrap, ..Settings::default() });
        let reason = match &arms {
            Some(_) => None,
            None if has_arms(people) => Some("twins have fewer than two of the arms that people have"),
            None => Some("people have fewer than two of its arms"),
        };
        [people.arms, twins.arms] = before;
        Self { node, arms, reason }
    }
}

/// Whether the respondents have two arms or more.
fn has_arms(side: &Respondents) -> bool {
    let mut arms = side.arms.iter().flatten().filter(|arm| !arm.is_empty());
    arms.next().is_some_and(|first| arms.any(|other| other != first))
}
