//! Progress of an interview in a run with a design.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use survey::assign::Assignment;
use survey::twin::Twin;
use survey::walk::{Reason, Walked};

/// Converts a persona to what designs see of it. `held_out` lists questions whose answers are withheld from the twin.
pub fn twin(id: i32, attributes: &Value, held_out: Vec<String>) -> Twin {
    let texts = attributes.as_object().into_iter().flatten();
    let texts = texts.filter_map(|(label, value)| Some((label.clone(), value.as_str()?.to_owned())));
    Twin { id, attributes: texts.collect(), held_out: held_out.into_iter().collect() }
}

/// Progress of one interview in a run with a design.
#[derive(Clone, Debug, Default)]
pub struct InterviewProgress {
    pub twin: Twin,
    pub assignment: Assignment,
    pub walked: Walked,
    /// Checked answers by question id.
    pub answers: HashMap<i64, Value>,
    /// Requests that are to be asked in this pass, by question id.
    pub open: HashSet<i64>,
    /// Requests that are neither answered, open nor hidden: they have failed in this pass.
    pub failed: HashSet<i64>,
    /// Requests that were not shown.
    pub not_shown: HashMap<i64, Reason>,
}
