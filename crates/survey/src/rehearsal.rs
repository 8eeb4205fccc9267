//! Rehearses the interview of one twin with invented answers, for previews without a model or a database.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use serde_json::Value;

use super::answer::{Answer, AnswerShape, BestAndWorst};
use super::assign::Assignment;
use super::item::Item;
use super::plan::Plan;
use super::twin::Twin;
use super::walk::{self, InterviewState, ShownQuestion, StageParameters, WalkProgress};
use random::{generator, shuffle};

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
    let random = &mut generator(seed, &[b"invented", item.name().as_bytes(), &twin.id.to_be_bytes()]);
    let question = &shown.question;
    let choices = visible(question.choices(), &shown.order);
    let rows = || visible(question.rows(), &shown.rows).into_iter();
    Some(match question.shape()? {
        AnswerShape::Choice => Answer::Choice(one(&choices, random)?.to_owned()),
        AnswerShape::Choices => {
            let mut chosen = some(&choices, random);
            if chosen.len() > 1 {
                chosen.retain(|option| !question.is_exclusive(option));
            }
            Answer::Choices(owned(if chosen.is_empty() { one(&choices, random).into_iter().collect() } else { chosen }))
        }
        AnswerShape::Labels => {
            let rated = rows().map(|row| Some((row.to_owned(), one(&choices, random)?.to_owned())));
            Answer::Labels(rated.collect::<Option<_>>()?)
        }
        AnswerShape::LabelSets => {
            Answer::LabelSets(rows().map(|row| (row.to_owned(), owned(some(&choices, random)))).collect())
        }
        AnswerShape::Number => {
            let (min, max) = match (question.min_value, question.max_value) {
                (Some(min), Some(max)) => (min, max),
                (Some(min), None) => (min, min + 100.0),
                (None, Some(max)) => (max - 100.0, max),
                (None, None) => (0.0, 100.0),
            };
            let between =
                min + (max - min) * f64::from(u32::try_from(random.next_u64() % 1_001).unwrap_or_default()) / 1_000.0;
            Answer::Number(between.round().clamp(min, max))
        }
        AnswerShape::YesNo => Answer::YesNo(random.next_u64().is_multiple_of(2)),
        AnswerShape::Text => Answer::Text(format!("An invented answer to {}.", item.name())),
        AnswerShape::Parts => {
            let total = question.total();
            let part = |(place, option): (usize, &&str)| ((*option).to_owned(), if place == 0 { total } else { 0.0 });
            Answer::Parts(choices.iter().enumerate().map(part).collect())
        }
        AnswerShape::Ranking => {
            let mut ranked = choices;
            shuffle(&mut ranked, random);
            Answer::Ranking(owned(ranked))
        }
        AnswerShape::BestWorst => {
            let mut ranked = choices;
            shuffle(&mut ranked, random);
            let [best, worst] = [ranked.first()?, ranked.last()?].map(|option| (*option).to_owned());
            Answer::BestWorst(BestAndWorst { best, worst })
        }
    })
}

fn owned(texts: Vec<&str>) -> Vec<String> {
    texts.into_iter().map(str::to_owned).collect()
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

/// Draws at least one choice, in the order shown.
fn some<'a>(choices: &[&'a str], random: &mut ChaCha8Rng) -> Vec<&'a str> {
    let sure = one(choices, random);
    choices.iter().copied().filter(|choice| Some(*choice) == sure || random.next_u64().is_multiple_of(2)).collect()
}
