//! Rehearses the interview of one twin with invented answers, for previews without a model or a database.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::answer::Answer;
use super::assign::Assignment;
use super::item::Item;
use super::plan::Plan;
use super::twin::Twin;
use super::types::{Offer, definition, in_order};
use super::walk::{self, InterviewState, ShownQuestion, StageParameters, WalkProgress};
use random::generator;

/// A question as it was shown, with its answer. A text has none.
#[derive(Clone, Debug, PartialEq)]
pub struct RehearsedAnswer {
    /// The call that contains the question, 1-based.
    pub call: usize,
    pub shown: Arc<ShownQuestion>,
    pub answer: Option<Answer>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rehearsal {
    pub asked: Vec<RehearsedAnswer>,
    /// The walk at the end of the interview.
    pub progress: WalkProgress,
}

/// Asks stage by stage until nothing is open. The plan's questions must have ids, see [`Plan::numbered`].
pub fn rehearse(
    plan: &Plan,
    twin: &Twin,
    assignment: &Assignment,
    parameters: StageParameters,
    mut answer: impl FnMut(&Item, &ShownQuestion) -> Option<Answer>,
) -> Rehearsal {
    let mut answers: HashMap<i64, Value> = HashMap::new();
    let failed = HashSet::new();
    let mut rehearsal = Rehearsal::default();
    // Each stage answers at least one question, so this bound is never reached.
    for call in 1..=plan.items.len() + 1 {
        rehearsal.progress = walk::next(InterviewState {
            plan,
            twin,
            assignment,
            parameters,
            walked: None,
            answers: &answers,
            failed: &failed,
        });
        let Some(stage) = &rehearsal.progress.stage else { break };
        for shown in &stage.asked {
            let item = plan.items.get(shown.item).filter(|item| item.is_request());
            let given = item.and_then(|item| answer(item, shown));
            if item.is_some() {
                // A question that cannot be answered counts as asked, so that the next stage is found.
                answers.insert(shown.question.id, given.as_ref().map_or(Value::Null, Answer::to_value));
            }
            rehearsal.asked.push(RehearsedAnswer { call, shown: Arc::clone(shown), answer: given });
        }
    }
    rehearsal
}

/// Draws an answer that passes every check. Returns `None` if the question takes no answer or shows nothing to choose
/// from.
pub fn invented(item: &Item, shown: &ShownQuestion, twin: &Twin, seed: i64) -> Option<Answer> {
    let mut random = generator(seed, &[b"invented", item.name().as_bytes(), &twin.id.to_be_bytes()]);
    let question = shown.question.as_ref();
    let offer = Offer {
        question,
        choices: in_order(question.choices(), shown.order.as_deref()),
        rows: in_order(question.rows(), shown.rows.as_deref()),
    };
    definition(question.question_type).invent(&offer, &mut random)
}
