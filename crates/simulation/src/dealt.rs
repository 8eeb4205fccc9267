//! The assignment of a twin in a run with a design, and the questions that it was shown.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use survey::answer::Answer;
use survey::assign::Assignment;
use survey::flow::Ending;
use survey::plan::Plan;
use survey::question::Question;
use survey::twin::Twin;
use survey::walk::{self, InterviewState, Reason, ShownQuestion, Walked, reachable};

use crate::answers::RequestOutcome;
use crate::parameters::Parameters;
use crate::progress::InterviewProgress;
use crate::run::{OPTION_SEPARATOR, Run};

/// Separator of arms, questions or options that are listed in order.
pub const ORDER_SEPARATOR: &str = ">";

#[derive(Clone, Debug)]
pub struct Dealt {
    pub assignment: Assignment,
    /// The arms of each random node; several in the order shown, joined by `>`.
    pub arms: BTreeMap<String, String>,
    /// All arms in one cell: `node: arm`, joined by ` | `.
    pub arms_text: String,
    /// The fields with their last values.
    pub fields: BTreeMap<String, String>,
    /// The questions of each block with a drawn order, in the order asked, joined by `>`.
    pub orders: BTreeMap<String, String>,
    /// The 1-based rows of each loop's table, one for each turn, joined by `>`.
    pub rows: BTreeMap<String, String>,
    pub is_screened_out: bool,
    /// Questions that the person behind the twin answered in the part of their survey that is hidden from twins.
    pub held_out: BTreeSet<String>,
    /// The questions that were shown so far, by id.
    shown: HashMap<i64, Arc<ShownQuestion>>,
}

/// The twin and its answers and failures, from the outcomes of its interview.
pub fn standing(
    twin: Twin,
    assignment: Assignment,
    not_shown: HashMap<i64, Reason>,
    outcomes: &[RequestOutcome],
) -> serde_json::Result<InterviewProgress> {
    let mut standing = InterviewProgress { twin, assignment, not_shown, ..InterviewProgress::default() };
    for outcome in outcomes {
        match outcome {
            RequestOutcome::Answered(answer, _) => {
                standing.answers.insert(answer.question_id, answer.answer_value.parse()?);
            }
            RequestOutcome::Failed(failure) => {
                standing.failed.insert(failure.question_id);
            }
            RequestOutcome::Open | RequestOutcome::Skipped(_) | RequestOutcome::NotAssigned => {}
        }
    }
    Ok(standing)
}

impl Dealt {
    /// Walks through the interview again, and sets the outcome of the requests that have neither an answer nor a
    /// failure.
    pub fn walk(
        plan: &Plan,
        parameters: &Parameters,
        places: &HashMap<i64, usize>,
        standing: InterviewProgress,
        outcomes: &mut [RequestOutcome],
    ) -> Self {
        let InterviewProgress { twin, assignment, answers, failed, not_shown, .. } = standing;
        for outcome in outcomes.iter_mut().filter(|outcome| matches!(outcome, RequestOutcome::Open)) {
            *outcome = RequestOutcome::NotAssigned;
        }
        let walked = Walked::none(reachable(plan, &twin, &assignment));
        let reached = walked.reached.iter().filter_map(|item| plan.items.get(*item));
        for id in reached.map(|item| item.question.id) {
            let outcome = places.get(&id).and_then(|place| outcomes.get_mut(*place));
            if let Some(outcome) = outcome.filter(|outcome| matches!(outcome, RequestOutcome::NotAssigned)) {
                *outcome = not_shown.get(&id).map_or(RequestOutcome::Open, |reason| RequestOutcome::Skipped(*reason));
            }
        }
        let progress = walk::next(InterviewState {
            plan,
            twin: &twin,
            assignment: &assignment,
            parameters: parameters.of_walk(),
            walked: Some(&walked),
            answers: &answers,
            failed: &failed,
        });
        let shown = match progress.stage {
            Some(stage) => stage.earlier.into_iter().chain(stage.asked).collect(),
            None => progress.shown,
        };
        let in_order = |(block, order): (&String, &Vec<u16>)| {
            let questions = plan.questions_of(block);
            let names = order.iter().filter_map(|place| questions.get(usize::from(*place).checked_sub(1)?).copied());
            (block.clone(), names.collect::<Vec<_>>().join(ORDER_SEPARATOR))
        };
        let in_turns = |(turns, rows): (&String, &Vec<u32>)| {
            (turns.clone(), rows.iter().map(ToString::to_string).collect::<Vec<_>>().join(ORDER_SEPARATOR))
        };
        let arms: BTreeMap<_, _> =
            assignment.arms.iter().map(|(node, arms)| (node.to_string(), arms.join(ORDER_SEPARATOR))).collect();
        Self {
            arms_text: arms
                .iter()
                .map(|(node, arm)| format!("{node}: {arm}"))
                .collect::<Vec<_>>()
                .join(OPTION_SEPARATOR),
            arms,
            fields: assignment.fields.clone().into_iter().chain(progress.fields).collect(),
            orders: assignment.orders.iter().map(in_order).collect(),
            rows: assignment.rows.iter().map(in_turns).collect(),
            held_out: twin.held_out,
            is_screened_out: progress.ended == Some(Ending::ScreenedOut),
            shown: shown.into_iter().map(|shown| (shown.question.id, shown)).collect(),
            assignment,
        }
    }

