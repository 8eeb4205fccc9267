//! What a twin of a run with a design was dealt, and what it was shown.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::{Map, Value};
use survey::assign::Assignment;
use survey::flow::Ending;
use survey::plan::Plan;
use survey::question::Question;
use survey::twin::Twin;
use survey::walk::{self, InterviewState, Reason, ShownQuestion, Walked, reachable};

use super::pages::RequestOutcome;
use super::run::{BETWEEN, Run};
use crate::models::assignments::Standing;
use crate::models::run::Parameters;

/// Between arms, questions or options that stand in an order.
pub(super) const THEN: &str = ">";

#[derive(Clone, Debug)]
pub struct Dealt {
    pub assignment: Assignment,
    /// By random node; several arms in the order shown, joined by `>`.
    pub arms: BTreeMap<String, String>,
    /// The same in one cell: `node: arm`, joined by ` | `.
    pub arms_text: String,
    /// As they were last set.
    pub fields: BTreeMap<String, String>,
    /// By block with a drawn order: its questions in the order asked, joined by `>`.
    pub orders: BTreeMap<String, String>,
    /// By loop: 1-based rows of its table, one a turn, joined by `>`.
    pub rows: BTreeMap<String, String>,
    pub is_screened_out: bool,
    /// Questions that the person behind the twin answered where no twin sees it.
    pub held_out: BTreeSet<String>,
    /// What was shown so far, by question id.
    shown: HashMap<i64, Arc<ShownQuestion>>,
}

/// How far the interview is, by its outcomes.
pub(super) fn standing(
    twin: Twin,
    assignment: Assignment,
    not_shown: HashMap<i64, Reason>,
    outcomes: &[RequestOutcome],
) -> serde_json::Result<Standing> {
    let mut standing = Standing { twin, assignment, not_shown, ..Standing::default() };
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
    /// Walks through the interview again, and says what became of the requests that have neither an answer nor a failure.
    pub(super) fn of(
        plan: &Plan,
        parameters: &Parameters,
        places: &HashMap<i64, usize>,
        standing: Standing,
        outcomes: &mut [RequestOutcome],
    ) -> Self {
        let Standing { twin, assignment, answers, failed, not_shown, .. } = standing;
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
            (block.clone(), names.collect::<Vec<_>>().join(THEN))
        };
        let in_turns = |(turns, rows): (&String, &Vec<u32>)| {
            (turns.clone(), rows.iter().map(ToString::to_string).collect::<Vec<_>>().join(THEN))
        };
        let arms: BTreeMap<_, _> =
            assignment.arms.iter().map(|(node, arms)| (node.to_string(), arms.join(THEN))).collect();
        Self {
            arms_text: arms.iter().map(|(node, arm)| format!("{node}: {arm}")).collect::<Vec<_>>().join(BETWEEN),
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

    /// The question as the twin saw it. `None`: it has not.
    pub fn shown(&self, question: i64) -> Option<&ShownQuestion> {
        self.shown.get(&question).map(Arc::as_ref)
    }

    /// What the twin has seen so far.
    pub fn all_shown(&self) -> impl Iterator<Item = &ShownQuestion> {
        self.shown.values().map(Arc::as_ref)
    }

    /// The codes of the options or labels in the order shown, joined by `>`.
    pub fn option_order(&self, question: &Question) -> Option<String> {
        let shown = self.shown(question.id)?;
        let count = choices(question).len();
        let as_written = || (1..=count).collect::<Vec<_>>();
        let order = shown
            .order
            .as_ref()
            .map_or_else(as_written, |order| order.iter().filter_map(|place| usize::try_from(*place).ok()).collect());
        let codes = order.iter().map(|place| code(question, *place).to_string());
        Some(codes.collect::<Vec<_>>().join(THEN))
    }

    /// The answer in the survey's own words, where the twin saw others.
    pub fn as_written(&self, question: &Question, answer: Value) -> Value {
        let Some(shown) = self.shown(question.id) else { return answer };
        let written = choices(question).iter().chain(question.rows());
        let seen = choices(&shown.question).iter().chain(shown.question.rows());
        let differing = seen.zip(written).filter(|(seen, written)| seen != written);
        let words: HashMap<&str, &str> = differing.map(|(seen, written)| (seen.as_str(), written.as_str())).collect();
        if words.is_empty() { answer } else { in_words(answer, &words) }
    }

    /// Whether the twin passed all attention checks that it answered. `None`: there was none.
    pub fn passed_checks(&self, run: &Run, outcomes: &[RequestOutcome]) -> Option<bool> {
        let checks = run.questions.iter().zip(outcomes).filter_map(|(question, outcome)| {
            let expected = &question.logic.check.as_ref()?.expect;
            let RequestOutcome::Answered(answer, _) = outcome else { return None };
            Some(passes(expected, &self.as_written(question, answer.answer_value.parse().unwrap_or_default())))
        });
        checks.fold(None, |all, passed| Some(all.unwrap_or(true) && passed))
    }
}

/// Whether an answer passes an attention check: one option or number, all of several options, or in every row of a matrix
/// one of those that are expected.
fn passes(expected: &[String], answer: &Value) -> bool {
    let is_expected = |text: &str| expected.iter().any(|each| each == text);
    match answer {
        Value::Array(several) => {
            several.len() == expected.len() && several.iter().filter_map(Value::as_str).all(is_expected)
        }
        Value::Object(rows) => !rows.is_empty() && rows.values().all(|row| row.as_str().is_some_and(is_expected)),
        Value::Bool(yes) => is_expected(if *yes { "Yes" } else { "No" }),
        Value::Number(number) => {
            expected.iter().any(|each| each.trim().parse().ok().is_some_and(|each: f64| Some(each) == number.as_f64()))
        }
        Value::String(text) => is_expected(text),
        Value::Null => false,
    }
}

/// The code of the choice at this place from 1.
pub fn code(question: &Question, place: usize) -> i64 {
    let given = question.logic.codes.as_ref().and_then(|codes| codes.get(place.checked_sub(1)?)).copied();
    given.unwrap_or_else(|| i64::try_from(place).unwrap_or(i64::MAX))
}

fn choices(question: &Question) -> &[String] {
    if question.question_type.is_matrix() { &question.scale_labels } else { &question.options }
}

fn in_words(answer: Value, words: &HashMap<&str, &str>) -> Value {
    let word = |text: String| words.get(text.as_str()).map_or(text.clone(), |written| (*written).to_owned());
    match answer {
        Value::String(text) => Value::String(word(text)),
        Value::Array(several) => several.into_iter().map(|each| in_words(each, words)).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| (word(name), in_words(value, words)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_attention_check_is_passed_by_answers_of_every_form() {
        let passes = |expected: &[&str], answer: Value| {
            passes(&expected.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>(), &answer)
        };
        for (expected, right, wrong) in [
            (vec!["Blue"], json!("Blue"), json!("Red")),
            (vec!["a", "b"], json!(["b", "a"]), json!(["a"])),
            (vec!["Yes"], json!(true), json!(false)),
            (vec!["No"], json!(false), json!(true)),
            (vec!["42"], json!(42.0), json!(41)),
            (vec!["Agree"], json!({ "r": "Agree", "s": "Agree" }), json!({ "r": "Agree", "s": "Disagree" })),
        ] {
            assert!(passes(&expected, right.clone()), "{right}");
            assert!(!passes(&expected, wrong.clone()), "{wrong}");
        }
        assert!(!passes(&["Agree"], json!({})));
    }
}
