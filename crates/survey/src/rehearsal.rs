//! One twin's way through a design with invented answers: what a preview shows, without a model and a database.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use serde_json::{Map, Value, json};

use super::assign::Assignment;
use super::item::Item;
use super::plan::Plan;
use super::twin::Twin;
use super::walk::{self, InterviewState, ShownQuestion, StageParameters, WalkProgress};
use crate::question::QuestionType;
use crate::random::{generator, shuffle};

/// A question as it was shown, with its answer; none of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct RehearsedAnswer {
    /// The call that it is in, from 1.
    pub call: usize,
    pub shown: Arc<ShownQuestion>,
    pub answer: Option<Value>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rehearsal {
    pub asked: Vec<RehearsedAnswer>,
    /// At the end.
    pub progress: WalkProgress,
}

/// Asks stage by stage until nothing is open. The plan's questions have ids, as [`Plan::numbered`] gives them.
pub fn rehearse(
    plan: &Plan,
    twin: &Twin,
    assignment: &Assignment,
    parameters: StageParameters,
    mut answer: impl FnMut(&Item, &ShownQuestion) -> Value,
) -> Rehearsal {
    let mut answers: HashMap<i64, Value> = HashMap::new();
    let failed = HashSet::new();
    let mut rehearsal = Rehearsal::default();
    // A stage answers one question at least.
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
            let given = item.map(|item| answer(item, shown));
            if let Some(given) = &given {
                answers.insert(shown.question.id, given.clone());
            }
            rehearsal.asked.push(RehearsedAnswer { call, shown: Arc::clone(shown), answer: given });
        }
    }
    rehearsal
}

/// An answer that passes every check, drawn by the seed.
pub fn invented(item: &Item, shown: &ShownQuestion, twin: &Twin, seed: i64) -> Value {
    let random = &mut generator(seed, &[b"invented", item.name().as_bytes(), &twin.id.to_be_bytes()]);
    let question = &shown.question;
    let choices =
        visible(if item.kind().is_matrix() { &question.scale_labels } else { &question.options }, &shown.order);
    match item.kind() {
        QuestionType::Info => Value::Null,
        QuestionType::SingleChoice => json!(one(&choices, random)),
        QuestionType::MultipleChoice => {
            let mut chosen = some(&choices, random);
            if chosen.len() > 1 {
                chosen.retain(|option| !question.is_exclusive(option));
            }
            json!(if chosen.is_empty() { one(&choices, random).into_iter().collect() } else { chosen })
        }
        QuestionType::Matrix | QuestionType::MatrixMulti => {
            let rows = visible(question.rows(), &shown.rows).into_iter();
            let rate = |random: &mut ChaCha8Rng| match item.kind() {
                QuestionType::Matrix => json!(one(&choices, random)),
                _ => json!(some(&choices, random)),
            };
            Value::Object(rows.map(|row| (row.to_owned(), rate(random))).collect::<Map<_, _>>())
        }
        QuestionType::Slider | QuestionType::Range | QuestionType::Number => {
            let (min, max) = match (question.min_value, question.max_value) {
                (Some(min), Some(max)) => (min, max),
                (Some(min), None) => (min, min + 100.0),
                (None, Some(max)) => (max - 100.0, max),
                (None, None) => (0.0, 100.0),
            };
            let between =
                min + (max - min) * f64::from(u32::try_from(random.next_u64() % 1_001).unwrap_or_default()) / 1_000.0;
            json!(between.round().clamp(min, max))
        }
        QuestionType::Boolean => json!(random.next_u64().is_multiple_of(2)),
        QuestionType::TextEntry | QuestionType::OpenEnded => json!(format!("An invented answer to {}.", item.name())),
        QuestionType::ConstantSum => {
            let total = item.question.total();
            let all = choices
                .iter()
                .enumerate()
                .map(|(place, option)| ((*option).to_owned(), json!(if place == 0 { total } else { 0.0 })));
            Value::Object(all.collect::<Map<_, _>>())
        }
        QuestionType::Rank => {
            let mut ranked = choices;
            shuffle(&mut ranked, random);
            json!(ranked)
        }
        QuestionType::BestWorst => {
            let mut ranked = choices;
            shuffle(&mut ranked, random);
            json!({ "best": ranked.first(), "worst": ranked.last() })
        }
    }
}

fn visible<'a>(texts: &'a [String], order: &Option<Vec<i16>>) -> Vec<&'a str> {
    match order {
        None => texts.iter().map(String::as_str).collect(),
        Some(order) => {
            let places = order.iter().filter_map(|place| usize::try_from(*place).ok()?.checked_sub(1));
            places.filter_map(|place| texts.get(place)).map(String::as_str).collect()
        }
    }
}

fn one<'a>(choices: &[&'a str], random: &mut ChaCha8Rng) -> Option<&'a str> {
    let place = random.next_u64().checked_rem(choices.len() as u64)?;
    choices.get(usize::try_from(place).ok()?).copied()
}

/// At least one, in the order shown.
fn some<'a>(choices: &[&'a str], random: &mut ChaCha8Rng) -> Vec<&'a str> {
    let sure = one(choices, random);
    choices.iter().copied().filter(|choice| Some(*choice) == sure || random.next_u64().is_multiple_of(2)).collect()
}