    /// The question as the twin saw it. `None` if it has not been shown.
    pub fn shown(&self, question: i64) -> Option<&ShownQuestion> {
        self.shown.get(&question).map(Arc::as_ref)
    }

    /// The questions that the twin has seen so far.
    pub fn all_shown(&self) -> impl Iterator<Item = &ShownQuestion> {
        self.shown.values().map(Arc::as_ref)
    }

    /// The codes of the options or labels in the order shown, joined by `>`.
    pub fn option_order(&self, question: &Question) -> Option<String> {
        let shown = self.shown(question.id)?;
        let count = question.choices().len();
        let as_written = || (1..=count).collect::<Vec<_>>();
        let order = shown
            .order
            .as_ref()
            .map_or_else(as_written, |order| order.iter().filter_map(|place| usize::try_from(*place).ok()).collect());
        let codes = order.iter().filter_map(|place| Some(question.code(place.checked_sub(1)?).to_string()));
        Some(codes.collect::<Vec<_>>().join(ORDER_SEPARATOR))
    }

    /// Returns the answer in the survey's own words, if the twin saw others.
    fn as_written(&self, question: &Question, answer: Answer) -> Answer {
        let Some(shown) = self.shown(question.id) else { return answer };
        let written = question.choices().iter().chain(question.rows());
        let seen = shown.question.choices().iter().chain(shown.question.rows());
        let differing = seen.zip(written).filter(|(seen, written)| seen != written);
        let words: HashMap<&str, &str> = differing.map(|(seen, written)| (seen.as_str(), written.as_str())).collect();
        if words.is_empty() { answer } else { answer.in_words(&words) }
    }

    /// Whether the twin passed all attention checks that it answered. `None` if there was none.
    pub fn passed_checks(&self, run: &Run, outcomes: &[RequestOutcome]) -> Option<bool> {
        let checks = run.questions.iter().zip(outcomes).filter_map(|(question, outcome)| {
            let check = question.logic.check.as_ref()?;
            let RequestOutcome::Answered(..) = outcome else { return None };
            Some(decode(question, outcome, Some(self)).is_some_and(|answer| check.passes(&answer)))
        });
        checks.fold(None, |all, passed| Some(all.unwrap_or(true) && passed))
    }
}

/// Decodes the answer in the survey's own words. `None` if there is none, or it cannot be decoded.
pub fn decode(question: &Question, outcome: &RequestOutcome, dealt: Option<&Dealt>) -> Option<Answer> {
    let RequestOutcome::Answered(stored, _) = outcome else { return None };
    let answer = stored.answer_value.decode(question).ok()?;
    Some(match dealt {
        Some(dealt) => dealt.as_written(question, answer),
        None => answer,
    })
}
