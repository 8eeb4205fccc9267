//! Input and output of a walk.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::assign::Assignment;
use crate::flow::Ending;
use crate::plan::Plan;
use crate::question::Question;
use crate::twin::Twin;

/// Rule for the questions that may share a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallScope {
    /// All questions that fit.
    #[default]
    Chunk,
    /// Only questions of one block.
    Block,
    /// Each question alone.
    Question,
}

impl CallScope {
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Chunk => "as many as fit",
            Self::Block => "those of one block",
            Self::Question => "none, each is asked alone",
        }
    }
}

/// Order in which options and labels are shown, after any shuffle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OptionOrder {
    #[default]
    AsWritten,
    /// The order is reversed. Pinned ones keep their positions.
    Reversed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageParameters {
    pub seed: i64,
    /// Maximum number of requests in a call. Texts without an answer do not count.
    pub questions_per_call: u16,
    pub call_scope: CallScope,
    pub option_order: OptionOrder,
}

/// The state of an interview.
#[derive(Clone, Copy, Debug)]
pub struct InterviewState<'a> {
    pub plan: &'a Plan,
    pub twin: &'a Twin,
    pub assignment: &'a Assignment,
    pub parameters: StageParameters,
    /// The results of earlier walks, if any.
    pub walked: Option<&'a Walked>,
    /// Checked answers by question id.
    pub answers: &'a HashMap<i64, Value>,
    /// Requests of this attempt that failed for good, by question id.
    pub failed: &'a HashSet<i64>,
}

/// Results of earlier walks through the same interview. They do not change any more, so later walks reuse them.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    /// The requests that the assignment can reach, as positions in the plan.
    pub reached: Vec<usize>,
    /// The questions that were shown, by position in the plan, up to the last one.
    shown: Vec<Option<Arc<ShownQuestion>>>,
}

impl Walked {
    /// The results before the first walk.
    pub fn none(reached: Vec<usize>) -> Self {
        Self { reached, shown: Vec::new() }
    }

    /// Records the questions of a stage.
    pub fn note(&mut self, stage: &Stage) {
        for shown in &stage.asked {
            if self.shown.len() <= shown.item {
                self.shown.resize(shown.item + 1, None);
            }
            if let Some(place) = self.shown.get_mut(shown.item) {
                *place = Some(Arc::clone(shown));
            }
        }
    }

    /// Returns what was shown at a position in the plan.
    pub fn shown(&self, item: usize) -> Option<&Arc<ShownQuestion>> {
        self.shown.get(item)?.as_ref()
    }
}

/// A question as a twin sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownQuestion {
    /// Position in the plan's items.
    pub item: usize,
    /// Number of calls that end before it.
    pub calls_before: u32,
    pub block: Arc<str>,
    /// Position among the requests of the interview, 1-based.
    pub position: u32,
    /// The question with its texts as shown. It has all options and rows in the order written, because codes depend on
    /// it.
    pub question: Arc<Question>,
    /// The options or labels that are shown, as 1-based positions in the order shown, or `None` if all are shown as
    /// written.
    pub order: Option<Vec<i16>>,
    /// The rows that are shown, in the same form.
    pub rows: Option<Vec<i16>>,
    /// Number of pipes that had nothing to insert.
    pub empty_pipes: u32,
}

/// One whole call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// The questions in the order shown, with texts without an answer among them.
    pub asked: Vec<Arc<ShownQuestion>>,
    /// Ids of its questions that have neither an answer nor a failure.
    pub open: Vec<i64>,
    /// The questions that were shown before, in their order.
    pub earlier: Vec<Arc<ShownQuestion>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    Logic,
    ScreenedOut,
}

impl Reason {
    /// The name in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Logic => "logic",
            Self::ScreenedOut => "screened_out",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct WalkProgress {
    /// The next call, or `None` if nothing is open.
    pub stage: Option<Stage>,
    /// All questions that were shown, in their order. Empty while something is open: the stage has them.
    pub shown: Vec<Arc<ShownQuestion>>,
    /// Requests that will not be asked, by question id.
    pub skipped: Vec<(i64, Reason)>,
    /// Requests that depend on an answer that failed, by question id.
    pub upstream: Vec<i64>,
    /// The current values of fields.
    pub fields: BTreeMap<String, String>,
    /// How the interview ended, if a node of the flow ended it.
    pub ended: Option<Ending>,
}
