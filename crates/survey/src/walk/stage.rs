//! What a walk is made with, and what comes of it.

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

/// Which questions may share a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallScope {
    /// As many as fit.
    #[default]
    Chunk,
    /// Those of one block.
    Block,
    /// Each is asked alone.
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

/// In which order options and labels are shown, after any shuffle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OptionOrder {
    #[default]
    AsWritten,
    /// Pinned ones keep their place.
    Reversed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageParameters {
    pub seed: i64,
    /// Requests; texts without an answer do not count.
    pub questions_per_call: u16,
    pub call_scope: CallScope,
    pub option_order: OptionOrder,
}

/// Where an interview stands.
#[derive(Clone, Copy, Debug)]
pub struct InterviewState<'a> {
    pub plan: &'a Plan,
    pub twin: &'a Twin,
    pub assignment: &'a Assignment,
    pub parameters: StageParameters,
    /// `None`: nobody walked here before.
    pub walked: Option<&'a Walked>,
    /// Checked answers by question id.
    pub answers: &'a HashMap<i64, Value>,
    /// Requests of this attempt that failed for good, by question id.
    pub failed: &'a HashSet<i64>,
}

/// What earlier walks through the same interview found out. It does not change any more, so later ones need not find it
/// again.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    /// The requests that the assignment can reach, as places in the plan.
    pub reached: Vec<usize>,
    /// By its place in the plan, up to the last that was shown.
    shown: Vec<Option<Arc<ShownQuestion>>>,
}

impl Walked {
    /// Before the first walk.
    pub fn none(reached: Vec<usize>) -> Self {
        Self { reached, shown: Vec::new() }
    }

    /// What a walk found to be asked.
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

    /// What was shown, by its place in the plan.
    pub fn shown(&self, item: usize) -> Option<&Arc<ShownQuestion>> {
        self.shown.get(item)?.as_ref()
    }
}

/// A question as a twin sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownQuestion {
    /// In the plan's items.
    pub item: usize,
    /// The calls that end before it.
    pub calls_before: u32,
    pub block: Arc<str>,
    /// 1-based, over the requests of the interview.
    pub position: u32,
    /// With its texts as shown. All options and rows stand there, in the order written: codes are known by it.
    pub question: Arc<Question>,
    /// The options or labels that are shown, as 1-based positions in the order shown. `None`: all, as written.
    pub order: Option<Vec<i16>>,
    /// The same of rows.
    pub rows: Option<Vec<i16>>,
    /// Pipes that had nothing to insert.
    pub empty_pipes: u32,
}

/// One call, as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// In the order shown, texts without an answer among them.
    pub asked: Vec<Arc<ShownQuestion>>,
    /// The ids of its questions that have neither an answer nor a failure.
    pub open: Vec<i64>,
    /// What was shown before, in its order.
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
    /// `None`: nothing is open.
    pub stage: Option<Stage>,
    /// All that was shown, in its order; empty while something is open: the stage has it.
    pub shown: Vec<Arc<ShownQuestion>>,
    /// Requests that are known not to be asked, by question id.
    pub skipped: Vec<(i64, Reason)>,
    /// Requests that depend on an answer that failed, by question id.
    pub upstream: Vec<i64>,
    /// As they are now.
    pub fields: BTreeMap<String, String>,
    /// How the interview ended, where a node of the flow ended it.
    pub ended: Option<Ending>,
}
